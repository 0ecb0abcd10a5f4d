#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <lanewise/iterator/function_ref.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/accumulate.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/element_index.h>
#include <lanewise/ops/element_size.h>
#include <lanewise/ops/gather_scatter.h>
#include <lanewise/ops/index_walk.h>
#include <lanewise/ops/pointwise_forms.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/half.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

/// Of self, the index and src.
std::array<DimVector, kWalked> pair_strides(const ElementIndex& indexing, const Tensor& self,
                                            const Tensor& src) {
  const DimVector none(indexing.sizes.size(), 0);
  return {indexing.strides_across(self.strides()), contiguous_strides(indexing.sizes),
          src.dim() == 0 ? none : DimVector(src.strides())};
}

/// How pairs are walked: with loops of their own for plain runs (and for those of elements next to each other), or by one loop
/// for all runs, for ops that are seldom called or convert every element.
enum class PairLoops : std::uint8_t { One, Plain, PlainAndDense };

/// Where the last dimensions are short. Apart from the loops for longer ones, which are slower beside it.
template <class T, class F>
[[gnu::noinline]] bool each_short_pair(const ElementIndex& indexing, const Tensor& self,
                                       const std::array<DimVector, kWalked>& strides, T* x, const T* y, F f) {
  const auto* index = indexing.index.const_data_ptr<std::int64_t>();
  const std::int64_t along = indexing.stride_along(self.strides());
  return walk_short_dims(indexing.sizes, indexing.dim, strides, true, [=, &indexing](const IndexPlaces& p) {
    const std::int64_t *const i = index + p.at[kIndex], *const to = p.offsets[0], *const from = p.offsets[2];
    if (indexing.check_runs != nullptr) indexing.check_bounds(indexing.check_runs, i, p.n);
    T* const target = x + p.at[0];
    const T* const source = y + p.at[2];
    for (std::int64_t j = 0, n = p.n; j < n; ++j) f(target[to[j] + i[j] * along], source[from[j]]);
  });
}

/// Calls f(element of self, element of src).
template <class T, PairLoops loops, class F>
void each_pair(const ElementIndex& indexing, const Tensor& self, const Tensor& src, F f) {
  auto* x = static_cast<T*>(self.data_ptr());
  const auto* y = static_cast<const T*>(src.const_data_ptr());
  const std::array<DimVector, kWalked> strides = pair_strides(indexing, self, src);
  // Not for sums of integers, which are not worth the code.
  if constexpr (loops == PairLoops::PlainAndDense && !std::is_integral_v<T>) {
    if (each_short_pair(indexing, self, strides, x, y, f)) return;
  }
  walk_index(indexing.sizes, indexing.dim, strides, true, [&, x, y](const IndexBlock& in) {
    // Copies: as far as the compiler knows, what is written changes what is captured.
    const IndexBlock b = in;
    const auto* index = indexing.index.const_data_ptr<std::int64_t>();
    const std::int64_t along = indexing.stride_along(self.strides()), limit = indexing.limit, n = b.n;
    // The index is dense and runs go along its last dimension: it steps by one.
    const auto plain = [=, &indexing](auto step) {
      b.each_row([=, &indexing](std::int64_t to_at, std::int64_t index_at, std::int64_t from_at) {
        const std::int64_t* i = index + index_at;
        const auto get = [from = y + from_at](std::int64_t, std::int64_t j) { return from[j]; };
        const auto put = [f, step, to = x + to_at](std::int64_t at, std::int64_t, const T& value) {
          f(to[at * step], value);
        };
        const std::int64_t done = each_within(i, n, limit, get, put);
        if (done < n) indexing.check_bounds(indexing.check_runs, i + done, 1);
      });
    };
    if constexpr (loops != PairLoops::One) {
      if (b.step[0] == 0 && b.step[2] == 1) {
        // The later an address is known, the longer do loads wait that might be of what is written there: without the
        // multiplication it takes 0.6 to 0.8 of the time.
        if constexpr (loops == PairLoops::PlainAndDense) {
          if (along == 1) return plain(std::integral_constant<std::int64_t, 1>{});
        }
        return plain(along);
      }
    }
    b.each_row([&](std::int64_t to_at, std::int64_t index_at, std::int64_t from_at) {
      const std::int64_t* i = index + index_at;
      if (indexing.check_runs != nullptr) indexing.check_bounds(indexing.check_runs, i, n);
      for (std::int64_t j = 0; j < n; ++j)
        f(x[to_at + j * b.step[0] + i[j] * along], y[from_at + j * b.step[2]]);
    });
  });
}

/// The operands of a call with their dimensions in the order of self's memory, so that runs go along it: into a transposed
/// matrix of 512 x 512 f32 scatter_ takes a third of the time.
struct InMemoryOrder {
  ElementIndex indexing;
  Tensor self, src;

  InMemoryOrder(const ElementIndex& i, const Tensor& to, const Tensor& from)
      : indexing(i), self(to), src(from) {
    indexing.leave_out_single({&self, &src});
    const DimVector order = memory_order(self);
    if (self.dim() > 1 && !std::is_sorted(order.begin(), order.end())) reorder(order);
    // Indices of a few elements are not worth a check of their own.
    constexpr std::int64_t kLeastChecked = 16;
    if (indexing.check_runs == nullptr || indexing.sizes.back() >= kLeastChecked) return;
    indexing.check_all(indexing.check_runs);
    indexing.check_runs = nullptr;
  }

 private:
  void reorder(const DimVector& order) {
    indexing.dim = std::find(order.begin(), order.end(), indexing.dim) - order.begin();
    indexing.index = dense(permute(indexing.index, order));
    indexing.sizes = DimVector(indexing.index.sizes());
    self = permute(self, order);
    if (src.dim() > 0) src = permute(src, order);
  }
};

/// What may be read while self is written to: a copy if the two share memory, for strided tensors may meet unnoticed.
Tensor apart_from(const Tensor& self, const Tensor& src) { return src.is_alias_of(self) ? clone(src) : src; }

/// The index of an op that writes to self.
ElementIndex index_into(const char* op, const Tensor& self, std::int64_t dim, const Tensor& index) {
  return ElementIndex(op, dim, self.sizes(), apart_from(self, index));
}

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
void reduce_elements(const ElementIndex& indexing, const Tensor& self, const Tensor& src, Reduce reduce) {
  constexpr bool kHalf = std::is_same_v<T, Half>;  // whose conversion is most of the code, and of the time
  constexpr PairLoops kLoops = kHalf ? PairLoops::One : PairLoops::Plain,
                      kSumLoops = kHalf ? PairLoops::One : PairLoops::PlainAndDense;
  switch (reduce) {
    case Reduce::Sum:
    case Reduce::Mean:
      return each_pair<T, kSumLoops>(indexing, self, src, [](T& a, T b) { a = add_elements(a, b); });
    case Reduce::Prod:
      return each_pair < T, std::is_integral_v<T> ? PairLoops::One
                                                  : kLoops > (indexing, self, src,
                                                              [](T& a, T b) { a = multiply_elements(a, b); });
    default: break;
  }
  if constexpr (!is_complex(scalar_type_of<T>)) {
    if (reduce == Reduce::Max) {
      each_pair<T, kLoops>(indexing, self, src,
                           [](T& a, T b) { a = is_nan(b) || (!is_nan(a) && a < b) ? b : a; });
    } else {
      each_pair<T, kLoops>(indexing, self, src,
                           [](T& a, T b) { a = is_nan(b) || (!is_nan(a) && b < a) ? b : a; });
    }
  }
}
void reduce_elements(const ElementIndex& indexing, const Tensor& self, const Tensor& src, Reduce reduce) {
  const InMemoryOrder o(indexing, self, src);
  visit_dtype(self.scalar_type(), [&]<class T>() { reduce_elements<T>(o.indexing, o.self, o.src, reduce); });
}

/// The same for slices; false if they are better taken element by element.
bool reduce_slices(const ElementIndex& indexing, const Tensor& self, const Tensor& src, Reduce reduce,
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

/// self /= how many elements came together, which is at least one.
void divide_by_counts(const ElementIndex& indexing, Tensor& self, bool include_self) {
  DimVector shape(self.sizes());
  if (indexing.slices.defined()) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (static_cast<std::int64_t>(d) != indexing.dim) shape[d] = 1;
    }
  }
  const Tensor counts = filled(shape, self.scalar_type(), include_self ? 1 : 0);
  const Tensor one = filled({}, self.scalar_type(), 1);
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
  ElementIndex indexing = index_into("scatter_add", self, dim, index);
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

void put_where(const ElementIndex& indexing, Tensor& self, const Tensor& src) {
  assert_no_internal_overlap(self);
  if (indexing.empty) return;
  if (indexing.slices.defined())
    return write_rows(indexing.slices_of("scatter", self), self, indexing.values_of(src));
  const InMemoryOrder o(indexing, self, src);
  visit_size(self.itemsize(), [&]<class T>() {
    each_pair<T, PairLoops::PlainAndDense>(o.indexing, o.self, o.src, [](T& a, const T& b) { a = b; });
  });
}

void put_scattered(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src, bool fresh) {
  ElementIndex indexing = index_into("scatter", self, dim, index);
  indexing.check_src("scatter", self, src);
  indexing.check_bounds("scatter", fresh);
  put_where(indexing, self, apart_from(self, src));
}

void put_scattered(Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value, bool fresh) {
  ElementIndex indexing = index_into("scatter", self, dim, index);
  const Tensor one = filled({}, self.scalar_type(), value);
  indexing.check_bounds("scatter", fresh);
  put_where(indexing, self, one);
}

void reduce_scattered(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self, bool fresh) {
  const Reduce kind = reduce_of(reduce);
  ElementIndex indexing = index_into("scatter_reduce", self, dim, index);
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

Tensor gather_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t dim, const Tensor& index) {
  Tensor result = filled(sizes, grad.scalar_type(), 0);
  add_scattered(result, dim, index, grad, true);
  return result;
}

void scatter_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
  assert_apart("scatter_", self, {&index, &src});
  put_scattered(self, dim, index, src, false);
}

void scatter_(Tensor& self, std::int64_t dim, const Tensor& index, const Scalar& value) {
  assert_apart("scatter_", self, {&index});
  put_scattered(self, dim, index, value, false);
}

void scatter_add_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src) {
  assert_apart("scatter_add_", self, {&index, &src});
  add_scattered(self, dim, index, src, false);
}

void scatter_reduce_(Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& src,
                     std::string_view reduce, bool include_self) {
  assert_apart("scatter_reduce_", self, {&index, &src});
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
