#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <lanewise/autograd/node.h>
#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

struct CheckpointOptions {
  /// The second run draws the same random numbers from the process-wide generator.
  bool preserve_rng_state = true;
};

/// fn(inputs) without keeping what its ops save for the backward: the backward runs `fn` again, to get it
/// back. Trades time for memory; gradients are the same bits, also of tensors that `fn` captures. Checkpoints
/// may lie in each other, and the backward can be recorded for second derivatives. With dual or batched
/// tensors about, `fn` runs as usual.
///
/// `fn` must do the same both times. Throws AutogradError in the backward if the second run gives other
/// shapes or dtypes, or depends on other tensors.
LANEWISE_API variable_list checkpoint(const std::function<variable_list(const variable_list& inputs)>& fn,
                                      const variable_list& inputs, const CheckpointOptions& options = {});
LANEWISE_API Tensor checkpoint(const std::function<Tensor(const Tensor& input)>& fn, const Tensor& input,
                               const CheckpointOptions& options = {});

/// The functions one after the other, in `segments` checkpoints of equal length; the last one is not
/// checkpointed.
LANEWISE_API Tensor
checkpoint_sequential(const std::vector<std::function<Tensor(const Tensor& input)>>& functions,
                      std::int64_t segments, const Tensor& input, const CheckpointOptions& options = {});

}  // namespace lanewise::autograd
