#include <array>
#include <span>

#include <lanewise/iterator/detail/chosen_run.h>
#include <lanewise/iterator/detail/halves.h>
#include <lanewise/iterator/detail/number.h>
#include <lanewise/iterator/detail/roles.h>
#include <lanewise/iterator/detail/tile_job.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/kernels/kernel_table.h>

// From an iterator to the tile loops.
namespace lanewise {

namespace {

using TileTypes = std::array<ScalarType, detail::kMaxTileOperands>;

/// What a kernel sees of its operands. Not inlined, or there would be one copy of the loops for each type to compute in.
[[gnu::noinline]] TileTypes tile_types(const kernels::ElementwiseKernel& kernel, ScalarType compute,
                                       std::span<const IteratorOperand> operands) {
  TileTypes types;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    types[i] = detail::role_type(kernel.roles[i], compute);
  }
  // Truth is written as the bytes 0 and 1: as numbers they need no test, and next to bytes no tile.
  for (std::size_t i = 0; i < kernel.num_outputs; ++i) {
    const ScalarType memory = operands[i].memory;
    if (kernel.roles[i] == kernels::Role::Bool && memory != ScalarType::Bool)
      types[i] = memory == ScalarType::Char ? memory : ScalarType::Byte;
  }
  return types;
}

}  // namespace

void TensorIterator::run(RunFn fn, const kernels::KernelScalar* context, std::span<const ScalarType> types,
                         RunOptions options) const {
  LANEWISE_CHECK(NotImplementedError, ntensors() <= detail::kMaxTileOperands, op_, ": ", ntensors(),
                 " operands, but tiles have at most ", detail::kMaxTileOperands);
  LANEWISE_ASSERT(types.size() == operands_.size());
  detail::TileJob job;
  job.ndim = ndim() == 1 && shape_[0] == 1 ? 0 : ndim();
  job.shape = shape_.data();
  job.outputs = num_outputs_;
  job.operands = ntensors();
  job.fn = fn;
  job.context = context;
  job.movers = kernels::active_kernels().movers;
  job.cost = options.cost;
  job.grain = options.grain;
  job.block = options.block;
  job.in_order = options.in_order || serial_;
  job.serial = job.in_order;
  job.identity = options.copies;
  job.streams = options.streams;
  job.rows = options.rows;
  for (int i = 0; i < ntensors(); ++i) {
    const IteratorOperand& o = operand(i);
    job.operand[static_cast<std::size_t>(i)] = {o.address(), o.strides.data(), o.memory,
                                                types[static_cast<std::size_t>(i)]};
  }
  for (int i = 0; i < num_outputs_; ++i) {
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      job.serial |= operand(i).strides[d] == 0 && shape_[d] > 1;  // several elements write to one place
    }
  }
  if (options.kernel != nullptr) detail::take_halves(job, *options.kernel, common_dtype());
  detail::run_tiles(job);
}

void TensorIterator::for_each(const kernels::ElementwiseKernel& kernel,
                              std::initializer_list<Scalar> params) {
  InlineVector<kernels::KernelScalar, 8> converted;
  for (const Scalar& param : params) {
    converted.push_back(detail::kernel_scalar(param));
  }
  for_each(kernel, std::span<const kernels::KernelScalar>(converted.data(), converted.size()));
}

void TensorIterator::for_each(const kernels::ElementwiseKernel& kernel,
                              std::span<const kernels::KernelScalar> params) {
  LANEWISE_CHECK(ValueError, noutputs() == kernel.num_outputs && ninputs() == kernel.num_inputs, op_,
                 ": the kernel has ", int{kernel.num_outputs}, " outputs and ", int{kernel.num_inputs},
                 " inputs, the iterator ", noutputs(), " and ", ninputs());
  const ScalarType compute = kernels::compute_type(common_dtype());
  const detail::ChosenRun chosen = detail::choose_run(kernel, common_dtype(), numel());
  LANEWISE_CHECK(DtypeError, chosen.fn != nullptr, op_, ": not implemented for '", common_dtype(), "'");
  const TileTypes types = tile_types(kernel, compute, {operands_.data(), operands_.size()});
  std::array<kernels::KernelScalar, 2> padded = detail::kDefaultParams;
  if (params.size() == 1) padded[0] = params[0];
  run(chosen.fn, params.size() < padded.size() ? padded.data() : params.data(),
      {types.data(), operands_.size()},
      {.cost = kernel.cost,
       .in_order = false,
       .copies = detail::only_copies(kernel),
       .grain = chosen.grain,
       .block = chosen.block,
       .streams = (kernel.streams >> static_cast<int>(compute) & 1) != 0,
       .rows = chosen.rows,
       .kernel = compute != common_dtype() ? &kernel : nullptr});
}

}  // namespace lanewise
