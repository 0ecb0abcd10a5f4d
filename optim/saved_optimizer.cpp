// Optimizers as tensors by name, for save() and load().

#include <charconv>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <lanewise/autograd/grad_mode.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/optim/optimizer.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {
namespace {

constexpr std::string_view kGroups = "param_groups", kState = "state", kParams = "params";

std::string joined(std::string_view part, std::size_t index, std::string_view name) {
  return std::string(part) + "." + std::to_string(index) + "." + std::string(name);
}

/// The numbers of a group's parameters, which come one after the other.
Tensor numbers(std::size_t first, std::size_t count) {
  return arange(static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + count));
}

/// What was saved, by the group or the parameter that it is of.
struct Saved {
  std::vector<NamedTensors> groups;
  std::vector<ParameterState> states;

  /// Throws ValueError for a name that is not of one of so many groups or parameters.
  Saved(const char* optimizer, const NamedTensors& tensors, std::size_t group_count,
        std::size_t parameter_count)
      : groups(group_count), states(parameter_count) {
    for (const auto& [name, value] : tensors) {
      const std::string_view text = name;
      const std::size_t first = text.find('.');
      const std::size_t second = first == text.npos ? text.npos : text.find('.', first + 1);
      const bool of_group = text.substr(0, first) == kGroups, of_state = text.substr(0, first) == kState;
      std::size_t index = 0;
      const std::string_view number =
          second == text.npos ? std::string_view() : text.substr(first + 1, second - first - 1);
      const std::errc error = std::from_chars(number.data(), number.data() + number.size(), index).ec;
      LANEWISE_CHECK(ValueError,
                     (of_group || of_state) && error == std::errc() && number == std::to_string(index),
                     optimizer, ": '", name, "' is no part of a saved optimizer");
      std::vector<NamedTensors>& all = of_group ? groups : states;
      LANEWISE_CHECK(
          ValueError, index < all.size(), optimizer, ": loaded state dict has a different number of ",
          of_group ? "parameter groups" : "parameters", ": '", name, "', but the optimizer has ", all.size());
      all[index][std::string(text.substr(second + 1))] = value;
    }
  }
};

}  // namespace

NamedTensors Optimizer::named_tensors() const {
  NamedTensors all;
  std::size_t first = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (auto& [name, value] : groups_[g].options().named_tensors()) {
      LANEWISE_CHECK(ValueError, name != kParams, name_, ": no setting can be saved as '", kParams, "'");
      all[joined(kGroups, g, name)] = value;
    }
    const std::size_t count = groups_[g].params().size();
    all[joined(kGroups, g, kParams)] = numbers(first, count);
    first += count;
  }
  const std::vector<ParameterState> states = state_dict();
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const auto& [name, value] : states[i]) all[joined(kState, i, name)] = value;
  }
  return all;
}

void Optimizer::load_named_tensors(const NamedTensors& tensors) {
  const NoGradGuard no_grad;
  Saved saved(name_, tensors, groups_.size(), size());
  std::vector<std::unique_ptr<OptimizerOptions>> options;
  std::size_t first = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t count = groups_[g].params().size();
    auto params = saved.groups[g].extract(std::string(kParams));
    LANEWISE_CHECK(ValueError, !params.empty(), name_,
                   ": loaded state dict has a different number of parameter groups: there is no group ", g);
    LANEWISE_CHECK(
        ValueError,
        params.mapped().defined() && params.mapped().scalar_type() == kLong &&
            params.mapped().equal(numbers(first, count)),
        name_,
        ": loaded state dict contains a parameter group that has a different size than the optimizer's "
        "parameter group: group ",
        g, " has ", count, " parameters");
    first += count;
    options.push_back(groups_[g].options().clone());
    options.back()->load_named_tensors(saved.groups[g]);
    check(*options.back());
  }
  load_state_dict(saved.states);
  for (std::size_t g = 0; g < groups_.size(); ++g) groups_[g].set_options(std::move(options[g]));
}

}  // namespace lanewise::optim
