#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include <lanewise/dispatch_isa/detail/observe.h>
#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/kept_order.h>
#include <lanewise/iterator/detail/operand_copy.h>
#include <lanewise/iterator/detail/part_reducer.h>
#include <lanewise/iterator/detail/reduced_rows.h>
#include <lanewise/iterator/detail/reduction_counter.h>
#include <lanewise/iterator/detail/reduction_element.h>
#include <lanewise/iterator/detail/reduction_plan.h>
#include <lanewise/iterator/reduction.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/kernels/detail/cpu_prefetch.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise {
namespace {

using detail::KeptDim;
using detail::kParallelElements;
using detail::ReducedRows;
using detail::ReductionCounter;
using detail::ReductionFunctions;
using detail::ReductionPlan;
using detail::Scratch;
using detail::scratch;
using kernels::kReductionBlock;

/// Of as many columns, in whole cache lines.
std::size_t acc_bytes_of(std::int64_t width, const ReductionFunctions& f) {
  return static_cast<std::size_t>(divup(width * static_cast<std::int64_t>(f.acc_size), 64) * 64);
}

/// One reduction: cut into units that threads share, each fed to the kernel by a PartReducer and then written as its values.
class Reducer {
 public:
  Reducer(const Tensor& self, DimMask dims, ScalarType element, const ReductionFunctions& functions,
          const kernels::KernelScalar& param, Tensor* values, Tensor* indices)
      : plan_(self, dims, element, functions.order_free && indices == nullptr, functions,
              in_parallel_region() ? 1 : get_num_threads()),
        f_(functions),
        acc_bytes_(acc_bytes_of(plan_.width, functions)),
        parts_(plan_, functions, acc_bytes_),
        movers_(*kernels::active_kernels().movers),
        param_(param) {
    if (values != nullptr) {
      values_ = static_cast<char*>(values->data_ptr());
      result_ = values->scalar_type();
    }
    if (indices != nullptr) indices_ = static_cast<std::int64_t*>(indices->data_ptr());
    blocks_ = divup(plan_.column.size, plan_.width);
    units_ = plan_.batches * blocks_;
    if (plan_.batches_at_once > 1) {
      joined_ = divup(plan_.batch[0].size, plan_.batches_at_once);
      units_ = plan_.batches / plan_.batch[0].size * joined_;
    }
  }

  void run() {
    const std::int64_t threads = get_num_threads();
    if (threads > 1 && units_ < 2 * threads && plan_.batches_at_once == 1 &&
        plan_.length >= 2 * kParallelElements / plan_.width) {
      run_split(units_, threads);
      return;
    }
    const std::int64_t work = plan_.length * plan_.width * plan_.batches_at_once;
    const std::int64_t grain = std::max<std::int64_t>(1, kParallelElements / std::max<std::int64_t>(1, work));
    parallel_for(0, units_, grain, [&](std::int64_t begin, std::int64_t end) {
      char* acc =
          scratch(Scratch::Accumulators, acc_bytes_ * static_cast<std::size_t>(plan_.batches_at_once));
      for (std::int64_t u = begin; u < end; ++u) {
        const Unit unit = unit_at(u);
        reduce_part(unit, 0, plan_.length, acc);
        finish(unit, acc);
      }
    });
  }

 private:
  /// Some columns of a batch, or all of some batches.
  struct Unit {
    std::int64_t offset;      ///< bytes from the data
    std::int64_t out_offset;  ///< elements
    std::int64_t width;
    std::int64_t batches = 1;

    std::int64_t columns() const { return width * batches; }
  };

  Unit unit_at(std::int64_t u) const {
    if (plan_.batches_at_once > 1) {
      const KeptDim& inner = plan_.batch[0];
      const std::int64_t first = u % joined_ * plan_.batches_at_once;
      return in_batch(u / joined_, 1,
                      {first * inner.stride, first * inner.out_stride, plan_.width,
                       std::min(plan_.batches_at_once, inner.size - first)});
    }
    const std::int64_t first = u % blocks_ * plan_.width;
    return in_batch(u / blocks_, 0,
                    {first / plan_.run * plan_.column.stride, first * plan_.column.out_stride,
                     std::min(plan_.width, plan_.column.size - first)});
  }
  /// A unit of the first batch, moved to another one of the dimensions from `d` on.
  Unit in_batch(std::int64_t batch, int d, Unit unit) const {
    for (; d < plan_.batch_dims; ++d) {
      const KeptDim& dim = plan_.batch[d];
      unit.offset += batch % dim.size * dim.stride;
      unit.out_offset += batch % dim.size * dim.out_stride;
      batch /= dim.size;
    }
    return unit;
  }

  /// Few results, long sequences: threads share a sequence in parts of 2^k leaves, which are nodes of the
  /// tree.
  void run_split(std::int64_t units, std::int64_t threads) {
    const std::int64_t least = std::max(kReductionBlock, kParallelElements / plan_.width);
    const std::int64_t wanted = std::max(least, plan_.length * units / (4 * threads));
    const std::int64_t part = std::max(
        kReductionBlock, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wanted))));
    const std::int64_t parts = divup(plan_.length, part);
    std::vector<char> memory(acc_bytes_ * static_cast<std::size_t>(units * parts) + 64);
    char* accs = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
    const auto acc_of = [&](std::int64_t i) { return accs + acc_bytes_ * static_cast<std::size_t>(i); };
    parallel_for(0, units * parts, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = i % parts * part;
        reduce_part(unit_at(i / parts), first, std::min(part, plan_.length - first), acc_of(i));
      }
    });
    for (std::int64_t u = 0; u < units; ++u) {
      const Unit unit = unit_at(u);
      ReductionCounter counter(f_, unit.width, acc_bytes_,
                               scratch(Scratch::Accumulators, ReductionCounter::bytes(acc_bytes_, parts)));
      for (std::int64_t i = 0; i < parts; ++i) {
        std::memcpy(counter.current(), acc_of(u * parts + i), acc_bytes_);
        counter.push();
      }
      finish(unit, counter.finish());
    }
  }

  void reduce_part(const Unit& unit, std::int64_t first, std::int64_t n, char* acc) {
    const char* data = plan_.data + unit.offset;
    parts_.reduce(data, unit.width, first, n, acc);
    // In this order: accumulators are written as whole cache lines, over the next ones' beginning.
    for (std::int64_t i = 1; i < unit.batches; ++i) {
      parts_.reduce(data + i * plan_.batch[0].stride, unit.width, first, n,
                    acc + i * unit.width * static_cast<std::int64_t>(f_.acc_size));
    }
  }

  void finish(const Unit& unit, const char* acc) {
    const auto columns = static_cast<std::size_t>(unit.columns());
    const bool dense = plan_.column.out_stride == 1 || columns == 1;
    const std::size_t value_size = element_size(f_.value_type);
    char* own = scratch(Scratch::Values, columns * (2 * 16 + sizeof(std::int64_t)));
    auto* positions = reinterpret_cast<std::int64_t*>(own + columns * 2 * 16);
    const bool direct = dense && values_ != nullptr && result_ == f_.value_type;
    char* value = direct ? values_ + static_cast<std::size_t>(unit.out_offset) * value_size : own;
    const bool direct_positions = dense && indices_ != nullptr;
    f_.finish(acc, unit.columns(), &param_, value,
              indices_ == nullptr ? nullptr
              : direct_positions  ? indices_ + unit.out_offset
                                  : positions);
    if (values_ != nullptr && !direct) {
      if (result_ != f_.value_type) {
        char* converted = own + columns * 16;
        movers_.convert[static_cast<std::size_t>(f_.value_type)][static_cast<std::size_t>(result_)](
            value, converted, unit.columns());
        value = converted;
      }
      store(value, values_, element_size(result_), unit);
    }
    if (indices_ != nullptr && !direct_positions) {
      store(reinterpret_cast<const char*>(positions), reinterpret_cast<char*>(indices_), sizeof(std::int64_t),
            unit);
    }
  }
  void store(const char* from, char* to, std::size_t size, const Unit& unit) {
    const auto bytes = static_cast<std::int64_t>(size);
    movers_.scatter[static_cast<std::size_t>(std::countr_zero(size))](
        from, to + unit.out_offset * bytes, plan_.column.out_stride * bytes, bytes, unit.columns(), 1,
        kernels::scatter_ahead);
  }

  ReductionPlan plan_;
  const ReductionFunctions& f_;
  std::size_t acc_bytes_;
  detail::PartReducer parts_;
  const kernels::Movers& movers_;
  kernels::KernelScalar param_;
  char* values_ = nullptr;
  ScalarType result_ = ScalarType::Undefined;
  std::int64_t* indices_ = nullptr;
  std::int64_t units_;
  std::int64_t blocks_;      ///< of columns
  std::int64_t joined_ = 1;  ///< units that batch[0] makes
};

/// What is reduced: `dims` of `self`, whose other dimensions are results, in order unless `kept` says in which, see
/// detail::kept_in_memory_order().
struct Reduced {
  const char* op;
  Tensor self;
  DimMask dims;
  DimVector kept;
  ScalarType element = ScalarType::Undefined;

  /// Allocated results; they may be replaced.
  void run(const ReductionFunctions& f, const kernels::KernelScalar& param, Tensor* values,
           Tensor* indices) const {
    if (kept.empty()) return Reducer(self, dims, element, f, param, values, indices).run();
    const IntArrayRef sizes(self.sizes().data(), kept.size());
    const auto like = [&](const Tensor* t) {
      return t != nullptr ? detail::empty_cpu(sizes, t->scalar_type()) : Tensor();
    };
    Tensor own_values = like(values), own_indices = like(indices);
    Reducer(self, dims, element, f, param, values != nullptr ? &own_values : nullptr,
            indices != nullptr ? &own_indices : nullptr)
        .run();
    if (values != nullptr) *values = detail::in_order(op, own_values, kept, values->sizes());
    if (indices != nullptr) *indices = detail::in_order(op, own_indices, kept, indices->sizes());
  }
};

/// Results of so many rows each, see detail::rows_last().
void reduce_by_rows(const Reduced& reduced, std::int64_t rows, const ReductionFunctions& f,
                    const kernels::KernelScalar& param, Tensor& values) {
  const auto& kernels = kernels::active_kernels();
  // A sum is what it was accumulated in.
  ReductionFunctions first = f;
  first.finish = kernels.reductions->sum->finish[static_cast<std::size_t>(reduced.element)];
  const std::int64_t width = values.numel();
  Tensor sums = detail::empty_cpu({rows * width}, f.value_type);
  reduced.run(first, {}, &sums, nullptr);
  auto* acc = static_cast<char*>(sums.data_ptr());
  detail::combine_rows(f, acc, rows, width);
  const bool direct = values.scalar_type() == f.value_type;
  const Tensor finished = direct ? values : detail::empty_cpu(values.sizes(), f.value_type);
  f.finish(acc, width, &param, static_cast<char*>(finished.data_ptr()), nullptr);
  if (direct) return;
  kernels.movers
      ->convert[static_cast<std::size_t>(f.value_type)][static_cast<std::size_t>(values.scalar_type())](
          static_cast<const char*>(finished.const_data_ptr()), static_cast<char*>(values.data_ptr()), width);
}

void run_reduction(const ReductionArgs& args, const Tensor& self, Tensor* values, Tensor* indices);

/// Kept dimensions that are expanded have one result, which is then repeated.
bool repeats_results(const ReductionArgs& args, const Tensor& self) {
  for (std::int64_t d = 0; d < self.dim(); ++d) {
    if (!((args.dims >> d) & 1) && self.stride(d) == 0 && self.size(d) > 1) return self.numel() > 0;
  }
  return false;
}
void reduce_and_repeat(const ReductionArgs& args, const Tensor& self, Tensor* values, Tensor* indices) {
  DimVector once(self.sizes());
  for (std::size_t d = 0; d < once.size(); ++d) {
    if (!((args.dims >> d) & 1) && self.strides()[d] == 0) once[d] = 1;
  }
  run_reduction(args, detail::make_view(self, once, self.strides(), self.storage_offset()), values, indices);
  const DimVector shape = reduced_shape(self.sizes(), args.dims, args.keepdim);
  for (Tensor* t : {values, indices}) {
    if (t == nullptr) continue;
    DimVector strides(t->strides());
    for (std::size_t d = 0; d < strides.size(); ++d) {
      if (t->sizes()[d] != shape[d]) strides[d] = 0;
    }
    *t = detail::contiguous_copy(args.op, detail::make_view(*t, shape, strides, 0));
  }
}

void run_reduction(const ReductionArgs& args, const Tensor& self, Tensor* values, Tensor* indices) {
  LANEWISE_CHECK(ValueError, self.defined(), args.op, ": the tensor is undefined");
  LANEWISE_CHECK(ShapeError, self.dim() <= kMaxReductionDims, args.op, ": at most ", kMaxReductionDims,
                 " dimensions can be reduced, found ", self.dim());
  if (repeats_results(args, self)) return reduce_and_repeat(args, self, values, indices);
  const kernels::ReductionKernel& kernel = *(kernels::active_kernels().reductions->*args.kernel);
  const ScalarType given = args.element == ScalarType::Undefined ? self.scalar_type() : args.element;
  const ReductionFunctions of_given(kernel, kernels::compute_type(given));
  LANEWISE_CHECK(DtypeError, of_given.inner != nullptr, args.op, ": not defined for ", given, " elements");

  Reduced reduced{args.op, self, args.dims, {}};
  const ReducedRows rows(self.sizes(), args.dims);
  const bool by_rows = of_given.by_rows && rows.count > 1;
  if (by_rows) {
    reduced.self = detail::rows_last(self, args.dims, rows);
    reduced.dims = detail::last_dims(self.dim(), std::popcount(rows.inner));
  }
  reduced.kept = detail::kept_in_memory_order(reduced.self, reduced.dims);
  if (!reduced.kept.empty()) {
    reduced.self = detail::kept_first(reduced.self, reduced.kept, reduced.dims);
    reduced.dims = detail::last_dims(self.dim(), self.dim() - static_cast<std::int64_t>(reduced.kept.size()));
  }
  reduced.element = detail::reduction_element(kernel, given, reduced.self, reduced.dims);
  const ReductionFunctions f = reduced.element == kernels::compute_type(given)
                                   ? of_given
                                   : ReductionFunctions(kernel, reduced.element);

  const DimVector shape = reduced_shape(self.sizes(), args.dims, args.keepdim);
  if (values != nullptr) {
    ScalarType result = args.result;
    if (result == ScalarType::Undefined) {
      const bool of_elements =
          f.value_type == reduced.element || f.value_type == kernels::compute_type(given);
      result = of_elements ? given : f.value_type;
    }
    *values = detail::empty_cpu(shape, result);
  }
  if (indices != nullptr) *indices = detail::empty_cpu(shape, kLong);
  if ((values != nullptr ? *values : *indices).numel() == 0) return;
  detail::note_path(detail::Path::Reduction);

  if (self.numel() >= ReductionPlan::kLeastCopied && !reduced.self.is_contiguous() &&
      ReductionPlan(reduced.self, reduced.dims, reduced.element, f.order_free && indices == nullptr, f)
          .is_better_copied())
    reduced.self = detail::contiguous_copy(args.op, reduced.self);
  if (by_rows) return reduce_by_rows(reduced, rows.count, f, args.param, *values);
  reduced.run(f, args.param, values, indices);
}

/// All elements of a contiguous tensor, so few that one thread reduces them where they lie: no plan is made.
/// Undefined where that does not hold.
Tensor reduce_at_once(const ReductionArgs& args, const Tensor& self) {
  constexpr std::size_t kAccBytes = 256, kRowBytes = kParallelElements / detail::kLeastRow * 16;
  const DimMask all = self.dim() < kMaxReductionDims ? (DimMask{1} << self.dim()) - 1 : ~DimMask{0};
  const std::int64_t n = self.numel();
  if ((args.dims & all) != all || args.keepdim || n == 0 || n > kParallelElements || !self.is_contiguous())
    return {};
  const kernels::ReductionKernel& kernel = *(kernels::active_kernels().reductions->*args.kernel);
  const ScalarType element = self.scalar_type();
  const auto i = static_cast<std::size_t>(element);
  const bool as_it_is = kernels::compute_type(element) == element &&
                        (args.element == ScalarType::Undefined || args.element == element) &&
                        (args.result == ScalarType::Undefined || args.result == kernel.value_type[i]);
  if (!as_it_is || kernel.inner[i] == nullptr || kernel.acc_size[i] > kAccBytes) return {};
  detail::note_path(detail::Path::Reduction);
  Tensor value = detail::empty_cpu({}, kernel.value_type[i]);
  const auto* x = static_cast<const char*>(self.const_data_ptr());
  if (self.dim() > 1 && n > detail::kLeastRow) {
    const ReductionFunctions f(kernel, element);
    const ReducedRows rows(self.sizes(), all);
    if (f.by_rows && rows.count > 1) {
      alignas(64) char accs[kRowBytes];
      const std::int64_t length = n / rows.count;
      f.reduce_runs(x, length, length * static_cast<std::int64_t>(self.itemsize()), rows.count, 0,
                    kernels::kPrefetchBytes, accs);
      detail::combine_rows(f, accs, rows.count, 1);
      f.finish(accs, 1, &args.param, static_cast<char*>(value.data_ptr()), nullptr);
      return value;
    }
  }
  alignas(64) char acc[kAccBytes];
  kernel.inner[i](x, n, 0, kernels::kPrefetchBytes, acc);
  kernel.finish[i](acc, 1, &args.param, static_cast<char*>(value.data_ptr()), nullptr);
  return value;
}

}  // namespace

DimVector reduced_shape(IntArrayRef sizes, DimMask dims, bool keepdim) {
  DimVector shape;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (!((dims >> d) & 1)) {
      shape.push_back(sizes[d]);
    } else if (keepdim) {
      shape.push_back(1);
    }
  }
  return shape;
}

Tensor reduce(const ReductionArgs& args, const Tensor& self) {
  Tensor values = reduce_at_once(args, self);
  if (values.defined()) return values;
  run_reduction(args, self, &values, nullptr);
  return values;
}

Tensor reduce_with_index(const ReductionArgs& args, const Tensor& self, Tensor* values) {
  Tensor indices;
  run_reduction(args, self, values, &indices);
  return indices;
}

}  // namespace lanewise
