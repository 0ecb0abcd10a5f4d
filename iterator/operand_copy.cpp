#include <algorithm>

#include <lanewise/iterator/detail/operand_copy.h>
#include <lanewise/iterator/detail/raw_dtype.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::detail {

Tensor operand_copy(const char* op, const Tensor& t, ScalarType dtype) {
  const IntArrayRef strides = t.strides();
  const bool forward =
      std::all_of(strides.begin(), strides.end(), [](std::int64_t step) { return step >= 0; });
  const Tensor copy = forward ? empty_like_cpu(t, dtype) : empty_cpu(t.sizes(), dtype);
  const ScalarType types[] = {dtype, dtype};
  TensorIteratorConfig(op)
      .set_check_mem_overlap(false)
      .check_all_same_dtype(false)
      .resize_outputs(false)
      .add_borrowed_output(copy)
      .add_borrowed_input(t)
      .build()
      .run(kernels::active_kernels().copy->fn[static_cast<std::size_t>(raw_dtype(element_size(dtype)))],
           nullptr, types, {.cost = 1.5f, .in_order = false, .copies = true});
  return copy;
}

}  // namespace lanewise::detail
