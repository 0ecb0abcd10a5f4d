#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <zlib.h>

#include <lanewise/data/errors.h>
#include <lanewise/data/idx.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/dtype.h>

namespace lanewise::data {
namespace {

constexpr int kMaxIdxDims = 8;

/// A file read through zlib, which passes plain files through unchanged.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    LANEWISE_CHECK(DataError, file_ != nullptr, "read_idx: cannot open ", path, ": ", std::strerror(errno));
    gzbuffer(file_.get(), 1 << 17);
  }

  void read(void* to, std::size_t bytes, const char* what) {
    auto* out = static_cast<unsigned char*>(to);
    std::size_t done = 0;
    while (done < bytes) {
      const auto want = static_cast<unsigned>(std::min<std::size_t>(bytes - done, 1U << 30));
      const int got = gzread(file_.get(), out + done, want);
      if (got < 0) fail();
      LANEWISE_CHECK(DataError, got > 0, "read_idx: ", path_, " ends after ", done, " of ", bytes,
                     " bytes of ", what, "; the file is truncated, fetch it again");
      done += static_cast<std::size_t>(got);
    }
  }

  bool at_end() {
    unsigned char extra = 0;
    const int got = gzread(file_.get(), &extra, 1);
    // zlib checks the sum that a compressed file ends with here, and says of one without it that it is short.
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (got < 0 || code < 0) fail();
    return got == 0;
  }

 private:
  /// zlib's words begin with the path.
  [[noreturn]] void fail() {
    int code = 0;
    const char* why = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) detail::raise<DataError>("read_idx: ", path_, ": ", std::strerror(errno));
    LANEWISE_CHECK(DataError, code != Z_BUF_ERROR, "read_idx: ", path_,
                   " ends early; the file is truncated, fetch it again");
    detail::raise<DataError>("read_idx: ", why);
  }
  struct Close {
    void operator()(gzFile_s* file) const { gzclose(file); }
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

ScalarType element_type(unsigned char code, const std::string& path) {
  switch (code) {
    case 0x08: return kByte;
    case 0x09: return kChar;
    case 0x0B: return kShort;
    case 0x0C: return kInt;
    case 0x0D: return kFloat;
    case 0x0E: return kDouble;
    default:
      detail::raise<DataError>("read_idx: ", path, ": element code ", static_cast<int>(code),
                               " is not one of 8, 9, 11, 12, 13, 14");
  }
}

void big_endian_to_host(char* data, std::int64_t count, std::size_t size) {
  if constexpr (std::endian::native == std::endian::little) {
    for (std::int64_t i = 0; i < count; ++i)
      std::reverse(data + static_cast<std::size_t>(i) * size, data + static_cast<std::size_t>(i + 1) * size);
  }
}

}  // namespace

Tensor read_idx(const std::string& path) {
  Reader reader(path);
  std::array<unsigned char, 4> magic{};
  reader.read(magic.data(), magic.size(), "magic number");
  LANEWISE_CHECK(DataError, magic[0] == 0 && magic[1] == 0, "read_idx: ", path,
                 " is not an IDX file: it begins with bytes ", int{magic[0]}, " ", int{magic[1]},
                 ", expected 0 0");
  const ScalarType dtype = element_type(magic[2], path);
  const int dims = magic[3];
  LANEWISE_CHECK(DataError, dims >= 1 && dims <= kMaxIdxDims, "read_idx: ", path, " has ", dims,
                 " dimensions, expected 1 to ", kMaxIdxDims);

  std::vector<std::int64_t> sizes;
  std::int64_t bytes = static_cast<std::int64_t>(element_size(dtype));
  for (int d = 0; d < dims; ++d) {
    std::array<unsigned char, 4> word{};
    reader.read(word.data(), word.size(), "sizes");
    const std::int64_t size = (std::int64_t{word[0]} << 24) | (std::int64_t{word[1]} << 16) |
                              (std::int64_t{word[2]} << 8) | word[3];
    sizes.push_back(size);
    LANEWISE_CHECK(DataError, !__builtin_mul_overflow(bytes, size, &bytes) && bytes < (std::int64_t{1} << 40),
                   "read_idx: ", path, " claims more than a terabyte of data; its header is damaged");
  }

  Tensor result = empty(sizes, TensorOptions().dtype(dtype));
  auto* data = static_cast<char*>(result.data_ptr());
  reader.read(data, static_cast<std::size_t>(bytes), "data");
  LANEWISE_CHECK(DataError, reader.at_end(), "read_idx: ", path, " goes on after the ", result.numel(),
                 " elements that its header names");
  if (element_size(dtype) > 1) big_endian_to_host(data, result.numel(), element_size(dtype));
  return result;
}

}  // namespace lanewise::data
