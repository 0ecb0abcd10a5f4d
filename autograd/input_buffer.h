#pragma once

#include <cstdint>

#include <lanewise/autograd/node.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

/// Adds `grad` to what arrived before at the same input of a node; undefined gradients are zeros that cost
/// nothing. In place if the sum so far, or `grad`, belongs to nobody else and no graph of the backward is
/// recorded.
LANEWISE_API void accumulate_into(Tensor& sum, Tensor&& grad);

/// Makes `grad`, which `producer` sends to an input that expects `expected`, fit: sums broadcast dimensions,
/// keeps the real part for a real input, casts the dtype. Throws AutogradError where the shape does not
/// reduce to the expected.
LANEWISE_API void validate_gradient(const Node& producer, std::size_t output, const InputMetadata& expected,
                                    Tensor& grad);

/// Whether a tensor of `shape` can be broadcast to `desired`.
bool is_expandable_to(IntArrayRef shape, IntArrayRef desired) noexcept;

/// Sums `t` down to `shape`, from which it could have been broadcast. Differentiable.
LANEWISE_API Tensor sum_to_shape(const Tensor& t, IntArrayRef shape);

}  // namespace lanewise::autograd
