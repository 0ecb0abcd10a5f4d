#include <iterator>

#include <lanewise/autograd/value.h>

namespace lanewise {

Value::Value() noexcept = default;
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

Value::Value(std::nullopt_t) noexcept {}
Value::Value(Tensor tensor) : content_(std::move(tensor)) {}
Value::Value(std::vector<Tensor> tensors) : content_(std::move(tensors)) {}
Value::Value(std::vector<std::int64_t> list) : content_(std::move(list)) {}
Value::Value(IntArrayRef list) : content_(std::vector<std::int64_t>(list.begin(), list.end())) {}
Value::Value(std::initializer_list<std::int64_t> list) : content_(std::vector<std::int64_t>(list)) {}
Value::Value(ScalarType dtype) : content_(dtype) {}
Value::Value(std::string text) : content_(std::move(text)) {}
Value::Value(std::string_view text) : content_(std::string(text)) {}
Value::Value(const char* text) : content_(std::string(text)) {}

Value::Value(const Scalar& number) {
  if (number.isBoolean()) {
    content_ = number.to<bool>();
  } else if (number.isIntegral(false)) {
    content_ = number.to<std::int64_t>();
  } else if (number.isComplex()) {
    content_ = number.to<std::complex<double>>();
  } else {
    content_ = number.to<double>();
  }
}

std::string Value::type_name() const {
  constexpr const char* kNames[] = {"None",  "Tensor",  "Tensor[]", "bool",       "int",
                                    "float", "complex", "int[]",    "ScalarType", "str"};
  static_assert(std::size(kNames) == std::variant_size_v<Content>);
  return kNames[content_.index()];
}

}  // namespace lanewise
