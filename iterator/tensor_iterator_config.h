#pragma once

#include <cstdint>
#include <optional>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/iterator/operand.h>
#include <lanewise/tensor/inline_vector.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>
#include <lanewise/tensor/tensor_options.h>

namespace lanewise {

class TensorIterator;

/// Says what a TensorIterator iterates over: a sentence of operands and switches that ends in build().
///
///   TensorIterator iter = TensorIteratorConfig("hypot")  // the name begins every error
///                             .add_output(out)           // undefined: allocated after broadcasting
///                             .add_input(a)
///                             .add_input(b)
///                             .promote_inputs_to_common_dtype(true)
///                             .build();
///
/// Outputs come before inputs in the iterator, whatever the order of the calls. Each switch says what holds
/// when it is set.
class LANEWISE_API TensorIteratorConfig {
 public:
  /// `op` must outlive the iterator.
  explicit TensorIteratorConfig(const char* op = "TensorIterator") : op_(op) {}

  // Operands. Plain and owned ones hold a reference; borrowed ones must outlive the iterator. An undefined
  // output is allocated by build(); take it from TensorIterator::output().
  TensorIteratorConfig& add_output(const Tensor& output) { return add_owned_output(output); }
  TensorIteratorConfig& add_owned_output(Tensor output);
  TensorIteratorConfig& add_borrowed_output(const Tensor& output);
  TensorIteratorConfig& add_input(const Tensor& input) { return add_owned_input(input); }
  TensorIteratorConfig& add_owned_input(Tensor input);
  TensorIteratorConfig& add_borrowed_input(const Tensor& input);
  TensorIteratorConfig& add_const_input(const Tensor& input) { return add_owned_input(input); }
  TensorIteratorConfig& add_owned_const_input(const Tensor& input) { return add_owned_input(input); }
  TensorIteratorConfig& add_borrowed_const_input(const Tensor& input) { return add_borrowed_input(input); }
  /// A number that is the same for every element and promotes as a wrapped number.
  TensorIteratorConfig& add_number(const Scalar& number);
  /// The dtype in which functions see the operand that was added last, whatever the others are; it takes no
  /// part in promotion. An undefined output is allocated with it. For a bool mask among floats, say.
  TensorIteratorConfig& declare_dtype(ScalarType dtype);

  /// Outputs that overlap themselves, or inputs or other outputs in part, are errors. On at the start.
  TensorIteratorConfig& set_check_mem_overlap(bool on) { return set(check_mem_overlap_, on); }
  /// All operands must have one dtype. On at the start; the three switches of promotion turn it off, so set it after them.
  TensorIteratorConfig& check_all_same_dtype(bool on) { return set(check_all_same_dtype_, on); }
  /// Functions see every input in the common dtype; it is converted tile by tile on the way.
  TensorIteratorConfig& promote_inputs_to_common_dtype(bool on) {
    return set(promote_inputs_, on).allow_mixed_dtypes(on);
  }
  /// A common dtype that is integral or bool becomes the default dtype. Implies promotion.
  TensorIteratorConfig& promote_integer_inputs_to_float(bool on) {
    promote_inputs_ |= on;
    return set(integers_to_float_, on).allow_mixed_dtypes(on);
  }
  /// Functions write outputs in the common dtype, and they are converted tile by tile to their own.
  TensorIteratorConfig& cast_common_dtype_to_outputs(bool on) {
    return set(cast_outputs_, on).allow_mixed_dtypes(on);
  }
  /// The result's dtype must be one that can be cast to the output's: not float to integer, not complex to
  /// real.
  TensorIteratorConfig& enforce_safe_casting_to_output(bool on) { return set(safe_casting_, on); }
  /// Elements come in C order, dimensions are not reordered.
  TensorIteratorConfig& enforce_linear_iteration(bool on = true) { return set(linear_, on); }
  /// Outputs may be smaller than the inputs, with stride 0 in the dimensions that are reduced.
  TensorIteratorConfig& is_reduction(bool on) { return set(is_reduction_, on); }
  /// Outputs whose shape differs are resized, in silence; if off, that is an error. On at the start.
  TensorIteratorConfig& resize_outputs(bool on) { return set(resize_outputs_, on); }
  /// All operands are on the one device there is.
  TensorIteratorConfig& check_all_same_device(bool) { return *this; }
  /// 0-dim inputs may be broadcast; always so on the CPU, the switch is there for code that sets it.
  TensorIteratorConfig& allow_cpu_scalars(bool) { return *this; }
  /// Dtype of outputs that are undefined.
  TensorIteratorConfig& declare_static_dtype(ScalarType dtype) {
    static_dtype_ = dtype;
    return *this;
  }
  TensorIteratorConfig& declare_static_device(Device) { return *this; }
  TensorIteratorConfig& declare_static_dtype_and_device(ScalarType dtype, Device) {
    return declare_static_dtype(dtype);
  }
  /// The shape to iterate over, instead of the broadcast one. Operands may be larger; nothing is resized.
  TensorIteratorConfig& declare_static_shape(IntArrayRef shape);
  /// The same, with these dimensions iterated as if they were of size 1: the function walks along them by
  /// itself.
  TensorIteratorConfig& declare_static_shape(IntArrayRef shape, IntArrayRef squash_dims);

  /// Checks everything, then allocates or resizes outputs. Throws ShapeError, DtypeError, StorageError,
  /// IndexError, and ValueError, also if it was called already: the configuration is used up.
  TensorIterator build();

 private:
  friend class TensorIterator;

  IteratorOperand& add(bool is_output);
  TensorIteratorConfig& set(bool& flag, bool on) {
    flag = on;
    return *this;
  }
  TensorIteratorConfig& allow_mixed_dtypes(bool on) {
    check_all_same_dtype_ = check_all_same_dtype_ && !on;
    return *this;
  }

  const char* op_;
  InlineVector<IteratorOperand, 4> operands_;
  std::size_t num_outputs_ = 0;
  std::size_t last_added_ = 0;
  bool built_ = false;
  bool check_mem_overlap_ = true;
  bool check_all_same_dtype_ = true;
  bool promote_inputs_ = false;
  bool integers_to_float_ = false;
  bool cast_outputs_ = false;
  bool safe_casting_ = false;
  bool linear_ = false;
  bool is_reduction_ = false;
  bool resize_outputs_ = true;
  ScalarType static_dtype_ = ScalarType::Undefined;
  std::optional<DimVector> static_shape_;
  DimVector squashed_;  ///< dimensions of it that operands may have in any size
};

}  // namespace lanewise
