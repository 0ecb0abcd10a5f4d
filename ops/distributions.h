#pragma once

#include <cstdint>
#include <optional>

#include <lanewise/tensor/tensor.h>

/// Random numbers drawn into a tensor of any layout, in logical order, so that they depend on the seed, the
/// number of the draw and the position alone. No autograd. All throw StorageError if self overlaps itself,
/// DtypeError for a dtype that cannot hold the distribution, ValueError for parameters outside of its domain.
namespace lanewise::ops {

/// Throws DtypeError, beginning with `op`, unless self is floating, or complex where that will do.
void check_floating_self(const char* op, const Tensor& self, bool complex_too = false);

/// Uniform in [from, to); floating and complex dtypes.
Tensor& uniform_(Tensor& self, double from, double to);
/// Normal; floating and complex dtypes, where std is that of the modulus.
Tensor& normal_(Tensor& self, double mean, double std);
/// Integers in [from, to); without `to` up to the largest that the dtype tells from its neighbours, included.
Tensor& random_(Tensor& self, std::int64_t from, std::optional<std::int64_t> to);
/// Integers in [0, to).
Tensor& random_(Tensor& self, std::int64_t to);
/// Integers from 0 up to the largest that the dtype tells from its neighbours, included.
Tensor& random_(Tensor& self);
/// 1 with probability p, else 0; any dtype but complex.
Tensor& bernoulli_(Tensor& self, double p);
/// The same with a probability for each element, broadcast to self.
Tensor& bernoulli_(Tensor& self, const Tensor& p);
/// Density lambd exp(-lambd x).
Tensor& exponential_(Tensor& self, double lambd);
/// Trials until the first success, whose probability is p: 1, 2, ...; any dtype but bool and complex.
Tensor& geometric_(Tensor& self, double p);
/// Density of a Cauchy distribution around `median` with half its width at half maximum `sigma`.
Tensor& cauchy_(Tensor& self, double median, double sigma);
/// exp of a normal number.
Tensor& log_normal_(Tensor& self, double mean, double std);

/// Normal numbers of the broadcast shape of their parameters, whose dtype is floating or complex; std must
/// not be negative.
Tensor normal(const Tensor& mean, double std);
Tensor normal(double mean, const Tensor& std);
Tensor normal(const Tensor& mean, const Tensor& std);

/// Zeros and ones with the probabilities that self holds. Floating dtypes.
Tensor bernoulli(const Tensor& self);
/// The same with one probability, in the shape and dtype of self.
Tensor bernoulli(const Tensor& self, double p);

/// Counts of events at the rates that self holds, of its dtype, which is floating; NaN and infinity stay. Throws ValueError
/// for a negative rate.
Tensor poisson(const Tensor& self);

/// Draws of gamma distributions of rate 1 and the shapes that self holds, of its dtype, which is floating, and at least its
/// smallest normal number. Throws ValueError for a negative shape.
Tensor standard_gamma(const Tensor& self);
/// What such a draw `output` moves with its shape: the derivative of the inverse distribution function by the shape. Good to
/// 10^-9 (f64). NaN outside of the domain.
Tensor standard_gamma_grad(const Tensor& self, const Tensor& output);

/// Uniform in [0, 1) in f64, from which the other distributions are made: 53 bits reach far into their tails. `op` begins errors.
Tensor unit_draws(const char* op, IntArrayRef sizes);

/// `num_samples` indices of categories, for each row of the weights `self`, [categories] or [rows,
/// categories] of a floating dtype, which need not sum to one. Without replacement each is drawn once at
/// most. int64. Throws ValueError for weights that are negative, infinite or NaN, for rows that sum to zero,
/// and for more samples than there are categories to draw.
Tensor multinomial(const Tensor& self, std::int64_t num_samples, bool replacement);

}  // namespace lanewise::ops
