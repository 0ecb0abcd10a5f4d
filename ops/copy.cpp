#include <cstring>

#include <lanewise/dispatch_isa/detail/observe.h>
#include <lanewise/iterator/detail/copy_bytes.h>
#include <lanewise/iterator/detail/number.h>
#include <lanewise/iterator/detail/raw_dtype.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/checks.h>
#include <lanewise/ops/copy.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

/// Filled before an iterator would be built.
constexpr std::int64_t kFewElements = 4096;
/// Rows of so many bytes are copied by the kernel, longer ones by the system.
constexpr std::size_t kShortRow = 1024;

struct CopyContext {
  kernels::ElementwiseFn spread;  // for a broadcast source
  std::int64_t element_size;
};

void copy_run(char* const* data, std::uint32_t broadcast, std::int64_t n,
              const kernels::KernelScalar* opaque) {
  const auto& context = *reinterpret_cast<const CopyContext*>(opaque);
  const auto bytes = static_cast<std::size_t>(n * context.element_size);
  if ((broadcast & ~kernels::kManyRows) != 0 || (broadcast != 0 && bytes <= kShortRow)) {
    context.spread(data, broadcast, n, nullptr);
  } else if (broadcast != 0) {
    const auto& rows = *reinterpret_cast<const kernels::ElementwiseRows*>(data);
    for (std::int64_t r = 0; r < rows.count; ++r)
      lanewise::detail::copy_bytes(data[0] + r * rows.step[0], data[1] + r * rows.step[1], bytes);
  } else {
    lanewise::detail::copy_bytes(data[0], data[1], bytes);
  }
}

/// Whether the copying kernel takes many rows of such elements in a call.
bool takes_rows(ScalarType raw) {
  return (kernels::active_kernels().copy->rows >> static_cast<int>(raw) & 1) != 0;
}

void copy_elements(const TensorIterator& iter) {
  const ScalarType from = iter.memory_dtype(1), to = iter.memory_dtype(0);
  const ScalarType raw = lanewise::detail::raw_dtype(element_size(to));
  const CopyContext context{kernels::active_kernels().copy->fn[static_cast<std::size_t>(raw)],
                            static_cast<std::int64_t>(element_size(to))};
  // The conversion, if any, is the iterator's: the function sees the target's dtype on both sides.
  const ScalarType types[] = {to, to};
  iter.run(copy_run, reinterpret_cast<const kernels::KernelScalar*>(&context), types,
           {.cost = from == to ? 1.0f : 1.5f, .in_order = false, .copies = true, .rows = takes_rows(raw)});
}

void copy_into_fresh(const Tensor& out, const Tensor& src, const char* op) {
  const TensorIterator iter = TensorIteratorConfig(op)
                                  .set_check_mem_overlap(false)
                                  .check_all_same_dtype(false)
                                  .resize_outputs(false)
                                  .add_borrowed_output(out)
                                  .add_borrowed_input(src)
                                  .build();
  copy_elements(iter);
}

/// Contiguous tensors of one dtype and shape, apart from each other, of so few bytes that an iterator takes longer to set up
/// than they take to copy.
bool is_few_bytes(const Tensor& self, const Tensor& src) {
  constexpr std::size_t kFewBytes = 16 << 10;
  if (self.scalar_type() != src.scalar_type() || !self.is_contiguous() || !src.is_contiguous() ||
      !self.sizes().equals(src.sizes()) || lanewise::detail::is_observed()) {
    return false;
  }
  const std::size_t bytes = self.nbytes();
  const auto *to = static_cast<const char*>(self.data_ptr()),
             *from = static_cast<const char*>(src.data_ptr());
  return bytes > 0 && bytes <= kFewBytes && (to + bytes <= from || from + bytes <= to);
}

}  // namespace

Tensor& copy_(Tensor& self, const Tensor& src, bool) {
  check_defined("copy_", "self", self);
  check_defined("copy_", "src", src);
  if (self.is_same(src)) {
    return self;
  }
  if (is_few_bytes(self, src)) {
    std::memcpy(self.data_ptr(), src.data_ptr(), self.nbytes());
    return self;
  }
  const TensorIterator iter = TensorIteratorConfig("copy_")
                                  .check_all_same_dtype(false)
                                  .resize_outputs(false)
                                  .add_borrowed_output(self)
                                  .add_borrowed_input(src)
                                  .build();
  copy_elements(iter);
  return self;
}

Tensor& fill_(Tensor& self, const Scalar& value) {
  check_defined("fill_", "self", self);
  value.check_fits(self.scalar_type(), "fill_");
  alignas(16) char element[16];
  lanewise::detail::write_number(value, self.scalar_type(), element);
  fill_with(self, element);
  return self;
}

void fill_with(const Tensor& self, char* element) {
  const ScalarType raw = lanewise::detail::raw_dtype(self.itemsize());
  const kernels::ElementwiseFn spread = kernels::active_kernels().copy->fn[static_cast<std::size_t>(raw)];
  if (self.numel() <= kFewElements && self.is_non_overlapping_and_dense()) {
    char* operands[] = {static_cast<char*>(self.data_ptr()), element};
    spread(operands, 2, self.numel(), nullptr);
    return;
  }
  Tensor out = self;
  // Filling elements that share memory is harmless: all get the same value.
  const TensorIterator iter = TensorIteratorConfig("fill_")
                                  .set_check_mem_overlap(false)
                                  .resize_outputs(false)
                                  .add_borrowed_output(out)
                                  .build();
  struct Context {
    kernels::ElementwiseFn spread;
    char* element;
  } const context{spread, element};
  const auto run = [](char* const* data, std::uint32_t broadcast, std::int64_t n,
                      const kernels::KernelScalar* opaque) {
    const auto& c = *reinterpret_cast<const Context*>(opaque);
    kernels::ElementwiseRows rows;
    if (broadcast != 0) {
      const auto& given = *reinterpret_cast<const kernels::ElementwiseRows*>(data);
      rows.count = given.count;
      rows.step[0] = given.step[0];
      rows.step[1] = 0;
      rows.moving = 0;
    }
    rows.data[0] = data[0];
    rows.data[1] = c.element;
    c.spread(rows.data.data(), 2 | broadcast, n, nullptr);
  };
  const ScalarType types[] = {self.scalar_type()};
  iter.run(run, reinterpret_cast<const kernels::KernelScalar*>(&context), types,
           {.cost = 1, .in_order = false, .copies = false, .rows = takes_rows(raw)});
}

Tensor& fill_(Tensor& self, const Tensor& value) {
  check_defined("fill_", "value", value);
  LANEWISE_CHECK(ShapeError, value.dim() == 0,
                 "fill_ only supports 0-dimension value tensor but got tensor with ", value.dim(),
                 " dimensions, of shape ", value.sizes());
  return fill_(self, value.item());
}

Tensor filled(IntArrayRef sizes, ScalarType dtype, const Scalar& value) {
  Tensor result = lanewise::detail::empty_cpu(sizes, dtype);
  fill_(result, value);
  return result;
}

Tensor fill(const Tensor& self, const Scalar& value) {
  Tensor result = lanewise::detail::empty_like_cpu(self, self.scalar_type());
  return fill_(result, value);
}

Tensor fill(const Tensor& self, const Tensor& value) {
  Tensor result = lanewise::detail::empty_like_cpu(self, self.scalar_type());
  return fill_(result, value);
}

Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format) {
  return to_copy(self, std::nullopt, memory_format);
}

Tensor to_copy(const Tensor& self, std::optional<ScalarType> dtype,
               std::optional<MemoryFormat> memory_format) {
  check_defined("_to_copy", "self", self);
  const ScalarType type = dtype.value_or(self.scalar_type());
  const Tensor out = lanewise::detail::empty_like_in("_to_copy", self, type, memory_format);
  copy_into_fresh(out, self, "_to_copy");
  return out;
}

Tensor contiguous(const Tensor& self) {
  check_defined("contiguous", "self", self);
  if (self.is_contiguous()) return self;
  const Tensor out = lanewise::detail::empty_cpu(self.sizes(), self.scalar_type());
  copy_into_fresh(out, self, "contiguous");
  return out;
}

}  // namespace lanewise::ops
