#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/autograd/autograd.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/node.h>
#include <lanewise/autograd/record.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/tensor_literal.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/formatting.h>
#include <lanewise/tensor/warnings.h>

namespace lanewise::autograd {

/// A double leaf that requires a gradient.
inline Tensor leaf(const TensorLiteral& values) {
  return tensor(values, TensorOptions(kDouble)).requires_grad_();
}
inline Tensor constant(const TensorLiteral& values) { return tensor(values, TensorOptions(kDouble)); }

inline std::vector<double> values(const Tensor& t) {
  const Tensor flat = t.detach().to(kDouble).contiguous();
  const double* first = flat.const_data_ptr<double>();
  return std::vector<double>(first, first + flat.numel());
}

/// Collects this thread's warnings.
class WarningCapture : public WarningHandler {
 public:
  WarningCapture() : guard_(this) {}
  void process(const Warning& warning) override { messages_.push_back(warning.msg()); }
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  std::vector<std::string> messages_;
  WarningUtils::WarningHandlerGuard guard_;
};

inline std::string next_name(const Node& node, std::size_t i) {
  return node.next_edge(i).is_valid() ? node.next_edge(i).function->name() : "none";
}

}  // namespace lanewise::autograd

/// The values of a tensor in logical order, exactly.
#define EXPECT_VALUES(tensor, ...) \
  EXPECT_EQ(::lanewise::autograd::values(tensor), (std::vector<double>{__VA_ARGS__}))
