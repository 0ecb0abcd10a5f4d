#pragma once

#include <optional>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

/// p-norms of the differences of rows, without autograd. Floating, halves in f32.
///
/// Throws   ShapeError, DtypeError; ValueError if p is negative
namespace lanewise::ops {

/// Of every row of x1 [..., P, M] and every row of x2 [..., R, M], whose other dims broadcast: [..., P, R].
LANEWISE_API Tensor cdist_forward(const Tensor& x1, const Tensor& x2, double p);
/// Of every row of [N, M] and every later one: [N (N - 1) / 2].
LANEWISE_API Tensor pdist_forward(const Tensor& self, double p);

}  // namespace lanewise::ops
