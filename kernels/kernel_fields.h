#pragma once

#include <lanewise/kernels/add_rows_table.h>
#include <lanewise/kernels/distance_table.h>
#include <lanewise/kernels/gemm_table.h>
#include <lanewise/kernels/kernel.h>
#include <lanewise/kernels/normalization_table.h>
#include <lanewise/kernels/rank_table.h>
#include <lanewise/kernels/reduction_table.h>
#include <lanewise/kernels/scan_table.h>
#include <lanewise/kernels/softmax_table.h>

namespace lanewise::kernels {

inline constexpr std::int64_t kPositionsPadding = 8;

/// Every kernel of one instruction set, as constant data. A kernel that a tier lacks is an undefined symbol
/// when the library is linked. Plain data: per-ISA files include this header.
struct KernelTable {
  // Pointwise ops of derivatives.yaml, a line each: const ElementwiseKernel* <name>;
#include <lanewise/generated/kernel_table_fields.inc>

  /// One pass of SGD with momentum: out (p, buf), in (p, grad, buf).
  /// Params   lr, momentum, dampening, weight_decay, nesterov (0 or 1), first_step (1: buf starts as the
  ///          gradient)
  const ElementwiseKernel* sgd_step;
  /// SGD without momentum: out p, in (p, grad). Params: lr, weight_decay.
  const ElementwiseKernel* sgd_step_plain;
  /// One pass of Adam: out (p, m, v), in (p, grad, m, v).
  /// Params   lr, beta1, beta2, eps, weight_decay, decoupled (1: AdamW), bias_correction1, bias_correction2,
  ///          where bias_correction is 1 - beta^step
  const ElementwiseKernel* adam_step;
  /// The same with the running maximum of v: out (p, m, v, vmax), in (p, grad, m, v, vmax).
  const ElementwiseKernel* adam_step_amsgrad;
  /// One pass of RMSprop: out (p, square), in (p, grad, square). Params: lr, alpha, eps, weight_decay.
  const ElementwiseKernel* rmsprop_step;
  /// The same with momentum and centering: out (p, square, buf, mean), in (p, grad, square, buf, mean).
  /// Params   lr, alpha, eps, weight_decay, momentum, centered (0 or 1)
  const ElementwiseKernel* rmsprop_step_full;
  /// One pass of Adagrad: out (p, sum), in (p, grad, sum). Params: lr, eps, weight_decay.
  const ElementwiseKernel* adagrad_step;

  // Random numbers: params[0].i is the seed, params[1].i the number of the draw (see philox.h for the
  // mapping).
  /// Uniform in [params[2], params[3]); from 24 random bits for f32, 53 for f64.
  const IndexedKernel* uniform;
  /// Normal with mean params[2] and standard deviation params[3], which is that of the modulus for complex
  /// types.
  const IndexedKernel* normal;
  /// Integers in [params[2].i, params[3].i); equal bounds stand for all 64 bits.
  const IndexedKernel* random_int;
  /// 1 with probability params[2], else 0.
  const IndexedKernel* bernoulli;
  /// params[0] + i * params[1].
  const IndexedKernel* arange;
  /// params[2].i values from params[0] to params[1], both included. Counted from the nearer end, so both are
  /// exact.
  const IndexedKernel* linspace;

  /// Whether 0 <= v < size for all n values, size > 0.
  bool (*in_bounds)(const std::int64_t* values, std::int64_t n, std::int64_t size) noexcept;
  /// How many of n bytes are not 0.
  std::int64_t (*count_set)(const std::uint8_t* mask, std::int64_t n) noexcept;
  /// first + i for every mask[i] that is not 0, and returns how many. `to` has room for kPositionsPadding
  /// more than n, and anything may be behind them.
  std::int64_t (*positions_set)(const std::uint8_t* mask, std::int64_t n, std::int64_t first,
                                std::int64_t* to) noexcept;

  const Movers* movers;
  const AddRowsTable* add_rows;
  const ReductionTable* reductions;
  const SoftmaxTable* softmax;
  const ScanTable* scans;
  const GemmTable* gemm;
  const DistanceTable* distances;
  const RankTable* ranks;
  const NormalizationTable* normalizations;
};

}  // namespace lanewise::kernels
