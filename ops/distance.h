#pragma once

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

/// Whether distance_gradients() knows norm p: 1, 2 and infinity.
LANEWISE_API bool has_distance_gradients(double p);
/// What cdist_forward's distances [..., P, R] give back to a [..., P, M] for `weights` of their shape: the sums over the rows of
/// b [..., R, M] of weight * slope of the norm at a - b; for p = 2 the weights come divided by the distances. Batches are equal;
/// with `turned` weights and distances are [..., R, P]. Never holds [P, R, M].
LANEWISE_API Tensor distance_gradients(const Tensor& weights, const Tensor& distances, const Tensor& a,
                                       const Tensor& b, double p, bool turned);
/// The pairs of pdist_forward as a symmetric matrix [N, N] with zeros in its diagonal.
LANEWISE_API Tensor pairs_as_matrix(const Tensor& pairs, std::int64_t n);

}  // namespace lanewise::ops
