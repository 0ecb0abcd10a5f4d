#include <lanewise/optim/lr_scheduler.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {

void LRScheduler::step() {
  ++steps_;
  for (OptimizerParamGroup& group : optimizer_.param_groups())
    group.options().set_lr(next_lr(group.options().get_lr(), steps_));
}

StepLR::StepLR(Optimizer& optimizer, std::int64_t step_size, double gamma)
    : LRScheduler(optimizer), step_size_(step_size), gamma_(gamma) {
  LANEWISE_CHECK(ValueError, step_size > 0, "StepLR: step_size is ", step_size,
                 ", expected a positive number");
}

}  // namespace lanewise::optim
