#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/function_ref.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/accumulate.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/element_size.h>
#include <lanewise/ops/gather_scatter.h>
#include <lanewise/ops/index_walk.h>
#include <lanewise/ops/indexed_rows.h>
#include <lanewise/ops/pointwise_forms.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

/// A shape or strides; 0-dim tensors count as vectors of one element.
DimVector with_dim(IntArrayRef list) { return list.empty() ? DimVector{1} : DimVector(list); }

/// Dimensions from the one with the longest steps to that with the shortest.
DimVector memory_order(const Tensor& t) {
  DimVector order;
  for (std::int64_t d = 0; d < t.dim(); ++d) order.push_back(d);
  const auto step = [&](std::int64_t d) { return std::abs(t.stride(d)); };
  std::sort(order.begin(), order.end(),
            [&](std::int64_t a, std::int64_t b) { return step(a) != step(b) ? step(a) > step(b) : a < b; });
  return order;
}

/// The operands of one call, checked: index dense, in int64, and within bounds.
struct Indexing {
  std::int64_t dim;
  DimVector sizes;  ///< of the index
  /// An index that is a vector expanded over all of the other dimensions of self chooses whole slices: here that vector, and
  /// `index` is left out. Most indices of scatter_add and all of index_reduce are such.
  Tensor slices;
  Tensor index;
  std::int64_t limit = 0;  ///< of its values
  bool empty;
  const char* check_runs = nullptr;  ///< the op that has its indices checked where they are used

  Indexing(const char* op, std::int64_t along, IntArrayRef self_sizes, const Tensor& any_index,
           const char* self_name = "self", bool densely = true) {
    const auto rank = static_cast<std::int64_t>(self_sizes.size());
    dim = wrap_dim(op, along, rank);
    sizes = with_dim(any_index.sizes());
    empty = any_index.numel() == 0;
    if (empty) return;  // of whatever dtype, as in PyTorch
    LANEWISE_CHECK(DtypeError, any_index.scalar_type() == kLong || any_index.scalar_type() == kInt, op,
                   ": Expected dtype int32/int64 for index, found ", short_name(any_index.scalar_type()));
    const DimVector limits = with_dim(self_sizes);
    LANEWISE_CHECK(ShapeError, sizes.size() == limits.size(), op,
                   ": Index tensor must have the same number of dimensions as ", self_name,
                   " tensor; found shapes ", any_index.sizes(), " and ", self_sizes);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      LANEWISE_CHECK(ShapeError, static_cast<std::int64_t>(d) == dim || sizes[d] <= limits[d], op,
                     ": Size does not match at dimension ", d, ": expected index ", any_index.sizes(),
                     " to be smaller than ", self_name, " ", self_sizes, " apart from dimension ", dim);
    }
    if (is_expanded_vector(any_index, limits)) {
      slices = as_strided(any_index, {any_index.size(dim)}, {any_index.stride(dim)});
    } else {
      index = densely ? dense(any_index, kLong) : any_index;
    }
    limit = limits[static_cast<std::size_t>(dim)];
  }

  /// Every index, before anything is written; where the result is dropped on an error, in the pass that uses
  /// them.
  void check_bounds(const char* op, bool fresh_result) {
    if (empty || slices.defined()) return;  // indexed_rows() checks slices
    if (fresh_result) {
      check_runs = op;
      return;
    }
    if (!index.is_contiguous()) {
      const DimVector none(sizes.size(), 0);
      walk_index(sizes, index.dim() - 1, {none, DimVector(index.strides()), none}, false,
                 [&](const IndexRun& run) {
                   check_bounds(op, index.const_data_ptr<std::int64_t>() + run.at[1], run.n);
                 });
      return;
    }
    const auto* values = index.const_data_ptr<std::int64_t>();
    parallel_for(0, index.numel(), 32768, [&](std::int64_t begin, std::int64_t end) {
      check_bounds(op, values + begin, end - begin);
    });
  }
  void check_bounds(const char* op, const std::int64_t* values, std::int64_t n) const {
    if (kernels::active_kernels().in_bounds(values, n, limit)) return;
    for (std::int64_t i = 0; i < n; ++i) {
      LANEWISE_CHECK(IndexError, values[i] >= 0 && values[i] < limit, op, ": index ", values[i],
                     " is out of bounds for dimension ", dim, " with size ", limit);
    }
  }

  void check_src(const char* op, const Tensor& self, const Tensor& src) const {
    LANEWISE_CHECK(DtypeError, self.scalar_type() == src.scalar_type(), op,
                   ": Expected self.dtype to be equal to src.dtype, found ", self.scalar_type(), " and ",
                   src.scalar_type());
    if (empty) return;
    const DimVector limits = with_dim(src.sizes());
    LANEWISE_CHECK(ShapeError, sizes.size() == limits.size(), op,
                   ": Index tensor must have the same number of dimensions as src tensor; found shapes ",
                   IntArrayRef(sizes), " and ", src.sizes());
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      LANEWISE_CHECK(ShapeError, sizes[d] <= limits[d], op, ": Expected index ", IntArrayRef(sizes),
                     " to be smaller than src ", src.sizes(), " in every dimension");
    }
  }

  /// Strides of an operand that the index chooses in: none along dim.
  DimVector strides_across(IntArrayRef strides) const {
    DimVector result = with_dim(strides);
    result[static_cast<std::size_t>(dim)] = 0;
    return result;
  }
  std::int64_t stride_along(IntArrayRef strides) const {
    return with_dim(strides)[static_cast<std::size_t>(dim)];
  }

  /// From now on every element has an index of its own.
  void expand_slices() {
    if (!slices.defined()) return;
    DimVector strides(sizes.size(), 0);
    strides[static_cast<std::size_t>(dim)] = slices.stride(0);
    index = dense(as_strided(slices, sizes, strides), kLong);
    slices = Tensor();
  }
  IndexedRows slices_of(const char* op, const Tensor& self) const {
    return indexed_rows(op, self, dim, slices);
  }
  /// The elements of src that slices take, contiguous; of a single element that one.
  Tensor values_of(Tensor src) const {
    if (src.dim() == 0) return src;
    for (std::int64_t d = 0; d < src.dim(); ++d) src = narrow(src, d, 0, sizes[static_cast<std::size_t>(d)]);
    return dense(src);
  }

 private:
  bool is_expanded_vector(const Tensor& any_index, const DimVector& limits) const {
    if (any_index.dim() < 2) return false;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (static_cast<std::int64_t>(d) == dim) continue;
      if (sizes[d] != limits[d] || (sizes[d] != 1 && any_index.strides()[d] != 0)) return false;
    }
    return true;
  }
};

/// Calls f(run) for runs of self, the index and src, in the order that the header states.
void walk_pairs(const Indexing& indexing, const Tensor& self, const Tensor& src,
                FunctionRef<void(const IndexRun&)> f) {
  const DimVector none(indexing.sizes.size(), 0);
  walk_index(indexing.sizes, indexing.dim,
             {indexing.strides_across(self.strides()), contiguous_strides(indexing.sizes),
              src.dim() == 0 ? none : DimVector(src.strides())},
             true, f);
}

/// Calls f(element of self, element of src).
template <class T, class F>
void each_pair(const Indexing& indexing, const Tensor& self, const Tensor& src, F&& f) {
  auto* x = static_cast<T*>(self.data_ptr());
  const auto* y = static_cast<const T*>(src.const_data_ptr());
  const auto* index = indexing.index.const_data_ptr<std::int64_t>();
  const std::int64_t along = indexing.stride_along(self.strides());
  walk_pairs(indexing, self, src, [&](const IndexRun& in) {
    const IndexRun run =
        in;  // copies: as far as the compiler knows, what is written changes what is captured
    const std::int64_t step = along;
    T* to = x + run.at[0];
    const std::int64_t* i = index + run.at[1];
    const T* from = y + run.at[2];
    // The index is dense and runs go along its last dimension: it steps by one.
    if (indexing.check_runs != nullptr && run.step[0] == 0 && run.step[2] == 1 && step == 1) {
      // Checked one by one: a branch that is never taken costs less than a pass of its own.
      const auto limit = static_cast<std::uint64_t>(indexing.limit);
      std::int64_t j = 0;
      for (; j < run.n && static_cast<std::uint64_t>(i[j]) < limit; ++j) f(to[i[j]], from[j]);
      if (j < run.n) indexing.check_bounds(indexing.check_runs, i + j, 1);
      return;
    }
    if (indexing.check_runs != nullptr) indexing.check_bounds(indexing.check_runs, i, run.n);
    if (run.step[0] == 0 && run.step[2] == 1) {
      for (std::int64_t j = 0; j < run.n; ++j) f(to[i[j] * step], from[j]);
    } else {
      for (std::int64_t j = 0; j < run.n; ++j) f(to[j * run.step[0] + i[j] * step], from[j * run.step[2]]);
    }
  });
}

/// The operands of a call with their dimensions in the order of self's memory, so that runs go along it: into a transposed
/// matrix of 512 x 512 f32 scatter_ takes a third of the time.
struct InMemoryOrder {
  Indexing indexing;
  Tensor self, src;

  InMemoryOrder(const Indexing& i, const Tensor& to, const Tensor& from) : indexing(i), self(to), src(from) {
    const auto rank = static_cast<std::size_t>(to.dim());
    const DimVector order = memory_order(to);
    if (rank < 2 || std::is_sorted(order.begin(), order.end())) return;
    indexing.dim = std::find(order.begin(), order.end(), i.dim) - order.begin();
    for (std::size_t d = 0; d < rank; ++d) indexing.sizes[d] = i.sizes[static_cast<std::size_t>(order[d])];
    indexing.index = dense(permute(i.index, order));
    self = permute(to, order);
    if (from.dim() > 0) src = permute(from, order);
  }
};

/// What may be written to beside its source: src as a copy if the two share memory.
Tensor apart_from(const Tensor& self, const Tensor& src) { return src.is_alias_of(self) ? clone(src) : src; }

enum class Reduce : std::uint8_t { Sum, Prod, Mean, Max, Min };

Reduce reduce_of(std::string_view name) {
  if (name == "sum") return Reduce::Sum;
  if (name == "prod") return Reduce::Prod;
  if (name == "mean") return Reduce::Mean;
  if (name == "amax") return Reduce::Max;
  LANEWISE_CHECK(ValueError, name == "amin",
                 "scatter_reduce: reduce argument must be either sum, prod, mean, amax or amin, got ", name);
  return Reduce::Min;
}

template <class T>
bool is_nan(T x) {
  if constexpr (is_floating_point(scalar_type_of<T>)) {
    return std::isnan(static_cast<SumType<T>>(x));
  } else {
    return false;
  }
}

/// One element that changes nothing when it is combined with others.
Tensor neutral(const Tensor& self, Reduce reduce) {
  const Tensor one = lanewise::detail::empty_cpu({}, self.scalar_type());
  visit_dtype(self.scalar_type(), [&]<class T>() {
    using limits = std::numeric_limits<SumType<T>>;
    T& value = *static_cast<T*>(one.data_ptr());
    if (reduce == Reduce::Sum || reduce == Reduce::Mean) {
      value = T(0);
    } else if (reduce == Reduce::Prod) {
      value = T(1);
    } else if constexpr (is_floating_point(scalar_type_of<T>)) {
      value = static_cast<T>(reduce == Reduce::Max ? -limits::infinity() : limits::infinity());
    } else {
      value = static_cast<T>(reduce == Reduce::Max ? limits::lowest() : limits::max());
    }
  });
  return one;
}

/// What gives the same as reduce_elements() for a product or an extreme; null where there is none, and for products of complex
/// numbers, which kernels round otherwise.
kernels::ElementwiseFn kernel_of(ScalarType dtype, Reduce reduce) {
  if (dtype == kBool || is_complex(dtype)) return nullptr;
  const kernels::KernelTable& table = kernels::active_kernels();
  const kernels::ElementwiseKernel* kernel = reduce == Reduce::Max   ? table.maximum
                                             : reduce == Reduce::Min ? table.minimum
                                                                     : table.mul;
  return kernel->fn[static_cast<std::size_t>(dtype)];
}

/// self = self combined with src where the index says; a mean's are added.
template <class T>
void reduce_elements(const Indexing& indexing, const Tensor& self, const Tensor& src, Reduce reduce) {
  switch (reduce) {
    case Reduce::Sum:
    case Reduce::Mean: return each_pair<T>(indexing, self, src, [](T& a, T b) { a = add_elements(a, b); });
    case Reduce::Prod:
      return each_pair<T>(indexing, self, src, [](T& a, T b) { a = multiply_elements(a, b); });
    default: break;
  }
  if constexpr (!is_complex(scalar_type_of<T>)) {
    if (reduce == Reduce::Max) {
      each_pair<T>(indexing, self, src, [](T& a, T b) { a = is_nan(b) || (!is_nan(a) && a < b) ? b : a; });
    } else {
      each_pair<T>(indexing, self, src, [](T& a, T b) { a = is_nan(b) || (!is_nan(a) && b < a) ? b : a; });
    }
  }
}
void reduce_elements(const Indexing& indexing, const Tensor& self, const Tensor& src, Reduce reduce) {
  const InMemoryOrder o(indexing, self, src);
  visit_dtype(self.scalar_type(), [&]<class T>() { reduce_elements<T>(o.indexing, o.self, o.src, reduce); });
}

/// The same for slices; false if they are better taken element by element.
bool reduce_slices(const Indexing& indexing, const Tensor& self, const Tensor& src, Reduce reduce,
                   bool include_self) {
  const IndexedRows rows = indexing.slices_of("scatter_reduce", self);
  const bool adds = reduce == Reduce::Sum || reduce == Reduce::Mean;
  const kernels::ElementwiseFn kernel = adds ? nullptr : kernel_of(self.scalar_type(), reduce);
  if (!adds && (kernel == nullptr || !has_long_runs(rows))) return false;
  if (!include_self) write_rows(rows, self, neutral(self, reduce));
  const Tensor values = indexing.values_of(src);
  adds ? add_rows(rows, self, values) : combine_rows(rows, self, values, kernel);
  return true;
}

constexpr PointwiseOp kDivide{"scatter_reduce", &kernels::KernelTable::div};
constexpr PointwiseOp kDivideDown{"scatter_reduce", &kernels::KernelTable::div_floor};

/// One element of the type of self.
Tensor number(const Tensor& self, const Scalar& value) {
  Tensor one = lanewise::detail::empty_cpu({}, self.scalar_type());
  fill_(one, value);
  return one;
}

/// self /= how many elements came together, which is at least one.
void divide_by_counts(const Indexing& indexing, Tensor& self, bool include_self) {
  DimVector shape(self.sizes());
  if (indexing.slices.defined()) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (static_cast<std::int64_t>(d) != indexing.dim) shape[d] = 1;
    }
  }
  Tensor counts = lanewise::detail::empty_cpu(shape, self.scalar_type());
  fill_(counts, Scalar(include_self ? 1 : 0));
  const Tensor one = number(self, 1);
  if (indexing.slices.defined()) {
    add_rows(indexing.slices_of("scatter_reduce", counts), counts, one);
  } else {
    reduce_elements(indexing, counts, one, Reduce::Sum);
  }
  visit_dtype(self.scalar_type(), [&]<class T>() {
    T* count = static_cast<T*>(counts.data_ptr());
    for (std::int64_t i = 0; i < counts.numel(); ++i) {
      if (count[i] == T(0)) count[i] = T(1);
    }
  });
  const bool exact = is_differentiable(self.scalar_type());
  pointwise_inplace(exact ? kDivide : kDivideDown, self, {self, counts});
}

void add_scattered(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src, bool fresh) {
  Indexing indexing("scatter_add", dim, self.sizes(), index);
  indexing.check_src("scatter_add", self, src);
  indexing.check_bounds("scatter_add", fresh);
  assert_no_internal_overlap(self);
  if (indexing.empty) return;
  const Tensor values = apart_from(self, src);
  if (indexing.slices.defined()) {
    add_rows(indexing.slices_of("scatter_add", self), self, indexing.values_of(values));
  } else {
    reduce_elements(indexing, self, values, Reduce::Sum);
  }
}

void put_where(const Indexing& indexing, Tensor& self, const Tensor& src) {
  assert_no_internal_overlap(self);
  if (indexing.empty) return;
  if (indexing.slices.defined())
    return write_rows(indexing.slices_of("scatter", self), self, indexing.values_of(src));
  const InMemoryOrder o(indexing, self, src);
  visit_size(self.itemsize(),
             [&]<class T>() { each_pair<T>(o.indexing, o.self, o.src, [](T& a, const T& b) { a = b; }); });
}

/// An index in int64 whose runs along the last dimension are contiguous.
Tensor in_runs(const Tensor& index) {
  return index.scalar_type() == kLong && index.dim() > 0 && index.stride(-1) == 1 ? index
                                                                                  : dense(index, kLong);
}

/// self where the index says, element by element, into a tensor of the shape of the index.
void read_where(const Indexing& indexing, const Tensor& self, const Tensor& result) {
  const std::int64_t along = indexing.stride_along(self.strides());
  const auto* chosen = indexing.index.const_data_ptr<std::int64_t>();
  visit_size(self.itemsize(), [&]<class T>() {
    const auto* x = static_cast<const T*>(self.const_data_ptr());
    auto* out = static_cast<T*>(result.data_ptr());
    walk_index(indexing.sizes, indexing.dim,
               {indexing.strides_across(self.strides()), with_dim(indexing.index.strides()),
                with_dim(result.strides())},
               false, [&](const IndexRun& in) {
                 const IndexRun run = in;
                 const std::int64_t step = along, from_step = run.step[0], to_step = run.step[2];
                 const T* from = x + run.at[0];
                 const std::int64_t* i = chosen + run.at[1];
                 T* to = out + run.at[2];
                 const auto limit = static_cast<std::uint64_t>(indexing.limit);
                 const auto is_inside = [&](std::int64_t at) {
                   return static_cast<std::uint64_t>(at) < limit;
                 };
                 std::int64_t j = 0;
                 // Checked one by one: a branch that is never taken costs less than a pass of its own.
                 const bool within = from_step == 0 && step == 1;
                 if (run.step[1] == 0) {  // one index for the run
                   if (is_inside(*i)) {
                     from += *i * step;
                     j = run.n;
                   }
                   for (std::int64_t k = 0; k < j; ++k) to[k * to_step] = from[k * from_step];
                 } else if (within && to_step == 1) {
                   for (; j < run.n && is_inside(i[j]); ++j) to[j] = from[i[j]];
                 } else if (within) {
                   for (; j < run.n && is_inside(i[j]); ++j, to += to_step) *to = from[i[j]];
                 } else {
                   const std::int64_t *at = i, *const end = i + run.n;
                   for (; at != end && is_inside(*at); ++at, from += from_step, to += to_step)
                     *to = from[*at * step];
                   j = at - i;
                 }
                 if (j < run.n) indexing.check_bounds("gather", i + j, 1);
               });
  });
}

void put_scattered(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src, bool fresh) {
  Indexing indexing("scatter", dim, self.sizes(), index);
  indexing.check_src("scatter", self, src);
  indexing.check_bounds("scatter", fresh);
  put_where(indexing, self, apart_from(self, src));
}

void put_scattered(Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value, bool fresh) {
  Indexing indexing("scatter", dim, self.sizes(), index);
  const Tensor one = number(self, value);
  indexing.check_bounds("scatter", fresh);
  put_where(indexing, self, one);
}

void reduce_scattered(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self, bool fresh) {
  const Reduce kind = reduce_of(reduce);
  Indexing indexing("scatter_reduce", dim, self.sizes(), index);
  indexing.check_src("scatter_reduce", self, src);
  indexing.check_bounds("scatter_reduce", fresh);
  LANEWISE_CHECK(DtypeError, !self.is_complex() || (kind != Reduce::Max && kind != Reduce::Min),
                 "scatter_reduce: complex numbers have no order");
  LANEWISE_CHECK(DtypeError, self.scalar_type() != kBool || kind != Reduce::Mean,
                 "scatter_reduce: mean is not implemented for bool");
  assert_no_internal_overlap(self);
  if (indexing.empty) return;
  const Tensor values = apart_from(self, src);
  if (!indexing.slices.defined() || !reduce_slices(indexing, self, values, kind, include_self)) {
    indexing.expand_slices();
    if (!include_self) put_where(indexing, self, neutral(self, kind));
    reduce_elements(indexing, self, values, kind);
  }
  if (kind == Reduce::Mean) divide_by_counts(indexing, self, include_self);
}

}  // namespace

Tensor gather(const Tensor& self, std::int64_t dim, const Tensor& index) {
  Indexing indexing("gather", dim, self.sizes(), index, "input", false);
  const Tensor result = lanewise::detail::empty_cpu(index.sizes(), self.scalar_type());
  if (indexing.empty) return result;
  if (indexing.slices.defined()) {
    read_rows(indexing.slices_of("gather", self), self, result);
  } else {
    indexing.index = in_runs(index);
    read_where(indexing, self, result);
  }
  return result;
}

void gather_into(const Destination& to, const Tensor& self, std::int64_t dim, const Tensor& index,
                 bool /*sparse_grad*/) {
  check_out_exact(to.op, to.tensor, self.scalar_type());
  Indexing indexing("gather", dim, self.sizes(), index, "input", false);
  bool direct = fits_apart(to, index.sizes(), self.scalar_type(), {&self, &index}) &&
                internal_overlap(to.tensor) == MemoryOverlap::None;
  if (indexing.empty)
    return write_result(to, index.sizes(), self.scalar_type(), direct, [](const Tensor&) {});
  if (indexing.slices.defined()) return select_into(to, "gather", self, dim, indexing.slices);
  // Into another order of dimensions if the index lies so too: else the copy is quicker.
  const DimVector order = direct ? memory_order(to.tensor) : DimVector();
  const bool turns = !std::is_sorted(order.begin(), order.end());
  if (turns && memory_order(index) != order) direct = false;
  const auto turned = [&](const Tensor& t) { return direct && turns ? permute(t, order) : t; };
  indexing.index = in_runs(turned(index));
  if (direct && turns) indexing.sizes = DimVector(indexing.index.sizes());
  indexing.check_bounds("gather", false);
  if (direct && turns) indexing.dim = std::find(order.begin(), order.end(), indexing.dim) - order.begin();
  write_result(to, index.sizes(), self.scalar_type(), direct,
               [&](const Tensor& out) { read_where(indexing, turned(self), turned(out)); });
}

void select_into(const Destination& to, const char* op, const Tensor& self, std::int64_t dim,
                 const Tensor& index) {
  const IndexedRows rows = indexed_rows(op, self, dim, index);
  const bool apart = fits_apart(to, rows.sizes, self.scalar_type(), {&self, &index}) &&
                     internal_overlap(to.tensor) == MemoryOverlap::None;
  const auto write = [&](bool direct) {
    write_result(to, rows.sizes, self.scalar_type(), direct,
                 [&](const Tensor& out) { read_rows(rows, self, out); });
  };
  if (!apart || to.tensor.is_contiguous()) return write(apart);
  // Into another order of dimensions if self lies so too: else the copy is quicker.
  const DimVector order = memory_order(to.tensor);
  const bool turns = !std::is_sorted(order.begin(), order.end());
  if (turns && memory_order(self) != order) return write(false);
  const Tensor from = turns ? permute(self, order) : self,
               out = turns ? permute(to.tensor, order) : to.tensor;
  dim = wrap_dim(op, dim, self.dim());
  if (turns) dim = std::find(order.begin(), order.end(), dim) - order.begin();
  const IndexedRows turned = turns ? indexed_rows(op, from, dim, index) : rows;
  if (out.is_contiguous() || (turned.row > 1 && row_step(turned, out))) return read_rows(turned, from, out);
  // Runs are better copied whole first, and so are single elements that do not lie in runs.
  if ((turned.row == 1) != (from.stride(-1) == 1)) return write(false);
  DimVector strides(out.sizes().size(), 0);
  strides[static_cast<std::size_t>(dim)] = 1;
  const Tensor vector = dense(index, kLong), whole = as_strided(vector, out.sizes(), strides);
  Indexing indexing(op, dim, from.sizes(), whole, "self", false);
  indexing.index = whole;
  read_where(indexing, from, out);
}

Tensor gather_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t dim, const Tensor& index) {
  Tensor result = lanewise::detail::empty_cpu(sizes, grad.scalar_type());
  fill_(result, Scalar(0));
  add_scattered(result, dim, index, grad, true);
  return result;
}

void scatter_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
  put_scattered(self, dim, index, src, false);
}

void scatter_(Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
  put_scattered(self, dim, index, value, false);
}

void scatter_add_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
  add_scattered(self, dim, index, src, false);
}

void scatter_reduce_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                     std::string_view reduce, bool include_self) {
  reduce_scattered(self, dim, index, src, reduce, include_self, false);
}

Tensor scatter(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
  Tensor result = clone(self, MemoryFormat::Contiguous);
  put_scattered(result, dim, index, src, true);
  return result;
}

Tensor scatter(const Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
  Tensor result = clone(self, MemoryFormat::Contiguous);
  put_scattered(result, dim, index, value, true);
  return result;
}

Tensor scatter_add(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
  Tensor result = clone(self, MemoryFormat::Contiguous);
  add_scattered(result, dim, index, src, true);
  return result;
}

Tensor scatter_reduce(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self) {
  Tensor result = clone(self, MemoryFormat::Contiguous);
  reduce_scattered(result, dim, index, src, reduce, include_self, true);
  return result;
}

}  // namespace lanewise::ops
