#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include <jansson.h>

#include <lanewise/data/detail/safetensors_header.h>
#include <lanewise/data/errors.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::data::detail {
namespace {

using lanewise::detail::raise;

constexpr const char* kMetadata = "__metadata__";

constexpr std::pair<const char*, ScalarType> kNames[] = {
    {"BOOL", kBool}, {"U8", kByte},    {"I8", kChar},         {"I16", kShort},
    {"I32", kInt},   {"I64", kLong},   {"F16", kHalf},        {"BF16", kBFloat16},
    {"F32", kFloat}, {"F64", kDouble}, {"C64", kComplexFloat}};

const char* name_of(ScalarType dtype) {
  for (const auto& [name, known] : kNames) {
    if (dtype == known) return name;
  }
  raise<DtypeError>("write_safetensors: the format has no ", dtype, "; write view_as_real() of the tensor");
}

struct Release {
  void operator()(json_t* json) const { json_decref(json); }
};
using Json = std::unique_ptr<json_t, Release>;

/// Throws DataError: `text` is no UTF-8 (or there is no memory).
Json string(const std::string& text) {
  Json json(json_stringn(text.data(), text.size()));
  LANEWISE_CHECK(DataError, json != nullptr, "write_safetensors: the text '", text,
                 "' is not UTF-8, which the format asks for");
  return json;
}

void set(const Json& object, const std::string& key, Json value) {
  LANEWISE_CHECK(DataError, key.find('\0') == std::string::npos,
                 "write_safetensors: a name with a zero character: '", key.c_str(), "'");
  LANEWISE_CHECK(DataError, json_object_set_new(object.get(), key.c_str(), value.release()) == 0,
                 "write_safetensors: the name '", key, "' is not UTF-8, which the format asks for");
}

template <class Numbers>
Json array(const Numbers& numbers) {
  Json json(json_array());
  for (const auto n : numbers) json_array_append_new(json.get(), json_integer(static_cast<json_int_t>(n)));
  return json;
}

/// Reads the header of one file; every complaint names the file and the tensor.
class HeaderReader {
 public:
  explicit HeaderReader(const std::string& source) : source_(source) {}

  std::vector<SafetensorsEntry> read(const std::string& text, Metadata* metadata) const {
    json_error_t error;
    const Json root(json_loadb(text.data(), text.size(), JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error));
    if (root == nullptr) fail("the header is not JSON: ", error.text);
    if (!json_is_object(root.get())) fail("the header is not a JSON object");
    std::vector<SafetensorsEntry> entries;
    const char* key = nullptr;
    json_t* value = nullptr;
    json_object_foreach(root.get(), key, value) {
      if (std::string_view(key) == kMetadata) {
        read_metadata(value, metadata);
      } else {
        entries.push_back(entry(key, value));
      }
    }
    std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
      return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    std::uint64_t position = 0;
    for (const SafetensorsEntry& e : entries) {
      if (e.begin != position) {
        fail("tensor '", e.name, "' begins at byte ", e.begin, ", expected ", position,
             ": the tensors of a file follow one another");
      }
      position = e.end;
    }
    return entries;
  }

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    raise<DataError>(source_, ": ", parts...);
  }

  void read_metadata(json_t* object, Metadata* metadata) const {
    if (!json_is_object(object)) fail(kMetadata, " is not a JSON object");
    const char* key = nullptr;
    json_t* value = nullptr;
    json_object_foreach(object, key, value) {
      if (!json_is_string(value)) fail(kMetadata, ": '", key, "' is not a string");
      if (metadata != nullptr) (*metadata)[key].assign(json_string_value(value), json_string_length(value));
    }
  }

  SafetensorsEntry entry(const char* name, json_t* value) const {
    if (!json_is_object(value)) fail("tensor '", name, "' is not described by a JSON object");
    SafetensorsEntry e{name, dtype(name, json_object_get(value, "dtype")), {}, 0, 0};
    for (const std::int64_t size : numbers(name, "shape", json_object_get(value, "shape")))
      e.sizes.push_back(size);
    const std::vector<std::int64_t> offsets =
        numbers(name, "data_offsets", json_object_get(value, "data_offsets"));
    if (offsets.size() != 2) fail("data_offsets of tensor '", name, "' are ", offsets.size(), ", expected 2");
    e.begin = static_cast<std::uint64_t>(offsets[0]);
    e.end = static_cast<std::uint64_t>(offsets[1]);
    auto bytes = static_cast<std::int64_t>(element_size(e.dtype));
    const bool empty = std::find(e.sizes.begin(), e.sizes.end(), 0) != e.sizes.end();
    for (const std::int64_t size : e.sizes) {
      if (!empty && __builtin_mul_overflow(bytes, size, &bytes)) fail("tensor '", name, "' is too large");
    }
    if (empty) bytes = 0;
    if (e.begin > e.end || e.end - e.begin != static_cast<std::uint64_t>(bytes)) {
      fail("tensor '", name, "' has the bytes ", e.begin, " to ", e.end, ", but its shape and dtype take ",
           bytes);
    }
    return e;
  }

  ScalarType dtype(const char* name, json_t* value) const {
    if (!json_is_string(value)) fail("tensor '", name, "' has no dtype");
    const std::string_view wanted(json_string_value(value), json_string_length(value));
    for (const auto& [known, dtype] : kNames) {
      if (wanted == known) return dtype;
    }
    fail("tensor '", name, "' is of dtype ", wanted,
         ", which the library does not have; expected BOOL, U8, I8, I16, I32, I64, F16, BF16, F32, F64 or "
         "C64");
  }

  std::vector<std::int64_t> numbers(const char* name, const char* what, json_t* list) const {
    if (!json_is_array(list)) fail("tensor '", name, "' has no ", what);
    std::vector<std::int64_t> all;
    std::size_t i = 0;
    json_t* value = nullptr;
    json_array_foreach(list, i, value) {
      if (!json_is_integer(value) || json_integer_value(value) < 0) {
        fail(what, " of tensor '", name, "' are not whole numbers >= 0");
      }
      all.push_back(json_integer_value(value));
    }
    return all;
  }

  const std::string& source_;
};

}  // namespace

void check_dtype(ScalarType dtype) { name_of(dtype); }

std::string write_header(const std::vector<SafetensorsEntry>& entries, const Metadata& metadata) {
  const Json root(json_object());
  if (!metadata.empty()) {
    Json texts(json_object());
    for (const auto& [key, text] : metadata) set(texts, key, string(text));
    set(root, kMetadata, std::move(texts));
  }
  for (const SafetensorsEntry& e : entries) {
    LANEWISE_CHECK(DataError, e.name != kMetadata, "write_safetensors: a tensor cannot be named ", kMetadata);
    Json tensor(json_object());
    set(tensor, "dtype", string(name_of(e.dtype)));
    set(tensor, "shape", array(e.sizes));
    set(tensor, "data_offsets", array(std::initializer_list<std::uint64_t>{e.begin, e.end}));
    set(root, e.name, std::move(tensor));
  }
  const std::unique_ptr<char, decltype(&std::free)> text(json_dumps(root.get(), JSON_COMPACT), &std::free);
  if (text == nullptr) raise<AllocationError>("write_safetensors: no memory for the header");
  std::string header = text.get();
  LANEWISE_CHECK(DataError, header.size() < kLongestHeader, "write_safetensors: the header takes ",
                 header.size(), " bytes, more than the format allows; write several files");
  header.append((8 - header.size() % 8) % 8, ' ');
  return header;
}

std::vector<SafetensorsEntry> read_header(const std::string& text, const std::string& source,
                                          Metadata* metadata) {
  return HeaderReader(source).read(text, metadata);
}

}  // namespace lanewise::data::detail
