#pragma once

#include <lanewise/kernels/kernel_fields.h>

/// Every kernel of one tier: a definition that the table does not know, or of another type, does not link or
/// compile. Included by per-ISA files.
namespace lanewise::kernels::LANEWISE_ISA {

// Pointwise ops of derivatives.yaml, a line each: extern const ElementwiseKernel <name>;
#include <lanewise/generated/kernel_table_declarations.inc>

extern const ElementwiseKernel sgd_step;
extern const ElementwiseKernel sgd_step_plain;
extern const ElementwiseKernel adam_step;
extern const ElementwiseKernel adam_step_amsgrad;
extern const ElementwiseKernel rmsprop_step;
extern const ElementwiseKernel rmsprop_step_full;
extern const ElementwiseKernel adagrad_step;

extern const IndexedKernel uniform;
extern const IndexedKernel normal;
extern const IndexedKernel random_int;
extern const IndexedKernel bernoulli;
extern const IndexedKernel arange;
extern const IndexedKernel linspace;

bool in_bounds(const std::int64_t* values, std::int64_t n, std::int64_t size) noexcept;
std::int64_t count_set(const std::uint8_t* mask, std::int64_t n) noexcept;
std::int64_t positions_set(const std::uint8_t* mask, std::int64_t n, std::int64_t first,
                           std::int64_t* to) noexcept;

extern const Movers movers;

/// The one symbol of a tier that the rest of the library sees.
extern const KernelTable table;

}  // namespace lanewise::kernels::LANEWISE_ISA
