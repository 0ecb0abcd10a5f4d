#include <lanewise/iterator/tensor_iterator.h>

// The ready-made iterators. Promotion, casts and checks of each are those of the ops that they are named after.
namespace lanewise {
namespace {

TensorIteratorConfig arithmetic(const char* op) {
  TensorIteratorConfig config(op);
  config.promote_inputs_to_common_dtype(true).cast_common_dtype_to_outputs(true).enforce_safe_casting_to_output(true);
  return config;
}

}  // namespace

TensorIterator TensorIterator::unary_op(const Tensor& out, const Tensor& a, const char* op) {
  return TensorIteratorConfig(op).add_output(out).add_input(a).build();
}

TensorIterator TensorIterator::borrowing_unary_op(const Tensor& out, const Tensor& a, const char* op) {
  return TensorIteratorConfig(op).add_borrowed_output(out).add_borrowed_input(a).build();
}

TensorIterator TensorIterator::unary_float_op(const Tensor& out, const Tensor& a, const char* op) {
  return arithmetic(op).promote_integer_inputs_to_float(true).add_output(out).add_input(a).build();
}

TensorIterator TensorIterator::binary_op(const Tensor& out, const Tensor& a, const Tensor& b, const char* op) {
  return arithmetic(op).add_output(out).add_input(a).add_input(b).build();
}

TensorIterator TensorIterator::borrowing_binary_op(const Tensor& out, const Tensor& a, const Tensor& b, const char* op) {
  return arithmetic(op).add_borrowed_output(out).add_borrowed_input(a).add_borrowed_input(b).build();
}

TensorIterator TensorIterator::binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b, const char* op) {
  return arithmetic(op).promote_integer_inputs_to_float(true).add_output(out).add_input(a).add_input(b).build();
}

TensorIterator TensorIterator::comparison_op(const Tensor& out, const Tensor& a, const Tensor& b, const char* op) {
  return arithmetic(op).add_output(out).declare_dtype(kBool).add_input(a).add_input(b).build();
}

TensorIterator TensorIterator::ternary_op(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c,
                                          const char* op) {
  return arithmetic(op).add_output(out).add_input(a).add_input(b).add_input(c).build();
}

TensorIterator TensorIterator::nullary_op(const Tensor& out, const char* op) {
  return TensorIteratorConfig(op).check_all_same_dtype(false).resize_outputs(false).add_output(out).build();
}

TensorIterator TensorIterator::borrowing_nullary_op(const Tensor& out, const char* op) {
  return TensorIteratorConfig(op).check_all_same_dtype(false).resize_outputs(false).add_borrowed_output(out).build();
}

TensorIterator TensorIterator::reduce_op(const Tensor& out, const Tensor& a, const char* op) {
  return TensorIteratorConfig(op)
      .set_check_mem_overlap(false)
      .add_output(out)
      .add_input(a)
      .resize_outputs(false)
      .is_reduction(true)
      .promote_inputs_to_common_dtype(true)
      .build();
}

}  // namespace lanewise
