#include <algorithm>
#include <bit>
#include <complex>
#include <type_traits>
#include <utility>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/pointwise.h>
#include <lanewise/iterator/scratch.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/accumulate.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/dot.h>
#include <lanewise/ops/product_checks.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::ops {
namespace {

constexpr PointwiseOp kMul{"mul", &kernels::KernelTable::mul};
constexpr PointwiseOp kAddcmul{"addcmul", &kernels::KernelTable::addcmul};
constexpr PointwiseOp kAnd{"logical_and", &kernels::KernelTable::logical_and};
constexpr PointwiseOp kOr{"logical_or", &kernels::KernelTable::logical_or};

/// Products that a thread takes at once; a power of two of kernels::kVectorDepth, so that the tree over them
/// is the same without.
constexpr std::int64_t kChunk = std::int64_t{1} << 17;
/// The same where elements are copied or converted first: they stay in L2.
constexpr std::int64_t kCopiedChunk = kernels::kVectorDepth;
static_assert(std::has_single_bit(static_cast<std::uint64_t>(kCopiedChunk)));

/// A vector whose elements dot() reads where they lie, or as copies in the dtype that it computes in.
class Vector {
 public:
  Vector(const Tensor& t, ScalarType compute, lanewise::detail::Scratch purpose)
      : data_(static_cast<const char*>(t.const_data_ptr())),
        size_(static_cast<std::int64_t>(t.itemsize())),
        stride_(t.numel() == 1 ? size_ : t.stride(0) * size_),
        compute_size_(static_cast<std::int64_t>(element_size(compute))),
        gather_(kernels::active_kernels()
                    .movers->gather[static_cast<std::size_t>(std::countr_zero(t.itemsize()))]),
        convert_(t.scalar_type() == compute
                     ? nullptr
                     : kernels::active_kernels().movers->convert[static_cast<std::size_t>(t.scalar_type())]
                                                                [static_cast<std::size_t>(compute)]),
        purpose_(purpose) {}

  bool as_it_lies() const { return convert_ == nullptr && stride_ == size_; }
  /// Elements from `first` on: where they lie, or those that copy() left.
  const char* run(std::int64_t first) const { return as_it_lies() ? at(first) : room(); }
  /// Elements [first, first + n), n <= kPiece, for places i and on of the run, unless that is where they lie.
  void copy(std::int64_t first, std::int64_t n, std::int64_t i) const {
    if (as_it_lies()) return;
    char* const to = room() + i * compute_size_;
    if (convert_ == nullptr) return gather_(at(first), 0, stride_, 1, n, to);
    if (stride_ == size_) return convert_(at(first), to, n);
    alignas(64) char raw[kPiece * 8];  // halves and integers
    gather_(at(first), 0, stride_, 1, n, raw);
    convert_(raw, to, n);
  }

  /// Elements copied from one vector before the other: memory is asked for both at once.
  static constexpr std::int64_t kPiece = 256;

 private:
  const char* at(std::int64_t i) const { return data_ + i * stride_; }
  char* room() const {
    return lanewise::detail::scratch(purpose_, static_cast<std::size_t>(kCopiedChunk * compute_size_));
  }

  const char* data_;
  std::int64_t size_, stride_, compute_size_;
  kernels::GatherFn gather_;
  kernels::ConvertFn convert_;
  lanewise::detail::Scratch purpose_;
};

/// Not inlined into itself, six levels of it for each type.
template <class T>
[[gnu::noinline]] T sum_in_pairs(const T* parts, std::int64_t n) {
  if (n == 1) return *parts;
  const std::int64_t half = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)) / 2);
  return sum_in_pairs(parts, half) + sum_in_pairs(parts + half, n - half);
}

Tensor sum_of_products(const Tensor& self, const Tensor& other, bool conjugate) {
  const ScalarType type = self.scalar_type();
  const ScalarType compute = is_integral(type, true) && type != kLong ? kInt : kernels::compute_type(type);
  const auto& kernel = *kernels::active_kernels().gemm->of[static_cast<std::size_t>(compute)];
  const auto bytes = static_cast<std::int64_t>(element_size(compute));
  const Vector x(self, compute, lanewise::detail::Scratch::PanelA);
  const Vector y(other, compute, lanewise::detail::Scratch::PanelB);
  const bool as_they_lie = x.as_it_lies() && y.as_it_lies();
  const auto part = [&](std::int64_t first, std::int64_t n, char* to) {
    for (std::int64_t i = 0; i < n && !as_they_lie; i += Vector::kPiece) {
      const std::int64_t count = std::min(Vector::kPiece, n - i);
      x.copy(first + i, count, i);
      y.copy(first + i, count, i);
    }
    kernel.row_products({x.run(first), 0, y.run(first), to, 1, n, conjugate});
  };
  const std::int64_t n = self.numel();
  const std::int64_t chunk = as_they_lie ? kChunk : kCopiedChunk;
  Tensor out = lanewise::detail::empty_cpu({}, compute);
  auto* result = static_cast<char*>(out.data_ptr());
  if (n <= chunk) {
    part(0, n, result);
    return dense(out, type);
  }
  const std::int64_t chunks = divup(n, chunk);
  const Tensor parts = lanewise::detail::empty_cpu({chunks}, compute);
  parallel_for(0, chunks, kChunk / chunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i * chunk;
      part(first, std::min(chunk, n - first), static_cast<char*>(parts.data_ptr()) + i * bytes);
    }
  });
  const auto add = [&]<class T>() {
    *reinterpret_cast<T*>(result) = sum_in_pairs(static_cast<const T*>(parts.const_data_ptr()), chunks);
  };
  switch (compute) {
    case kFloat: add.operator()<float>(); break;
    case kDouble: add.operator()<double>(); break;
    case kComplexFloat: add.operator()<std::complex<float>>(); break;
    case kComplexDouble: add.operator()<std::complex<double>>(); break;
    case kInt: add.operator()<std::uint32_t>(); break;
    default: add.operator()<std::uint64_t>(); break;
  }
  return dense(out, type);
}

/// The operands of addr as matrices that broadcast, and the dtype of its result.
struct Outer {
  Tensor self, column, row;
  ScalarType type;

  Outer(const char* op, const Tensor& added, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
        const Scalar& alpha) {
    LANEWISE_CHECK(ShapeError, vec1.dim() == 1 && vec2.dim() == 1, op,
                   ": Expected 1-D argument vec1 and vec2, but got ", vec1.dim(), "-D and ", vec2.dim(),
                   "-D");
    const DimVector shape{vec1.numel(), vec2.numel()};
    const DimVector both = added.dim() <= 2 ? broadcast_shapes(op, added.sizes(), shape) : DimVector();
    LANEWISE_CHECK(ShapeError, both == shape, op, ": self of shape ", added.sizes(),
                   " does not broadcast to the product's ", IntArrayRef(shape));
    self = expand(added, shape);
    column = unsqueeze(vec1, 1);
    row = unsqueeze(vec2, 0);
    ResultType result;
    for (const Tensor* t : {&self, &column, &row}) result.add(*t);
    type = result.get();
    for (const auto& [name, factor] : {std::pair{"beta", &beta}, {"alpha", &alpha}}) {
      LANEWISE_CHECK(DtypeError, is_complex(type) || !factor->isComplex(), op, ": ", name,
                     " is complex, the operands are ", type);
      LANEWISE_CHECK(DtypeError, !is_integral(type, true) || factor->isIntegral(true), op,
                     ": For integral input tensors, argument ", name,
                     " must not be a floating point number; the operands are ", type);
      if (is_integral(type, false)) factor->check_fits(type, op);
    }
  }
};

Tensor in_type(const Tensor& t, ScalarType type) { return t.scalar_type() == type ? t : to_copy(t, type); }

void run_addr(const Outer& o, Tensor& out, const Scalar& beta, const Scalar& alpha) {
  if (o.type == kBool) {
    const Tensor product = alpha.equal(0) ? lanewise::detail::empty_cpu(o.self.sizes(), kBool)
                                          : pointwise(kAnd, {o.column, o.row});
    if (alpha.equal(0) && product.nbytes() > 0) __builtin_memset(product.data_ptr(), 0, product.nbytes());
    if (beta.equal(0)) {
      copy_(out, product);
    } else {
      pointwise_out(kOr, out, {o.self, product});
    }
    return;
  }
  if (beta.equal(0)) {
    // self takes part in the dtype, not in the value.
    const Tensor column =
        alpha.equal(1) ? in_type(o.column, o.type) : pointwise(kMul, {in_type(o.column, o.type), alpha});
    pointwise_out(kMul, out, {column, o.row});
  } else if (beta.equal(1)) {
    pointwise_out(kAddcmul, out, {o.self, o.column, o.row}, {alpha});
  } else {
    pointwise_out(kAddcmul, out, {pointwise(kMul, {in_type(o.self, o.type), beta}), o.column, o.row},
                  {alpha});
  }
}

/// to = u x v for n vectors, each with its numbers side by side, x and y elements apart in u and v; rounded as in passes over each
/// component.
template <class T>
void cross_vectors(char** data, const std::int64_t* strides, std::int64_t n, std::int64_t x, std::int64_t y) {
  for (std::int64_t i = 0; i < n; ++i) {
    T* to = reinterpret_cast<T*>(data[0] + i * strides[0]);
    const T* u = reinterpret_cast<const T*>(data[1] + i * strides[1]);
    const T* v = reinterpret_cast<const T*>(data[2] + i * strides[2]);
    for (int j = 0; j < 3; ++j) {
      const int k = (j + 1) % 3, l = (j + 2) % 3;
      to[j] = subtract_elements(multiply_elements(u[k * x], v[l * y]), multiply_elements(u[l * x], v[k * y]));
    }
  }
}
decltype(&cross_vectors<float>) cross_of(ScalarType dtype) {
  decltype(&cross_vectors<float>) f = nullptr;
  visit_dtype(dtype, [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) f = cross_vectors<T>;
  });
  return f;
}

}  // namespace

Tensor dot(const Tensor& self, const Tensor& tensor) {
  check_vectors("dot", self, tensor);
  return sum_of_products(self, tensor, false);
}

Tensor vdot(const Tensor& self, const Tensor& other) {
  check_vectors("vdot", self, other);
  return sum_of_products(self, other, true);
}

Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
            const Scalar& alpha) {
  const Outer o("addr", self, vec1, vec2, beta, alpha);
  Tensor out = lanewise::detail::empty_like_cpu(o.self, o.type);
  run_addr(o, out, beta, alpha);
  return out;
}

void addr_into(const Destination& to, const Tensor& self, const Tensor& vec1, const Tensor& vec2,
               const Scalar& beta, const Scalar& alpha) {
  // Computed apart from the destination, in which the vectors may lie.
  const Tensor result = addr(self, vec1, vec2, beta, alpha);
  if (to.resizable) {
    resize_result(to.op, to.tensor, result);
  } else {
    assign_result(to.op, to.tensor, result);
  }
}

Tensor linalg_cross(const Tensor& self, const Tensor& other, std::int64_t dim) {
  LANEWISE_CHECK(ShapeError, self.dim() == other.dim(),
                 "linalg.cross: inputs must have the same number of dimensions, found shapes ", self.sizes(),
                 " and ", other.sizes());
  const std::int64_t d = wrap_dim("linalg.cross", dim, self.dim());
  LANEWISE_CHECK(ShapeError, self.dim() > 0 && self.size(d) == 3 && other.size(d) == 3,
                 "linalg.cross: inputs dimension ", dim, " must have length 3, found shapes ", self.sizes(),
                 " and ", other.sizes());
  check_product_types("linalg.cross", self, other);
  const DimVector shape = broadcast_shapes("linalg.cross", self.sizes(), other.sizes());
  const Tensor a = expand(self, shape), b = expand(other, shape);
  const Tensor result = lanewise::detail::empty_cpu(shape, self.scalar_type());
  if (const auto f = cross_of(self.scalar_type()); f != nullptr && result.stride(d) == 1) {
    TensorIterator iter = TensorIteratorConfig("linalg.cross")
                              .set_check_mem_overlap(false)
                              .resize_outputs(false)
                              .add_output(select(result, d, 0))
                              .add_input(select(a, d, 0))
                              .add_input(select(b, d, 0))
                              .build();
    const std::int64_t x = a.stride(d), y = b.stride(d);
    iter.for_each(
        [=](char** data, const std::int64_t* strides, std::int64_t n) { f(data, strides, n, x, y); });
    return result;
  }
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t j = (i + 1) % 3, k = (i + 2) % 3;
    Tensor part = select(result, d, i);
    pointwise_out(kMul, part, {select(a, d, j), select(b, d, k)});
    pointwise_out(kAddcmul, part, {part, select(a, d, k), select(b, d, j)}, {-1});
  }
  return result;
}

Tensor trace(const Tensor& self) {
  LANEWISE_CHECK(ShapeError, self.dim() == 2, "trace: expected a matrix, but got tensor with dim ",
                 self.dim());
  LANEWISE_CHECK(DtypeError, self.scalar_type() != kBool,
                 "trace: not defined for Bool; convert to a number type");
  return sum(diagonal(self));
}

}  // namespace lanewise::ops
