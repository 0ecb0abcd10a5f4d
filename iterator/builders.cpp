#include <lanewise/iterator/tensor_iterator.h>

// The ready-made iterators. Promotion, casts and checks of each are those of the ops that they are named
// after.
namespace lanewise {
namespace {

enum class Hold { Own, Borrow };

/// Adds operands, held or borrowed.
class Operands {
 public:
  Operands(TensorIteratorConfig& config, Hold hold) : config_(config), hold_(hold) {}
  Operands& output(const Tensor& t) {
    hold_ == Hold::Own ? config_.add_owned_output(t) : config_.add_borrowed_output(t);
    return *this;
  }
  Operands& input(const Tensor& t) {
    hold_ == Hold::Own ? config_.add_owned_input(t) : config_.add_borrowed_input(t);
    return *this;
  }

 private:
  TensorIteratorConfig& config_;
  Hold hold_;
};

TensorIteratorConfig arithmetic(const char* op, bool to_float = false) {
  TensorIteratorConfig config(op);
  config.promote_inputs_to_common_dtype(true)
      .promote_integer_inputs_to_float(to_float)
      .cast_common_dtype_to_outputs(true)
      .enforce_safe_casting_to_output(true);
  return config;
}

/// A fresh result is bool. One that was given has the dtype it has: bool takes the answer, any other takes it
/// as a number of the common dtype.
TensorIteratorConfig comparison(const char* op, const Tensor& out) {
  TensorIteratorConfig config(op);
  config.promote_inputs_to_common_dtype(true);
  if (!out.defined()) {
    config.declare_static_dtype(kBool);
  } else if (out.scalar_type() != kBool) {
    config.cast_common_dtype_to_outputs(true);
  }
  return config;
}

TensorIterator unary(TensorIteratorConfig config, Hold hold, const Tensor& out, const Tensor& a) {
  Operands(config, hold).output(out).input(a);
  return config.build();
}

TensorIterator binary(TensorIteratorConfig config, Hold hold, const Tensor& out, const Tensor& a,
                      const Tensor& b) {
  Operands(config, hold).output(out).input(a).input(b);
  return config.build();
}

TensorIterator nullary(TensorIteratorConfig config, Hold hold, const Tensor& out) {
  config.check_all_same_dtype(false).resize_outputs(false);
  Operands(config, hold).output(out);
  return config.build();
}

}  // namespace

TensorIterator TensorIterator::unary_op(const Tensor& out, const Tensor& a, const char* op) {
  return unary(TensorIteratorConfig(op), Hold::Own, out, a);
}

TensorIterator TensorIterator::borrowing_unary_op(const Tensor& out, const Tensor& a, const char* op) {
  return unary(TensorIteratorConfig(op), Hold::Borrow, out, a);
}

TensorIterator TensorIterator::unary_float_op(const Tensor& out, const Tensor& a, const char* op) {
  return unary(arithmetic(op, true), Hold::Own, out, a);
}

TensorIterator TensorIterator::binary_op(const Tensor& out, const Tensor& a, const Tensor& b,
                                         const char* op) {
  return binary(arithmetic(op), Hold::Own, out, a, b);
}

TensorIterator TensorIterator::borrowing_binary_op(const Tensor& out, const Tensor& a, const Tensor& b,
                                                   const char* op) {
  return binary(arithmetic(op), Hold::Borrow, out, a, b);
}

TensorIterator TensorIterator::binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b,
                                               const char* op) {
  return binary(arithmetic(op, true), Hold::Own, out, a, b);
}

TensorIterator TensorIterator::comparison_op(const Tensor& out, const Tensor& a, const Tensor& b,
                                             const char* op) {
  return binary(comparison(op, out), Hold::Own, out, a, b);
}

TensorIterator TensorIterator::ternary_op(const Tensor& out, const Tensor& a, const Tensor& b,
                                          const Tensor& c, const char* op) {
  return arithmetic(op)
      .add_owned_output(out)
      .add_owned_input(a)
      .add_owned_input(b)
      .add_owned_input(c)
      .build();
}

TensorIterator TensorIterator::nullary_op(const Tensor& out, const char* op) {
  return nullary(TensorIteratorConfig(op), Hold::Own, out);
}

TensorIterator TensorIterator::borrowing_nullary_op(const Tensor& out, const char* op) {
  return nullary(TensorIteratorConfig(op), Hold::Borrow, out);
}

TensorIterator TensorIterator::reduce_op(const Tensor& out, const Tensor& a, const char* op) {
  LANEWISE_CHECK(ValueError, out.defined(), op, ": the output of a reduction must be defined");
  return TensorIteratorConfig(op)
      .set_check_mem_overlap(false)
      .add_owned_output(out)
      .add_owned_input(a)
      .resize_outputs(false)
      .is_reduction(true)
      .promote_inputs_to_common_dtype(true)
      .build();
}

TensorIterator TensorIterator::reduce_op(const Tensor& out1, const Tensor& out2, const Tensor& a,
                                         const char* op) {
  LANEWISE_CHECK(ValueError, out1.defined() && out2.defined(), op,
                 ": the outputs of a reduction must be defined");
  LANEWISE_CHECK(ShapeError, out1.sizes().equals(out2.sizes()) && out1.strides().equals(out2.strides()), op,
                 ": outputs of shapes ", out1.sizes(), " and ", out2.sizes(), ", strides ", out1.strides(),
                 " and ", out2.strides(), "; both must be the same");
  return TensorIteratorConfig(op)
      .set_check_mem_overlap(false)
      .add_owned_output(out1)
      .add_owned_output(out2)
      .add_owned_input(a)
      .resize_outputs(false)
      .is_reduction(true)
      .check_all_same_dtype(false)
      .build();
}

void TensorIterator::build_unary_op(const Tensor& out, const Tensor& a) { *this = unary_op(out, a); }
void TensorIterator::build_borrowing_unary_op(const Tensor& out, const Tensor& a) {
  *this = borrowing_unary_op(out, a);
}
void TensorIterator::build_unary_float_op(const Tensor& out, const Tensor& a) {
  *this = unary_float_op(out, a);
}
void TensorIterator::build_borrowing_unary_float_op(const Tensor& out, const Tensor& a) {
  *this = unary(arithmetic("unary_float_op", true), Hold::Borrow, out, a);
}
void TensorIterator::build_output_borrowing_argument_owning_unary_op(const Tensor& out, const Tensor& a) {
  *this = TensorIteratorConfig("unary_op").add_borrowed_output(out).add_owned_input(a).build();
}
void TensorIterator::build_borrowing_unary_force_boolean_op(const Tensor& out, const Tensor& a) {
  *this = TensorIteratorConfig("unary_op")
              .check_all_same_dtype(false)
              .declare_static_dtype(kBool)
              .add_borrowed_output(out)
              .add_borrowed_input(a)
              .build();
}
void TensorIterator::build_binary_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  *this = binary_op(out, a, b);
}
void TensorIterator::build_borrowing_binary_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  *this = borrowing_binary_op(out, a, b);
}
void TensorIterator::build_binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  *this = binary_float_op(out, a, b);
}
void TensorIterator::build_borrowing_binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  *this = binary(arithmetic("binary_float_op", true), Hold::Borrow, out, a, b);
}
void TensorIterator::build_comparison_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  *this = comparison_op(out, a, b);
}
void TensorIterator::build_borrowing_comparison_op(const Tensor& out, const Tensor& a, const Tensor& b) {
  *this = binary(comparison("comparison_op", out), Hold::Borrow, out, a, b);
}
void TensorIterator::build_borrowing_except_last_argument_comparison_op(const Tensor& out, const Tensor& a,
                                                                        const Tensor& b) {
  *this = comparison("comparison_op", out)
              .add_borrowed_output(out)
              .add_borrowed_input(a)
              .add_owned_input(b)
              .build();
}
void TensorIterator::build_ternary_op(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c) {
  *this = ternary_op(out, a, b, c);
}

}  // namespace lanewise
