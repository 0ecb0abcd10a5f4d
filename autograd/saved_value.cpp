#include <lanewise/autograd/saved_value.h>

namespace lanewise::autograd {

SavedValue::SavedValue() noexcept = default;
SavedValue::SavedValue(const SavedValue& other) = default;
SavedValue::SavedValue(SavedValue&& other) noexcept = default;
SavedValue& SavedValue::operator=(const SavedValue& other) = default;
SavedValue& SavedValue::operator=(SavedValue&& other) noexcept = default;
SavedValue::~SavedValue() = default;

SavedValue::SavedValue(bool value) : value_(value) {}
SavedValue::SavedValue(std::int64_t value) : value_(value) {}
SavedValue::SavedValue(double value) : value_(value) {}
SavedValue::SavedValue(std::complex<double> value) : value_(value) {}
SavedValue::SavedValue(const char* value) : value_(std::string(value)) {}
SavedValue::SavedValue(std::string value) : value_(std::move(value)) {}
SavedValue::SavedValue(Tensor value) : value_(std::move(value)) {}
SavedValue::SavedValue(std::vector<Tensor> value) : value_(std::move(value)) {}
SavedValue::SavedValue(std::vector<std::int64_t> value) : value_(std::move(value)) {}
SavedValue::SavedValue(std::vector<double> value) : value_(std::move(value)) {}

SavedValue SavedValue::of_number(const Scalar& value) {
  if (value.isBoolean()) return value.to<bool>();
  if (value.isIntegral(false)) return value.to<std::int64_t>();
  if (value.isComplex()) return value.to<std::complex<double>>();
  return value.to<double>();
}

bool SavedValue::isNone() const noexcept { return std::holds_alternative<std::monostate>(value_); }
bool SavedValue::isTensor() const noexcept { return std::holds_alternative<Tensor>(value_); }
bool SavedValue::isInt() const noexcept { return std::holds_alternative<std::int64_t>(value_); }
bool SavedValue::isDouble() const noexcept { return std::holds_alternative<double>(value_); }
bool SavedValue::isBool() const noexcept { return std::holds_alternative<bool>(value_); }

bool SavedValue::isScalar() const noexcept {
  return isBool() || isInt() || isDouble() || std::holds_alternative<std::complex<double>>(value_);
}

bool SavedValue::toBool() const { return get<bool>("a bool"); }
std::int64_t SavedValue::toInt() const { return get<std::int64_t>("an int"); }
double SavedValue::toDouble() const {
  return isInt() ? static_cast<double>(std::get<std::int64_t>(value_)) : get<double>("a double");
}
std::complex<double> SavedValue::toComplexDouble() const { return get<std::complex<double>>("a complex"); }
Scalar SavedValue::toScalar() const {
  LANEWISE_CHECK(ValueError, isScalar(), "saved_data: the value is not a number");
  if (isBool()) return toBool();
  if (isInt()) return toInt();
  return isDouble() ? Scalar(toDouble()) : Scalar(toComplexDouble());
}
const std::string& SavedValue::toStringRef() const { return get<std::string>("a string"); }
const Tensor& SavedValue::toTensor() const { return get<Tensor>("a Tensor"); }
const std::vector<Tensor>& SavedValue::toTensorVector() const {
  return get<std::vector<Tensor>>("a list of Tensors");
}
const std::vector<std::int64_t>& SavedValue::toIntVector() const {
  return get<std::vector<std::int64_t>>("a list of ints");
}
const std::vector<double>& SavedValue::toDoubleVector() const {
  return get<std::vector<double>>("a list of doubles");
}

}  // namespace lanewise::autograd
