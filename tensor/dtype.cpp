#include <atomic>
#include <string>

#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/parse_dtype.h>

namespace lanewise {

namespace {

constexpr const char* kNames[] = {"Bool",         "Byte",          "Char",     "Short", "Int",
                                  "Long",         "Half",          "BFloat16", "Float", "Double",
                                  "ComplexFloat", "ComplexDouble", "Undefined"};
constexpr const char* kShortNames[] = {"bool", "u8",  "i8",  "i16", "i32",  "i64",      "f16",
                                       "bf16", "f32", "f64", "c64", "c128", "undefined"};

constinit std::atomic<ScalarType> default_dtype{ScalarType::Float};

}  // namespace

const char* to_string(ScalarType t) noexcept { return kNames[static_cast<std::size_t>(t)]; }
const char* short_name(ScalarType t) noexcept { return kShortNames[static_cast<std::size_t>(t)]; }
std::ostream& operator<<(std::ostream& out, ScalarType t) { return out << to_string(t); }

ScalarType parse_dtype(std::string_view text) {
  std::string known;
  for (std::size_t i = 0; i < static_cast<std::size_t>(ScalarType::Undefined); ++i) {
    if (text == kShortNames[i]) return static_cast<ScalarType>(i);
    known += (known.empty() ? "" : ", ") + std::string(kShortNames[i]);
  }
  detail::raise<ValueError>("dtype '", text, "': unknown; one of ", known);
}

ScalarType get_default_dtype() noexcept { return default_dtype.load(std::memory_order_relaxed); }

void set_default_dtype(ScalarType t) {
  LANEWISE_CHECK(DtypeError, t != ScalarType::Undefined,
                 "set_default_dtype: Undefined is no type of elements; use a floating type");
  default_dtype.store(t, std::memory_order_relaxed);
}

}  // namespace lanewise
