#include <algorithm>
#include <iterator>

#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/optim/lbfgs.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise::optim {
namespace {

Tensor of_numbers(const double* values, std::size_t count) {
  Tensor all = empty({static_cast<std::int64_t>(count)}, kDouble);
  std::copy_n(values, count, all.data_ptr<double>());
  return all;
}

constexpr const char* kNames[] = {"numbers", "d", "prev_flat_grad", "ro", "old_dirs", "old_stps"};

}  // namespace

ParameterState LBFGS::saved(const OptimizerParamState& state) const {
  const auto& own = static_cast<const LBFGSParamState&>(state);
  ParameterState all;
  if (!own.d().defined()) return all;
  const double numbers[] = {static_cast<double>(own.func_evals()), static_cast<double>(own.n_iter()), own.t(),
                            own.prev_loss(), own.H_diag()};
  all["numbers"] = of_numbers(numbers, 5);
  all["d"] = own.d();
  all["prev_flat_grad"] = own.prev_flat_grad();
  if (own.ro().empty()) return all;
  all["ro"] = of_numbers(own.ro().data(), own.ro().size());
  all["old_dirs"] = stack(own.old_dirs());
  all["old_stps"] = stack(own.old_stps());
  return all;
}

std::unique_ptr<OptimizerParamState> LBFGS::restored(const ParameterState& state) const {
  ScalarType dtype = parameters()[0].scalar_type();
  std::int64_t count = 0;
  for (const Tensor& p : parameters()) {
    dtype = promote_types(dtype, p.scalar_type());
    count += p.numel();
  }
  const auto part = [&](const char* key, IntArrayRef shape, ScalarType type) {
    const auto found = state.find(key);
    LANEWISE_CHECK(ValueError, found != state.end(), name(), "::load_state_dict: ", key, " is missing");
    check_saved(key, found->second, 0, shape, type);
    return found->second.contiguous();
  };
  for (const auto& [key, value] : state) {
    const bool known =
        std::any_of(std::begin(kNames), std::end(kNames), [&](const char* each) { return key == each; });
    LANEWISE_CHECK(ValueError, known, name(), "::load_state_dict: ", key, " is another optimizer's");
  }
  auto own = std::make_unique<LBFGSParamState>();
  own->d(part("d", {count}, dtype));
  own->prev_flat_grad(part("prev_flat_grad", {count}, dtype));
  const Tensor numbers = part("numbers", {5}, kDouble);
  const double* number = numbers.data_ptr<double>();
  for (int i = 0; i < 2; ++i) {
    LANEWISE_CHECK(ValueError, number[i] >= 0 && number[i] < 0x1p53, name(),
                   "::load_state_dict: numbers begin with ", number[i], ", expected counts");
  }
  own->func_evals(static_cast<std::int64_t>(number[0])).n_iter(static_cast<std::int64_t>(number[1]));
  own->t(number[2]).prev_loss(number[3]).H_diag(number[4]);
  const auto list = state.find("ro");
  if (list == state.end()) return own;
  const std::int64_t changes = list->second.numel();
  const Tensor ro = part("ro", {changes}, kDouble);
  const Tensor dirs = part("old_dirs", {changes, count}, dtype),
               steps = part("old_stps", {changes, count}, dtype);
  for (std::int64_t i = 0; i < changes; ++i) {
    own->ro().push_back(ro.data_ptr<double>()[i]);
    own->old_dirs().push_back(dirs[i].clone());  // alone in its memory, which goes with it
    own->old_stps().push_back(steps[i].clone());
  }
  return own;
}

}  // namespace lanewise::optim
