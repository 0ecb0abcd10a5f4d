#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <istream>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/data/detail/safetensors_header.h>
#include <lanewise/data/errors.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::data {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

/// Where a file is read from, one piece after the other.
struct Source {
  std::string name;
  std::function<std::size_t(void* to, std::size_t count)> read;
  std::optional<std::uint64_t> count;  ///< of all bytes, where that is known before they are read

  void read_all(void* to, std::size_t bytes, const char* what) const {
    const std::size_t got = bytes == 0 ? 0 : read(to, bytes);  // nothing has no address
    LANEWISE_CHECK(DataError, got == bytes, name, " ends after ", got, " of ", bytes, " bytes of ", what);
  }
};

NamedTensors read(const Source& source, Metadata* metadata) {
  std::uint64_t length = 0;
  source.read_all(&length, sizeof(length), "the header's length");
  LANEWISE_CHECK(
      DataError, length <= detail::kLongestHeader && length <= source.count.value_or(length), source.name,
      " is no safetensors file: its first 8 bytes are to be the length of a header, found ", length);
  std::string header(length, '\0');
  source.read_all(header.data(), header.size(), "the header");
  Metadata texts;
  const std::vector<detail::SafetensorsEntry> entries = detail::read_header(header, source.name, &texts);
  const std::uint64_t all = sizeof(length) + length + (entries.empty() ? 0 : entries.back().end);
  LANEWISE_CHECK(DataError, all <= source.count.value_or(all), source.name, " has ", *source.count,
                 " bytes, its header names ", all, "; the file is truncated");
  NamedTensors tensors;
  for (const detail::SafetensorsEntry& entry : entries) {
    Tensor t = empty(entry.sizes, entry.dtype);
    source.read_all(t.data_ptr(), entry.end - entry.begin, "the tensors");
    if (entry.dtype == kBool) {
      auto* bytes = static_cast<unsigned char*>(t.data_ptr());
      std::transform(bytes, bytes + t.numel(), bytes, [](unsigned char b) { return b != 0 ? 1 : 0; });
    }
    tensors.emplace(entry.name, std::move(t));
  }
  if (metadata != nullptr) *metadata = std::move(texts);
  return tensors;
}

/// As read(), of something that ends with the last element.
NamedTensors read_whole(const Source& source, Metadata* metadata) {
  NamedTensors tensors = read(source, metadata);
  char extra = 0;
  LANEWISE_CHECK(DataError, source.read(&extra, 1) == 0, source.name,
                 " goes on after the last element that its header names");
  return tensors;
}

/// A file that is written to, closed with the object. Complaints name `path`, which it is or is going to be.
class OutputFile {
 public:
  /// With the permissions of `path` if it is to replace that. Throws DataError.
  OutputFile(const std::string& file, int flags, const std::string& path, bool replaces) : path_(path) {
    const auto mode =
        replaces ? static_cast<mode_t>(std::filesystem::status(path).permissions()) : mode_t{0666};
    file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, replaces ? mode_t{0600} : mode);
    check(file_ >= 0 && (!replaces || ::fchmod(file_, mode) == 0));
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() {
    if (file_ >= 0) ::close(file_);
  }

  void write(const NamedTensors& tensors, const Metadata& metadata) {
    write_safetensors(
        [&](const void* bytes, std::size_t count) {
          for (std::size_t done = 0; done < count;) {
            const ssize_t n = ::write(file_, static_cast<const char*>(bytes) + done, count - done);
            check(n >= 0 || errno == EINTR);
            done += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
          }
          return count;
        },
        tensors, metadata);
    check(::close(std::exchange(file_, -1)) == 0);
  }

 private:
  void check(bool done) const {
    LANEWISE_CHECK(DataError, done, "write_safetensors: cannot write ", path_, ": ", std::strerror(errno));
  }

  std::string path_;
  int file_ = -1;
};

/// Of no other file that this or another process is writing.
std::string fresh_name() {
  static std::atomic<unsigned> count = 0;
  return ".lanewise-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
}

std::size_t read_stream(std::istream& from, void* to, std::size_t count) {
  from.read(static_cast<char*>(to), static_cast<std::streamsize>(count));
  return static_cast<std::size_t>(from.gcount());
}

}  // namespace

void write_safetensors(const Writer& to, const NamedTensors& tensors, const Metadata& metadata) {
  const NoGradGuard no_grad;
  for (const auto& [name, t] : tensors) {
    LANEWISE_CHECK(ValueError, t.defined(), "write_safetensors: tensor '", name, "' is undefined");
    detail::check_dtype(t.scalar_type());
  }
  std::vector<detail::SafetensorsEntry> entries;
  std::vector<const Tensor*> parts;
  std::uint64_t position = 0;
  // The wide elements first, so that all are aligned in the file.
  for (const std::size_t width : {8, 4, 2, 1}) {
    for (const auto& [name, t] : tensors) {
      if (t.itemsize() != width) continue;
      entries.push_back({name, t.scalar_type(), t.sizes().vec(), position, position + t.nbytes()});
      parts.push_back(&t);
      position += t.nbytes();
    }
  }
  const std::string header = detail::write_header(entries, metadata);
  const auto write = [&](const void* bytes, std::size_t count) {
    if (count == 0) return;
    const std::size_t taken = to(bytes, count);
    LANEWISE_CHECK(DataError, taken == count, "write_safetensors: ", taken, " of ", count,
                   " bytes were taken");
  };
  const std::uint64_t length = header.size();
  write(&length, sizeof(length));
  write(header.data(), header.size());
  for (const Tensor* t : parts) {
    const Tensor dense = t->contiguous();
    write(dense.data_ptr(), dense.nbytes());
  }
}

void write_safetensors(std::ostream& to, const NamedTensors& tensors, const Metadata& metadata) {
  write_safetensors(
      [&](const void* bytes, std::size_t count) -> std::size_t {
        to.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
        return to.good() ? count : 0;
      },
      tensors, metadata);
}

void write_safetensors(const std::string& path, const NamedTensors& tensors, const Metadata& metadata) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool replaces = fs::is_regular_file(path, error);
  // Pipes, devices and links to nothing are written to; there is nothing to keep.
  if (!replaces && fs::exists(fs::symlink_status(path, error))) {
    OutputFile(path, O_TRUNC, path, false).write(tensors, metadata);
    return;
  }
  const fs::path target = replaces ? fs::canonical(path) : fs::path(path);
  const std::string beside = (target.parent_path() / fresh_name()).string();
  OutputFile file(beside, O_EXCL, path, replaces);
  try {
    file.write(tensors, metadata);
    fs::rename(beside, target, error);
    LANEWISE_CHECK(DataError, !error, "write_safetensors: cannot write ", path, ": ", error.message());
  } catch (...) {
    fs::remove(beside, error);
    throw;
  }
}

NamedTensors read_safetensors(const std::string& path, Metadata* metadata) {
  std::ifstream file(path, std::ios::binary);
  LANEWISE_CHECK(DataError, file.is_open(), "read_safetensors: cannot open ", path, ": ",
                 std::strerror(errno));
  std::error_code error;
  const std::uintmax_t count = std::filesystem::file_size(path, error);
  Source source{"read_safetensors: " + path,
                [&](void* to, std::size_t bytes) { return read_stream(file, to, bytes); },
                error ? std::nullopt : std::optional<std::uint64_t>(count)};
  return read_whole(source, metadata);
}

NamedTensors read_safetensors(std::istream& from, Metadata* metadata) {
  return read({"read_safetensors: the stream",
               [&](void* to, std::size_t bytes) { return read_stream(from, to, bytes); }, std::nullopt},
              metadata);
}

NamedTensors read_safetensors(const Reader& from, std::uint64_t count, Metadata* metadata) {
  std::uint64_t position = 0;
  const auto next = [&](void* to, std::size_t bytes) {
    const std::size_t got =
        position < count ? from(position, to, std::min<std::uint64_t>(bytes, count - position)) : 0;
    position += got;
    return got;
  };
  return read_whole({"read_safetensors: the bytes", next, count}, metadata);
}

NamedTensors read_safetensors(const void* bytes, std::size_t count, Metadata* metadata) {
  const auto copy = [&](std::uint64_t position, void* to, std::size_t wanted) {
    std::memcpy(to, static_cast<const char*>(bytes) + position, wanted);
    return wanted;
  };
  return read_safetensors(Reader(copy), count, metadata);
}

}  // namespace lanewise::data
