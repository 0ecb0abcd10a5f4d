#include <array>
#include <new>

#include <lanewise/dispatch_isa/detail/per_thread.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/storage.h>

namespace lanewise::detail {
namespace {

constexpr std::align_val_t kAlignment{64};
/// Larger buffers are given back as soon as the thread asks for a quarter of them: rows of 2^28 halves, converted whole, took a gigabyte
/// for good.
constexpr std::size_t kKept = 16 << 20;

struct Buffer {
  char* data = nullptr;
  std::size_t size = 0;
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { reset(); }
  void reset() noexcept {
    ::operator delete(data, kAlignment);
    data = nullptr;
    size = 0;
  }
};
struct Buffers {
  std::array<Buffer, kScratchPurposes> of;
};

}  // namespace

char* scratch(Scratch purpose, std::size_t bytes) {
  Buffer& b = PerThread<Buffers>::get().of[static_cast<std::size_t>(purpose)];
  const bool is_idle = b.size > kKept && bytes <= b.size / 4;
  if (b.size < bytes || is_idle) [[unlikely]] {
    b.reset();
    b.data = static_cast<char*>(::operator new(bytes, kAlignment, std::nothrow));
    if (b.data == nullptr) {
      empty_cache();
      b.data = static_cast<char*>(::operator new(bytes, kAlignment, std::nothrow));
    }
    LANEWISE_CHECK(AllocationError, b.data != nullptr, "allocate: the system has no ", bytes,
                   " bytes left for scratch memory");
    b.size = bytes;
  }
  return b.data;
}

}  // namespace lanewise::detail
