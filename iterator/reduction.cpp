#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include <lanewise/dispatch_isa/detail/observe.h>
#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/reduction_counter.h>
#include <lanewise/iterator/detail/reduction_element.h>
#include <lanewise/iterator/detail/reduction_plan.h>
#include <lanewise/iterator/detail/stream_prefetch.h>
#include <lanewise/iterator/reduction.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise {
namespace {

using detail::KeptDim;
using detail::kFewColumns;
using detail::ReductionCounter;
using detail::ReductionFunctions;
using detail::ReductionPath;
using detail::ReductionPlan;
using detail::Scratch;
using detail::scratch;
using kernels::kReductionBlock;

/// Elements that make it worth waking another thread.
constexpr std::int64_t kParallelElements = std::int64_t{1} << 16;

constexpr std::size_t round_up(std::size_t n) { return (n + 63) / 64 * 64; }

class Reducer {
 public:
  Reducer(const ReductionArgs& args, const Tensor& self, ScalarType element,
          const ReductionFunctions& functions, Tensor* values, Tensor* indices)
      : plan_(self, args.dims, element, functions.order_free && indices == nullptr, functions.together),
        f_(functions),
        movers_(*kernels::active_kernels().movers),
        param_(args.param) {
    convert_ = movers_.convert[static_cast<std::size_t>(plan_.from)][static_cast<std::size_t>(element)];
    size_log2_ = static_cast<std::size_t>(std::countr_zero(element_size(plan_.from)));
    if (values != nullptr) {
      values_ = static_cast<char*>(values->data_ptr());
      result_ = values->scalar_type();
    }
    if (indices != nullptr) indices_ = static_cast<std::int64_t*>(indices->data_ptr());
    blocks_ = (plan_.column.size + plan_.width - 1) / plan_.width;
    acc_bytes_ = round_up(static_cast<std::size_t>(plan_.width) * f_.acc_size);
  }

  void run() {
    const std::int64_t units = plan_.batches * blocks_;
    const std::int64_t threads = get_num_threads();
    if (threads > 1 && units < 2 * threads && plan_.length >= 2 * kParallelElements / plan_.width) {
      run_split(units, threads);
      return;
    }
    const std::int64_t work = plan_.length * plan_.width;
    const std::int64_t grain = std::max<std::int64_t>(1, kParallelElements / std::max<std::int64_t>(1, work));
    parallel_for(0, units, grain, [&](std::int64_t begin, std::int64_t end) {
      char* acc = scratch(Scratch::Accumulators, acc_bytes_);
      for (std::int64_t u = begin; u < end; ++u) {
        const Unit unit = unit_at(u);
        reduce_part(unit, 0, plan_.length, acc);
        finish(unit, acc);
      }
    });
  }

 private:
  /// Some columns of a batch.
  struct Unit {
    std::int64_t offset;      ///< bytes from the data
    std::int64_t out_offset;  ///< elements
    std::int64_t width;
  };

  Unit unit_at(std::int64_t u) const {
    const std::int64_t first = u % blocks_ * plan_.width;
    std::int64_t batch = u / blocks_;
    Unit unit{first * plan_.column.stride, first * plan_.column.out_stride,
              std::min(plan_.width, plan_.column.size - first)};
    for (int d = 0; d < plan_.batch_dims; ++d) {
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
    const std::int64_t parts = (plan_.length + part - 1) / part;
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

  /// Elements [first, first + n) of the sequences of a unit; `first` is a multiple of a power of two of
  /// leaves not below n.
  void reduce_part(const Unit& unit, std::int64_t first, std::int64_t n, char* acc) {
    const char* data = plan_.data + unit.offset;
    switch (plan_.path) {
      case ReductionPath::Inner:
        reduce_rows(data + first * plan_.strides[0], unit.width, first, n, acc);
        return;
      case ReductionPath::Outer:
        f_.outer(data + first * plan_.strides[0], n, plan_.strides[0], unit.width, first, acc);
        return;
      case ReductionPath::Sequence:
        // Short rows are gathered faster.
        if (f_.joined != nullptr && !plan_.converts() && plan_.sizes.size() == 2 &&
            plan_.strides[1] == plan_.from_size() && plan_.sizes[1] >= 256) {
          f_.joined(data, plan_.sizes[1], plan_.strides[0], first, n, acc);
          return;
        }
        if (has_columns(first, n)) {
          f_.columns(data, plan_.sizes[1], plan_.strides[1], first, n, acc);
          return;
        }
        if (has_leaves_side_by_side(first, n)) {
          reduce_leaves(data, first, n, acc);
          return;
        }
        if (has_long_rows()) {
          reduce_long_rows(data, first, n, acc);
          return;
        }
        break;
      case ReductionPath::Tile: break;
    }
    const std::int64_t parts = (n + plan_.part - 1) / plan_.part;
    if (parts == 1) {
      reduce_copied(data, unit.width, first, n, acc);
      return;
    }
    // Split runs keep their accumulators on the heap, so that this scratch is free.
    ReductionCounter counter(f_, unit.width, acc_bytes_,
                             scratch(Scratch::Values, ReductionCounter::bytes(acc_bytes_, parts)));
    for (std::int64_t i = 0; i < n; i += plan_.part) {
      reduce_copied(data, unit.width, first + i, std::min(plan_.part, n - i), counter.current());
      counter.push();
    }
    std::memcpy(acc, counter.finish(), acc_bytes_);
  }

  /// `width` runs of n elements.
  void reduce_rows(const char* data, std::int64_t width, std::int64_t first, std::int64_t n, char* acc) {
    const auto size = static_cast<std::int64_t>(element_size(plan_.element));
    std::int64_t stride = plan_.column.stride;
    if (plan_.converts()) {
      data = converted_rows(data, plan_.column.stride, width, n, Scratch::Tile);
      stride = n * size;
    }
    // Whole leaves are as well taken one by one, if their accumulators can be.
    const bool one_by_one = n == kReductionBlock && f_.side_by_side;
    if (width > 1 && f_.short_rows != nullptr && !one_by_one)
      return f_.short_rows(data, n, stride, width, acc);
    const std::int64_t bytes = plan_.length * size;
    const std::int64_t ahead = detail::stream_prefetch(bytes, width > 1 ? stride : bytes);
    for (std::int64_t i = 0; i < width; ++i)
      f_.inner(data + i * stride, n, first, ahead, acc + static_cast<std::size_t>(i) * f_.acc_size);
  }
  /// Contiguous converted copies of `count` rows of n elements, `stride` bytes apart.
  const char* converted_rows(const char* data, std::int64_t stride, std::int64_t count, std::int64_t n,
                             Scratch use) {
    const auto size = static_cast<std::int64_t>(element_size(plan_.element));
    char* tile = scratch(use, static_cast<std::size_t>(count * n * size));
    if (stride == n * plan_.from_size()) {
      convert_(data, tile, count * n);
    } else {
      for (std::int64_t i = 0; i < count; ++i) convert_(data + i * stride, tile + i * n * size, n);
    }
    return tile;
  }

  /// Whether the sequence lies in rows that are worth a call each, and it does not matter how it is cut.
  bool has_long_rows() const {
    constexpr std::int64_t kLongRow = 1024;
    return f_.order_free && !plan_.converts() && plan_.sizes.size() > 1 &&
           plan_.strides.back() == plan_.from_size() && plan_.sizes.back() * plan_.from_size() >= kLongRow;
  }
  /// Those, one after the other.
  void reduce_long_rows(const char* data, std::int64_t first, std::int64_t n, char* acc) {
    const std::int64_t length = plan_.sizes.back();
    const std::int64_t ahead =
        detail::stream_prefetch(length * plan_.from_size(), *(plan_.strides.end() - 2));
    char* later = scratch(Scratch::Values, acc_bytes_);
    for (char* to = acc; n > 0; to = later) {
      const std::int64_t count = std::min(n, length - first % length);
      f_.inner(data + plan_.sequence_offset(first), count, first, ahead, to);
      if (to == later) f_.combine(acc, later, 1);
      first += count;
      n -= count;
    }
  }

  /// Whether the sequence lies column by column and its leaves are those of ReductionKernel::columns.
  bool has_columns(std::int64_t first, std::int64_t n) const {
    if (f_.columns == nullptr || plan_.converts() || plan_.sizes.size() != 2 ||
        plan_.strides[0] != plan_.from_size())
      return false;
    const std::int64_t length = plan_.sizes[1];
    const std::int64_t whole = n / length - kernels::kMostLeafColumns;  // columns of whole leaves, at least
    if (!kernels::has_column_leaves(length) || first % length != 0 ||
        whole * plan_.from_size() < kernels::kColumnStripeBytes)
      return false;
    return length < kReductionBlock || (n % length == 0 && n * plan_.from_size() <= kLeavesInCache);
  }
  /// Longer sequences of whole leaves are read faster in rows of pages, see reduce_leaves(): of 72 MB of f64 by a tenth.
  static constexpr std::int64_t kLeavesInCache = 16 << 20;
  /// Whether rows of the sequence are whole leaves that lie side by side in memory (a transposed matrix), and
  /// so do accumulators.
  bool has_leaves_side_by_side(std::int64_t first, std::int64_t n) const {
    if (!f_.side_by_side || f_.order_free || plan_.sizes.size() != 2 || plan_.strides[0] != plan_.from_size())
      return false;
    const std::int64_t length = plan_.sizes[1];
    return length % kReductionBlock == 0 && first % length == 0 && n % length == 0;
  }
  /// Those: many leaves at once as columns, then their results in the order of the sequence.
  void reduce_leaves(const char* data, std::int64_t first, std::int64_t n, char* acc) {
    constexpr std::int64_t kGroupBytes = 4096, kConverted = 128;
    const auto size = static_cast<std::int64_t>(f_.acc_size);
    const std::int64_t length = plan_.sizes[1], leaves = length / kReductionBlock;
    const std::int64_t width = plan_.converts() ? kConverted : kGroupBytes / size, end = (first + n) / length;
    char* results = scratch(Scratch::Tile, static_cast<std::size_t>(leaves * kGroupBytes));
    ReductionCounter counter(
        f_, 1, acc_bytes_,
        scratch(Scratch::Values, ReductionCounter::bytes(acc_bytes_, n / kReductionBlock)));
    for (std::int64_t row = first / length; row < end; row += width) {
      const std::int64_t rows = std::min(width, end - row);
      for (std::int64_t l = 0; l < leaves; ++l) {
        const char* x = data + row * plan_.strides[0] + l * kReductionBlock * plan_.strides[1];
        std::int64_t stride = plan_.strides[1];
        if (plan_.converts()) {
          x = converted_rows(x, stride, kReductionBlock, rows, Scratch::RawTile);
          stride = rows * static_cast<std::int64_t>(element_size(plan_.element));
        }
        f_.outer(x, kReductionBlock, stride, rows, 0, results + l * kGroupBytes);
      }
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t l = 0; l < leaves; ++l) {
          std::memcpy(counter.current(), results + l * kGroupBytes + r * size,
                      static_cast<std::size_t>(size));
          counter.push();
        }
      }
    }
    std::memcpy(acc, counter.finish(), acc_bytes_);
  }

  void reduce_copied(const char* data, std::int64_t width, std::int64_t first, std::int64_t n, char* acc) {
    const bool columns = plan_.path == ReductionPath::Tile;
    const std::int64_t count = columns ? n * width : n;
    const auto size = static_cast<std::int64_t>(element_size(plan_.element));
    char* tile = scratch(Scratch::Tile, static_cast<std::size_t>(count * size));
    char* raw = plan_.converts()
                    ? scratch(Scratch::RawTile, static_cast<std::size_t>(count * plan_.from_size()))
                    : tile;
    const char* filled = tile;
    const bool rows = columns && plan_.converts() && plan_.column.stride == plan_.from_size();
    if (rows && plan_.sizes.size() == 1 && plan_.strides[0] == width * plan_.from_size()) {
      convert_(data + first * plan_.strides[0], tile, count);
    } else if (rows && width >= kFewColumns) {
      for (std::int64_t i = 0; i < n; ++i)
        convert_(data + plan_.sequence_offset(first + i), tile + i * width * size, width);
    } else {
      filled = columns ? copy_columns(data, width, first, n, raw) : copy_sequence(data, first, n, raw);
      if (plan_.converts()) {
        convert_(filled, tile, count);
        filled = tile;
      }
    }
    if (columns) {
      f_.outer(filled, n, width * size, width, first, acc);
    } else {
      f_.inner(filled, n, first, kernels::kPrefetchBytes, acc);
    }
  }

  /// Returns where the elements are: in `to`, or still in place if they are contiguous.
  const char* copy_sequence(const char* data, std::int64_t first, std::int64_t n, char* to) {
    const std::size_t dims = plan_.sizes.size();
    const std::int64_t inner = plan_.sizes.back();
    const std::int64_t step = plan_.strides.back();
    const std::int64_t bytes = plan_.from_size();
    const auto gather = movers_.gather[size_log2_];
    if (step == bytes && first % inner + n <= inner) return data + plan_.sequence_offset(first);
    for (char* next = to; n > 0;) {
      const char* from = data + plan_.sequence_offset(first);
      const std::int64_t column = first % inner;
      std::int64_t count = std::min(inner - column, n);
      if (dims > 1 && column == 0 && n >= inner) {
        const std::int64_t left = plan_.sizes[dims - 2] - first / inner % plan_.sizes[dims - 2];
        const std::int64_t rows = std::min(n / inner, left);
        gather(from, plan_.strides[dims - 2], step, rows, inner, next);
        count = rows * inner;
      } else {
        gather(from, 0, step, 1, count, next);
      }
      next += count * bytes;
      first += count;
      n -= count;
    }
    return to;
  }

  const char* copy_columns(const char* data, std::int64_t width, std::int64_t first, std::int64_t n,
                           char* to) {
    const std::int64_t inner = plan_.sizes.back();
    for (char* next = to; n > 0;) {
      const std::int64_t rows = std::min(inner - first % inner, n);
      movers_.gather[size_log2_](data + plan_.sequence_offset(first), plan_.strides.back(),
                                 plan_.column.stride, rows, width, next);
      next += rows * width * plan_.from_size();
      first += rows;
      n -= rows;
    }
    return to;
  }

  void finish(const Unit& unit, const char* acc) {
    const auto width = static_cast<std::size_t>(unit.width);
    const bool dense = plan_.column.out_stride == 1 || width == 1;
    const std::size_t value_size = element_size(f_.value_type);
    char* own = scratch(Scratch::Values, width * (2 * 16 + sizeof(std::int64_t)));
    auto* positions = reinterpret_cast<std::int64_t*>(own + width * 2 * 16);
    const bool direct = dense && values_ != nullptr && result_ == f_.value_type;
    char* value = direct ? values_ + static_cast<std::size_t>(unit.out_offset) * value_size : own;
    const bool direct_positions = dense && indices_ != nullptr;
    f_.finish(acc, unit.width, &param_, value,
              indices_ == nullptr ? nullptr
              : direct_positions  ? indices_ + unit.out_offset
                                  : positions);
    if (values_ != nullptr && !direct) {
      if (result_ != f_.value_type) {
        char* converted = own + width * 16;
        movers_.convert[static_cast<std::size_t>(f_.value_type)][static_cast<std::size_t>(result_)](
            value, converted, unit.width);
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
        from, to + unit.out_offset * bytes, plan_.column.out_stride * bytes, bytes, unit.width, 1);
  }

  ReductionPlan plan_;
  const ReductionFunctions& f_;
  const kernels::Movers& movers_;
  kernels::KernelScalar param_;
  kernels::ConvertFn convert_;
  std::size_t size_log2_;
  char* values_ = nullptr;
  ScalarType result_ = ScalarType::Undefined;
  std::int64_t* indices_ = nullptr;
  std::int64_t blocks_;
  std::size_t acc_bytes_;
};

void run_reduction(const ReductionArgs& args, const Tensor& self, bool want_values, Tensor* values,
                   Tensor* indices) {
  LANEWISE_CHECK(ValueError, self.defined(), args.op, ": the tensor is undefined");
  const kernels::ReductionKernel& kernel = *(kernels::active_kernels().reductions->*args.kernel);
  const ScalarType given = args.element == ScalarType::Undefined ? self.scalar_type() : args.element;
  const ScalarType element = detail::reduction_element(kernel, args, self);
  const ReductionFunctions f(kernel, element);
  LANEWISE_CHECK(DtypeError, f.inner != nullptr, args.op, ": not defined for ", given, " elements");
  const DimVector shape = reduced_shape(self.sizes(), args.dims, args.keepdim);
  if (want_values) {
    ScalarType result = args.result;
    if (result == ScalarType::Undefined) {
      const bool of_elements = f.value_type == element || f.value_type == kernels::compute_type(given);
      result = of_elements ? given : f.value_type;
    }
    *values = detail::empty_cpu(shape, result);
  }
  if (indices != nullptr) *indices = detail::empty_cpu(shape, kLong);
  if ((want_values ? *values : *indices).numel() == 0) return;
  detail::note_path(detail::Path::Reduction);
  Reducer(args, self, element, f, want_values ? values : nullptr, indices).run();
}

/// All elements of a contiguous tensor, so few that one thread reduces them where they lie: no plan is made.
/// Undefined where that does not hold.
Tensor reduce_at_once(const ReductionArgs& args, const Tensor& self) {
  constexpr std::size_t kAccBytes = 256;
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
  alignas(64) char acc[kAccBytes];
  Tensor value = detail::empty_cpu({}, kernel.value_type[i]);
  kernel.inner[i](static_cast<const char*>(self.const_data_ptr()), n, 0, kernels::kPrefetchBytes, acc);
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
  run_reduction(args, self, true, &values, nullptr);
  return values;
}

Tensor reduce_with_index(const ReductionArgs& args, const Tensor& self, Tensor* values) {
  Tensor indices;
  run_reduction(args, self, values != nullptr, values, &indices);
  return indices;
}

}  // namespace lanewise
