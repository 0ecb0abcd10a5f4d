#include <algorithm>

#include <lanewise/iterator/detail/operand_copy.h>
#include <lanewise/iterator/detail/raw_dtype.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::detail {

namespace {

void copy_into(const char* op, const Tensor& copy, const Tensor& t) {
  const kernels::ElementwiseKernel& kernel = *kernels::active_kernels().copy;
  const ScalarType raw = raw_dtype(copy.itemsize());
  const ScalarType types[] = {copy.scalar_type(), copy.scalar_type()};
  TensorIteratorConfig(op)
      .set_check_mem_overlap(false)
      .check_all_same_dtype(false)
      .resize_outputs(false)
      .add_borrowed_output(copy)
      .add_borrowed_input(t)
      .build()
      .run(kernel.fn[static_cast<std::size_t>(raw)], nullptr, types,
           {.cost = 1.5f,
            .in_order = false,
            .copies = true,
            .rows = (kernel.rows >> static_cast<int>(raw) & 1) != 0});
}

}  // namespace

Tensor operand_copy(const char* op, const Tensor& t, ScalarType dtype) {
  const IntArrayRef strides = t.strides();
  const bool forward =
      std::all_of(strides.begin(), strides.end(), [](std::int64_t step) { return step >= 0; });
  Tensor copy = forward ? empty_like_cpu(t, dtype) : empty_cpu(t.sizes(), dtype);
  copy_into(op, copy, t);
  return copy;
}

Tensor contiguous_copy(const char* op, const Tensor& t) {
  Tensor copy = empty_cpu(t.sizes(), t.scalar_type());
  copy_into(op, copy, t);
  return copy;
}

}  // namespace lanewise::detail
