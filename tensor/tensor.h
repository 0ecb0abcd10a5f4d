#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/accessor.h>
#include <lanewise/tensor/array_ref.h>
#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/generator.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor_impl.h>
#include <lanewise/tensor/tensor_options.h>
#include <lanewise/tensor/type_properties.h>

namespace lanewise {

class Tensor;
namespace autograd {
struct Node;
}
namespace indexing {
struct TensorIndex;
}
using TensorList = ArrayRef<Tensor>;

/// An array of elements of one type, a view into memory that may be shared: copying a Tensor copies a
/// pointer. A default-constructed Tensor is undefined: it has no memory; its sizes are [0], its dtype is
/// Undefined, and what it cannot answer throws ValueError. Reading one tensor from several threads is safe;
/// writing needs the caller's care.
class LANEWISE_API Tensor {
 public:
  Tensor() noexcept : impl_(nullptr) {}
  /// Takes over one reference.
  explicit Tensor(TensorImpl* impl) noexcept : impl_(impl) {}
  Tensor(const Tensor& other) noexcept : impl_(other.impl_) {
    if (impl_ != nullptr) impl_->retain();
  }
  Tensor(Tensor&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
  // No tensor, where libtorch takes a std::optional<Tensor>: undefined.
  Tensor(std::nullopt_t) noexcept : impl_(nullptr) {}
  template <class T>
    requires std::is_same_v<T, std::optional<Tensor>>
  Tensor(const T& tensor) noexcept : Tensor(tensor ? *tensor : Tensor()) {}
  ~Tensor() {
    if (impl_ != nullptr) impl_->release();
  }
  Tensor& operator=(const Tensor& other) & noexcept {
    Tensor(other).swap(*this);
    return *this;
  }
  Tensor& operator=(Tensor&& other) & noexcept {
    Tensor(std::move(other)).swap(*this);
    return *this;
  }
  /// To a temporary, such as `x[0] = y`: copies the values of `other` into its memory.
  Tensor& operator=(const Tensor& other) &&;
  Tensor& operator=(Tensor&& other) &&;
  Tensor& operator=(const Scalar& value) &&;
  void swap(Tensor& other) noexcept { std::swap(impl_, other.impl_); }

  bool defined() const noexcept { return impl_ != nullptr; }
  void reset() noexcept { *this = Tensor(); }
  TensorImpl* unsafeGetTensorImpl() const noexcept { return impl_; }
  TensorImpl* unsafeReleaseTensorImpl() noexcept { return std::exchange(impl_, nullptr); }
  bool is_same(const Tensor& other) const noexcept { return impl_ == other.impl_; }
  std::uint32_t use_count() const noexcept { return impl_ == nullptr ? 0 : impl_->use_count(); }
  bool is_same_size(const Tensor& other) const {
    return asked("is_same_size")->sizes().equals(other.asked("is_same_size")->sizes());
  }
  /// Whether both look at the same memory in the same way.
  bool is_set_to(const Tensor& tensor) const;
  bool is_alias_of(const Tensor& other) const { return storage().is_same(other.storage()); }

  // Shape and memory.
  IntArrayRef sizes() const noexcept { return impl_ != nullptr ? impl_->sizes() : undefined_sizes(); }
  IntArrayRef strides() const { return asked("strides")->strides(); }
  /// Negative dims count from the end. Throws IndexError out of range, and for any dim of a 0-dim tensor.
  std::int64_t size(std::int64_t dim) const;
  std::int64_t stride(std::int64_t dim) const;
  std::int64_t dim() const noexcept { return impl_ != nullptr ? impl_->dim() : 1; }
  std::int64_t ndimension() const noexcept { return dim(); }
  std::int64_t numel() const noexcept { return impl_ != nullptr ? impl_->numel() : 0; }
  std::size_t itemsize() const { return asked("itemsize")->itemsize(); }
  std::int64_t element_size() const { return static_cast<std::int64_t>(itemsize()); }
  std::size_t nbytes() const { return static_cast<std::size_t>(numel()) * itemsize(); }
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
    const TensorImpl* impl = asked("is_contiguous");
    return format == MemoryFormat::Contiguous ? impl->is_contiguous() : lies_in(format);
  }
  bool is_non_overlapping_and_dense() const {
    return asked("is_non_overlapping_and_dense")->is_non_overlapping_and_dense();
  }
  /// ChannelsLast or ChannelsLast3d if the strides look so (see memory_format.h), exactly or with gaps, else Contiguous.
  MemoryFormat suggest_memory_format(bool channels_last_strides_exact_match = false) const;
  const Storage& storage() const { return asked("storage")->storage(); }
  bool has_storage() const noexcept { return defined(); }
  std::int64_t storage_offset() const { return asked("storage_offset")->storage_offset(); }

  // Type.
  ScalarType scalar_type() const noexcept {
    return impl_ != nullptr ? impl_->dtype() : ScalarType::Undefined;
  }
  ScalarType dtype() const noexcept { return scalar_type(); }
  DeprecatedTypeProperties& type() const { return CPU(scalar_type()); }
  bool is_floating_point() const noexcept { return lanewise::is_floating_point(scalar_type()); }
  bool is_complex() const noexcept { return lanewise::is_complex(scalar_type()); }
  bool is_signed() const { return lanewise::is_signed(asked("is_signed")->dtype()); }
  TensorOptions options() const { return TensorOptions(asked("options")->dtype()); }
  Device device() const {
    asked("device");
    return {};
  }
  Layout layout() const noexcept { return kStrided; }
  bool is_cpu() const noexcept { return defined(); }
  bool is_cuda() const noexcept { return false; }
  bool is_pinned() const noexcept { return false; }
  /// Tensors have no named dimensions.
  bool has_names() const noexcept { return false; }
  /// What other libraries' tensors may be and these never are; libtorch's names.
  bool is_meta() const noexcept { return false; }
  bool is_sparse() const noexcept { return false; }
  bool is_quantized() const noexcept { return false; }
  bool is_mkldnn() const noexcept { return false; }
  bool is_nested() const noexcept { return false; }
  bool is_conj() const noexcept { return false; }
  bool is_neg() const noexcept { return false; }
  std::int64_t get_device() const { return device().index(); }
  /// libtorch once had others.
  bool is_variable() const noexcept { return true; }
  /// "CPUFloatType"; "UndefinedType" of an undefined tensor.
  std::string toString() const { return type().toString(); }
  /// Conversions; the tensor itself where nothing is to be done. ops/conversions.cpp. The options of to()
  /// must not ask for requires_grad: throws ValueError.
  Tensor to(Device device) const;
  Tensor to(DeviceType device) const;
  template <std::size_t N>
  Tensor to(const char (&device)[N]) const {
    return to(Device(device));
  }
  Tensor to(Device device, ScalarType dtype, bool non_blocking = false, bool copy = false,
            std::optional<MemoryFormat> memory_format = std::nullopt) const;
  Tensor to(const TensorOptions& options, bool non_blocking = false, bool copy = false,
            std::optional<MemoryFormat> memory_format = std::nullopt) const;
  Tensor toType(ScalarType dtype) const;
  Tensor toType(const DeprecatedTypeProperties& type) const;
  /// The tensor itself: there is no other device.
  Tensor cpu() const { return *this; }
  /// Fresh tensors with the dtype of this one, if options name no other. ops/composite_factories.cpp.
  Tensor new_empty(IntArrayRef size, const TensorOptions& options = {}) const;
  Tensor new_empty_strided(IntArrayRef size, IntArrayRef stride, const TensorOptions& options = {}) const;
  Tensor new_zeros(IntArrayRef size, const TensorOptions& options = {}) const;
  Tensor new_ones(IntArrayRef size, const TensorOptions& options = {}) const;
  Tensor new_full(IntArrayRef size, const Scalar& fill_value, const TensorOptions& options = {}) const;
  bool is_wrapped_number() const noexcept { return impl_ != nullptr && impl_->is_wrapped_number(); }

  // Elements.
  /// The first element; null if there is none.
  void* data_ptr() const {
    const TensorImpl* t = asked("data_ptr");
    return t->numel() == 0 ? nullptr : t->data();
  }
  const void* const_data_ptr() const { return data_ptr(); }
  void* mutable_data_ptr() const { return data_ptr(); }
  /// Throws DtypeError unless T is the element type.
  template <class T>
  T* data_ptr() const {
    check_element_type("data_ptr", scalar_type_of<T>);
    return static_cast<T*>(data_ptr());
  }
  template <class T>
  T* data() const {
    return data_ptr<T>();
  }
  template <class T>
  const T* const_data_ptr() const {
    return data_ptr<T>();
  }
  template <class T>
  T* mutable_data_ptr() const {
    return data_ptr<T>();
  }
  /// The value of a tensor with exactly one element, else ValueError.
  Scalar item() const;
  template <class T>
  T item() const {
    return item().to<T>();
  }
  /// `auto a = t.accessor<float, 2>(); a[i][j]`. Throws DtypeError, ShapeError.
  template <class T, std::size_t N>
  TensorAccessor<T, N> accessor() const& {
    static_assert(N > 0, "read a 0-dim tensor with item<T>()");
    check_element_type("accessor", scalar_type_of<T>);
    LANEWISE_CHECK(ShapeError, dim() == static_cast<std::int64_t>(N), "accessor: TensorAccessor expected ", N,
                   " dims but tensor has ", dim());
    return {static_cast<T*>(impl_->data()), sizes().data(), strides().data()};
  }
  template <class T, std::size_t N>
  TensorAccessor<T, N> accessor() && = delete;  // it would dangle

  /// Accessors that keep sizes and strides in themselves, as 64-bit integers or as 32-bit ones, which the number of elements
  /// and the strides must fit. Throws DtypeError, ShapeError, ValueError.
  template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() const& {
    const TensorAccessor<T, N> a = accessor<T, N>();
    return {a.data(), a.sizes().data(), a.strides().data()};
  }
  template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() && = delete;
  template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() const& {
    const TensorAccessor<T, N> a = accessor<T, N>();
    bool fits = numel() <= INT32_MAX;
    for (const std::int64_t stride : a.strides()) fits = fits && stride >= INT32_MIN && stride <= INT32_MAX;
    LANEWISE_CHECK(ValueError, fits,
                   "packed_accessor32: numel needs to be smaller than int32_t max, strides too; otherwise, "
                   "please use packed_accessor64");
    return {a.data(), a.sizes().data(), a.strides().data()};
  }
  template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() && = delete;

  /// Indexing with integers, Slice, None, Ellipsis, bools and tensors (integers, or masks of bool; uint8 masks warn);
  /// `x.index({0, Slice(None, 3), mask})`. A view unless tensors or bools are among them. Of several tensors,
  /// which broadcast, the dimensions of their common shape come first if they do not stand side by side.
  /// Throws IndexError.
  Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
  /// Writes `value`, broadcast to the shape of index(indices), there; with tensors among the indices it must have self's dtype, else it
  /// is converted. Of places that are named twice one of the values stays. Throws ShapeError, IndexError, DtypeError, before anything is
  /// written.
  Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& value);
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Tensor& value);
  Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar& value);
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, const Scalar& value);
  /// x.select(0, i).
  Tensor operator[](std::int64_t i) const;
  /// The same with a 0-dim integer tensor; index({i}) takes any other.
  Tensor operator[](const Tensor& i) const;
  Tensor operator[](const Scalar& i) const;

  /// Same shape and values (of any dtypes); NaN differs from NaN.
  bool equal(const Tensor& other) const;
  /// Whether the one element is not zero. Throws ValueError for any other number of elements.
  bool is_nonzero() const;
  /// |self - other| <= atol + rtol * |other| everywhere.
  bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) const;
  void print() const;
  /// `f(*this, args...)`, for chains.
  template <class F, class... Args>
  decltype(auto) m(F f, Args&&... args) const {
    return f(*this, std::forward<Args>(args)...);
  }

  // Automatic differentiation (defined in autograd/).
  bool requires_grad() const noexcept { return impl_ != nullptr && impl_->requires_grad(); }
  const Tensor& set_requires_grad(bool requires_grad) const;
  const Tensor& requires_grad_(bool requires_grad = true) const { return set_requires_grad(requires_grad); }
  bool is_leaf() const;
  const std::shared_ptr<autograd::Node>& grad_fn() const;
  std::uint32_t output_nr() const;
  const Tensor& grad() const;
  Tensor& mutable_grad() const;
  void backward(const Tensor& gradient = {}, std::optional<bool> retain_graph = std::nullopt,
                bool create_graph = false, std::optional<TensorList> inputs = std::nullopt) const;
  /// `hook(grad)` runs when the gradient of this tensor is computed; what it returns, if defined, replaces
  /// it.
  template <class F>
  unsigned register_hook(F&& hook) const;
  void remove_hook(unsigned handle) const;
  void retain_grad() const;
  bool retains_grad() const;
  /// The same memory and version counter, outside the graph.
  Tensor detach() const;
  Tensor& detach_() const;
  /// The same memory outside the graph, with versions counted apart.
  Tensor variable_data() const;
  Tensor tensor_data() const;
  Tensor data() const { return variable_data(); }
  void set_data(const Tensor& other) const;
  /// Over that memory: all of it, or a window of it, contiguous without strides; the memory grows if it is too small.
  /// Throws as set_(Tensor), and ShapeError, StorageError. ops/inplace_views.cpp.
  Tensor& set_(const Storage& source) const;
  Tensor& set_(const Storage& source, std::int64_t storage_offset, IntArrayRef size, IntArrayRef stride = {}) const;
  std::int64_t _version() const;
  bool is_inference() const noexcept { return impl_ != nullptr && impl_->is_inference(); }
  bool is_view() const { return _is_view(); }
  bool _is_view() const;
  const Tensor& _base() const;
  /// What autograd::impl::set_name() gave it; else empty.
  const std::string& name() const;
  /// The tangent at a dual level, undefined if there is none; the tensor without it. forward_ad.h.
  Tensor _fw_grad(std::uint64_t level) const;
  Tensor _fw_primal(std::int64_t level) const;

  // Arithmetic; a number is a wrapped number. Defined in ops/operators.cpp.
  Tensor operator-() const;
  Tensor operator~() const;
  Tensor& operator+=(const Tensor& other);
  Tensor& operator+=(const Scalar& other);
  Tensor& operator-=(const Tensor& other);
  Tensor& operator-=(const Scalar& other);
  Tensor& operator*=(const Tensor& other);
  Tensor& operator*=(const Scalar& other);
  Tensor& operator/=(const Tensor& other);
  Tensor& operator/=(const Scalar& other);
  Tensor& operator&=(const Tensor& other);
  Tensor& operator|=(const Tensor& other);
  Tensor& operator^=(const Tensor& other);

  // Random numbers from a stream of their own, or the process-wide one if there is none: generator.h. Without a
  // generator: tensor_methods.inc. Defined in autograd/generator_forms.cpp.
  Tensor& normal_(double mean, double std, const std::optional<Generator>& generator) const;
  Tensor& uniform_(double from, double to, const std::optional<Generator>& generator) const;
  Tensor& random_(std::int64_t from, std::optional<std::int64_t> to,
                  const std::optional<Generator>& generator) const;
  Tensor& random_(std::int64_t to, const std::optional<Generator>& generator) const;
  Tensor& random_(const std::optional<Generator>& generator) const;
  Tensor& bernoulli_(double p, const std::optional<Generator>& generator) const;
  Tensor& bernoulli_(const Tensor& p, const std::optional<Generator>& generator) const;
  Tensor& exponential_(double lambd, const std::optional<Generator>& generator) const;
  Tensor& geometric_(double p, const std::optional<Generator>& generator) const;
  Tensor& cauchy_(double median, double sigma, const std::optional<Generator>& generator) const;
  Tensor& log_normal_(double mean, double std, const std::optional<Generator>& generator) const;
  Tensor bernoulli(const std::optional<Generator>& generator) const;
  Tensor bernoulli(double p, const std::optional<Generator>& generator) const;
  Tensor multinomial(std::int64_t num_samples, bool replacement,
                     const std::optional<Generator>& generator) const;

#include <lanewise/generated/tensor_methods.inc>

 private:
  static IntArrayRef undefined_sizes() noexcept;
  [[noreturn]] static void raise_undefined(const char* asked);
  TensorImpl* asked(const char* what) const {
    if (impl_ == nullptr) [[unlikely]]
      raise_undefined(what);
    return impl_;
  }
  bool lies_in(MemoryFormat format) const noexcept;
  void check_element_type(const char* op, ScalarType asked) const {
    if (__builtin_expect(asked != scalar_type(), 0)) wrong_element_type(op, asked);
  }
  [[noreturn]] void wrong_element_type(const char* op, ScalarType asked) const;
  unsigned register_hook_impl(std::function<Tensor(const Tensor&)> hook) const;

  TensorImpl* impl_;
};

template <class F>
unsigned Tensor::register_hook(F&& hook) const {
  if constexpr (std::is_void_v<std::invoke_result_t<F&, const Tensor&>>) {
    return register_hook_impl([h = std::forward<F>(hook)](const Tensor& grad) mutable {
      h(grad);
      return Tensor();
    });
  } else {
    return register_hook_impl(std::forward<F>(hook));
  }
}

LANEWISE_API std::ostream& operator<<(std::ostream& out, const Tensor& t);
LANEWISE_API bool equal(const Tensor& a, const Tensor& b);
LANEWISE_API bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
                           bool equal_nan = false);

// Methods that are functions as well.
inline std::int64_t numel(const Tensor& self) noexcept { return self.numel(); }
inline bool is_nonzero(const Tensor& self) { return self.is_nonzero(); }
inline bool is_floating_point(const Tensor& self) noexcept { return self.is_floating_point(); }
inline bool is_complex(const Tensor& self) noexcept { return self.is_complex(); }
inline bool is_signed(const Tensor& self) noexcept { return self.is_signed(); }

#define LANEWISE_DECLARE_OPERATOR(op)                                \
  LANEWISE_API Tensor operator op(const Tensor& a, const Tensor& b); \
  LANEWISE_API Tensor operator op(const Tensor& a, const Scalar& b); \
  LANEWISE_API Tensor operator op(const Scalar& a, const Tensor& b);
LANEWISE_DECLARE_OPERATOR(+)
LANEWISE_DECLARE_OPERATOR(-)
LANEWISE_DECLARE_OPERATOR(*)
LANEWISE_DECLARE_OPERATOR(/)
LANEWISE_DECLARE_OPERATOR(%)
LANEWISE_DECLARE_OPERATOR(&)
LANEWISE_DECLARE_OPERATOR(|)
LANEWISE_DECLARE_OPERATOR(^)
LANEWISE_DECLARE_OPERATOR(==)
LANEWISE_DECLARE_OPERATOR(!=)
LANEWISE_DECLARE_OPERATOR(<)
LANEWISE_DECLARE_OPERATOR(<=)
LANEWISE_DECLARE_OPERATOR(>)
LANEWISE_DECLARE_OPERATOR(>=)
#undef LANEWISE_DECLARE_OPERATOR

using Variable = Tensor;

/// libtorch's name for a tensor without the methods of ops.
using TensorBase = Tensor;

}  // namespace lanewise
