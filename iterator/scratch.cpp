#include <array>
#include <new>

#include <lanewise/dispatch_isa/detail/per_thread.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::detail {
namespace {

constexpr std::align_val_t kAlignment{64};

struct Buffer {
  char* data = nullptr;
  std::size_t size = 0;
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { ::operator delete(data, kAlignment); }
};
struct Buffers {
  std::array<Buffer, kScratchPurposes> of;
};

}  // namespace

char* scratch(Scratch purpose, std::size_t bytes) {
  Buffer& b = PerThread<Buffers>::get().of[static_cast<std::size_t>(purpose)];
  if (b.size < bytes) {
    char* grown = static_cast<char*>(::operator new(bytes, kAlignment, std::nothrow));
    LANEWISE_CHECK(AllocationError, grown != nullptr, "allocate: the system has no ", bytes,
                   " bytes left for scratch memory");
    ::operator delete(b.data, kAlignment);
    b.data = grown;
    b.size = bytes;
  }
  return b.data;
}

}  // namespace lanewise::detail
