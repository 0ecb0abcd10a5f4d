#pragma once

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise::testing {

/// The gradients of sum(w * y), where they will not be differentiated again and where they may be, which is other code for
/// some ops: equal up to `error`, and with the shapes and dtypes of the inputs.
inline void expect_same_gradients(const Tensor& y, const autograd::variable_list& inputs, double error) {
  const Tensor w = randn(y.sizes()).to(y.scalar_type());
  const autograd::variable_list plain = autograd::grad({y}, inputs, {w}, true);
  const autograd::variable_list again = autograd::grad({y}, inputs, {w}, true, true);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_EQ(plain[i].sizes(), inputs[i].sizes());
    ASSERT_EQ(plain[i].scalar_type(), inputs[i].scalar_type());
    EXPECT_TRUE(allclose(plain[i].to(kDouble), again[i].detach().to(kDouble), error, error))
        << "input " << i << " " << inputs[i].sizes() << " " << inputs[i].scalar_type();
  }
}

}  // namespace lanewise::testing
