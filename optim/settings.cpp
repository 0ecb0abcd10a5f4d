#include <algorithm>
#include <cstring>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/optim/options.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {
namespace {

using Pair = std::tuple<double, double>;

Tensor saved(double value) { return full({}, value, kDouble); }
Tensor saved(std::int64_t value) { return full({}, value, kLong); }
Tensor saved(bool value) { return full({}, value, kBool); }

Tensor saved(const Pair& value) {
  Tensor both = empty({2}, kDouble);
  std::tie(both.data_ptr<double>()[0], both.data_ptr<double>()[1]) = value;
  return both;
}

Tensor saved(const std::string& value) {
  Tensor bytes = empty({static_cast<std::int64_t>(value.size())}, kByte);
  std::copy(value.begin(), value.end(), static_cast<char*>(bytes.data_ptr()));
  return bytes;
}

/// Undefined for none.
template <class Value>
Tensor saved(const std::optional<Value>& value) {
  return value ? saved(*value) : Tensor();
}

/// The tensor that was saved of a setting; undefined if there is none.
struct Found {
  const char* name;
  Tensor tensor;

  /// Throws ValueError unless it is of this dtype and of `numel` elements, or of any number if that is < 0.
  const Tensor& as(ScalarType dtype, std::int64_t numel) const {
    LANEWISE_CHECK(ValueError, tensor.defined(), "load: the setting ", name, " is missing");
    LANEWISE_CHECK(ValueError, tensor.scalar_type() == dtype && (numel < 0 || tensor.numel() == numel),
                   "load: the setting ", name, " is ", tensor.scalar_type(), " of shape ", tensor.sizes(),
                   ", expected ", dtype, " of ", numel, " elements");
    return tensor;
  }

  void load(double& value) const { value = as(kDouble, 1).item().to<double>(); }
  void load(std::int64_t& value) const { value = as(kLong, 1).item().to<std::int64_t>(); }
  void load(bool& value) const { value = as(kBool, 1).item().to<bool>(); }
  void load(Pair& value) const {
    const Tensor both = as(kDouble, 2).contiguous();
    value = {both.data_ptr<double>()[0], both.data_ptr<double>()[1]};
  }
  void load(std::string& value) const {
    const Tensor bytes = as(kByte, -1).contiguous();
    value.assign(static_cast<const char*>(bytes.data_ptr()), static_cast<std::size_t>(bytes.numel()));
  }
  template <class Value>
  void load(std::optional<Value>& value) const {
    if (tensor.defined()) {
      load(value.emplace());
    } else {
      value.reset();
    }
  }
};

}  // namespace

std::vector<Setting> OptimizerOptions::settings() {
  lanewise::detail::raise<NotImplementedError>(
      "save: these options do not say what they consist of; override settings()");
}

NamedTensors OptimizerOptions::named_tensors() const {
  NamedTensors all;
  for (const Setting& setting : const_cast<OptimizerOptions&>(*this).settings()) {
    Tensor t = std::visit([](const auto* value) { return saved(*value); }, setting.place);
    if (t.defined()) all[setting.name] = std::move(t);
  }
  return all;
}

void OptimizerOptions::load_named_tensors(const NamedTensors& tensors) {
  const std::vector<Setting> own = settings();
  for (const auto& [name, tensor] : tensors) {
    const bool known = std::any_of(own.begin(), own.end(), [&](const Setting& s) { return s.name == name; });
    LANEWISE_CHECK(ValueError, known, "load: the setting ", name, " is another optimizer's");
  }
  for (const Setting& setting : own) {
    const auto found = tensors.find(setting.name);
    const Found tensor{setting.name, found == tensors.end() ? Tensor() : found->second};
    std::visit([&](auto* value) { tensor.load(*value); }, setting.place);
  }
}

bool OptimizerOptions::same_settings(const OptimizerOptions& other) const {
  const std::vector<Setting> own = const_cast<OptimizerOptions&>(*this).settings(),
                             others = const_cast<OptimizerOptions&>(other).settings();
  return std::equal(
      own.begin(), own.end(), others.begin(), others.end(), [](const Setting& a, const Setting& b) {
        return std::string_view(a.name) == b.name && a.place.index() == b.place.index() &&
               std::visit(
                   [&](const auto& value) {
                     return *value == **std::get_if<std::remove_cvref_t<decltype(value)>>(&b.place);
                   },
                   a.place);
      });
}

}  // namespace lanewise::optim
