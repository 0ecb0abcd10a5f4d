#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/iterator/function_ref.h>
#include <lanewise/iterator/tensor_iterator_config.h>
#include <lanewise/kernels/kernel.h>

namespace lanewise {

/// Elements [begin, end) of an iteration.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
};

/// Iterates over the elements of several tensors at once: broadcast to one shape, promoted to a common dtype, with
/// dimensions reordered and merged so that memory is walked in order. Nothing is copied to temporary tensors:
/// operands of another dtype or layout pass through tiles of a few KiB.
///
/// Dimension 0 is the fastest, unlike that of a Tensor. Made by TensorIteratorConfig or one of the builders.
class LANEWISE_API TensorIterator {
 public:
  /// loop(data, strides, n): `data` has a pointer per operand (outputs first), `strides` a step in bytes per operand.
  using Loop1d = FunctionRef<void(char** data, const std::int64_t* strides, std::int64_t n)>;
  /// loop(data, strides, n0, n1): the steps of the inner dimension, then those of the outer one.
  using Loop2d =
      FunctionRef<void(char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1)>;
  /// A kernels::ElementwiseFn that may throw and gets a context of its own.
  using RunFn = void (*)(char* const* data, std::uint32_t broadcast, std::int64_t n,
                         const kernels::KernelScalar* context);

  /// Elements of a cheap loop that are worth a thread of their own.
  static constexpr std::int64_t kGrainSize = 32768;

  explicit TensorIterator(TensorIteratorConfig&& config) { build(config); }

  // Ready-made: `out` may be undefined. Borrowing ones hold no references. Shape and dtype rules are those of the ops.
  static TensorIterator unary_op(const Tensor& out, const Tensor& a, const char* op = "unary_op");
  static TensorIterator unary_float_op(const Tensor& out, const Tensor& a, const char* op = "unary_float_op");
  static TensorIterator binary_op(const Tensor& out, const Tensor& a, const Tensor& b, const char* op = "binary_op");
  static TensorIterator binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b,
                                        const char* op = "binary_float_op");
  static TensorIterator comparison_op(const Tensor& out, const Tensor& a, const Tensor& b,
                                      const char* op = "comparison_op");
  static TensorIterator ternary_op(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c,
                                   const char* op = "ternary_op");
  static TensorIterator nullary_op(const Tensor& out, const char* op = "nullary_op");
  static TensorIterator reduce_op(const Tensor& out, const Tensor& a, const char* op = "reduce_op");
  static TensorIterator borrowing_unary_op(const Tensor& out, const Tensor& a, const char* op = "unary_op");
  static TensorIterator borrowing_binary_op(const Tensor& out, const Tensor& a, const Tensor& b,
                                            const char* op = "binary_op");
  static TensorIterator borrowing_nullary_op(const Tensor& out, const char* op = "nullary_op");

  int ntensors() const { return static_cast<int>(operands_.size()); }
  int noutputs() const { return num_outputs_; }
  int ninputs() const { return ntensors() - num_outputs_; }
  const Tensor& tensor(int i) const { return operand(i).tensor(); }
  const Tensor& output(int i = 0) const { return tensor(i); }
  const Tensor& input(int i = 0) const { return tensor(num_outputs_ + i); }

  int ndim() const { return static_cast<int>(shape_.size()); }
  IntArrayRef shape() const { return shape_; }
  std::int64_t numel() const;
  /// Steps in bytes, fastest dimension first.
  IntArrayRef strides(int i) const { return operand(i).strides; }
  /// Position among the tensors' dimensions of each dimension, before they were merged.
  IntArrayRef perm() const { return perm_; }
  bool has_coalesced_dimensions() const { return coalesced_; }
  void* data_ptr(int i) const { return operand(i).address(); }
  /// The dtype in which functions see an operand.
  ScalarType dtype(int i = 0) const { return operand(i).target; }
  ScalarType input_dtype(int i = 0) const { return dtype(num_outputs_ + i); }
  /// The dtype that it has in memory.
  ScalarType memory_dtype(int i = 0) const { return operand(i).memory; }
  /// Throws DtypeError if none was computed.
  ScalarType common_dtype() const;
  std::int64_t element_size(int i) const { return static_cast<std::int64_t>(lanewise::element_size(dtype(i))); }
  bool is_scalar(int i) const { return operand(i).is_number || operand(i).tensor().numel() == 1; }
  bool is_cpu_scalar(int i) const { return is_scalar(i); }
  /// Every operand is one contiguous run, or there is at most one element.
  bool is_contiguous() const;
  bool is_trivial_1d() const { return ndim() <= 1; }
  bool is_dim_reduced(int dim) const;
  std::int64_t num_output_elements() const;
  /// Whether every byte offset fits 32 bits.
  bool can_use_32bit_indexing() const;
  const char* op() const { return op_; }

  /// Runs a kernel over tiles, in parallel where that pays. Its compute type is that of common_dtype(); operands are
  /// brought to the types of its roles. Of the first two parameters, those left out are 1. Throws DtypeError if it has no function for the
  /// compute type.
  void for_each(const kernels::ElementwiseKernel& kernel, std::initializer_list<Scalar> params = {});
  void for_each(const kernels::ElementwiseKernel& kernel, std::span<const kernels::KernelScalar> params);

  /// Runs a strided loop (Loop1d or Loop2d) over all elements, in parallel in ranges of at least `grain`. If some operand needs
  /// conversion the loop sees tiles in the operands' dtype().
  template <class Loop>
    requires(std::is_invocable_v<Loop&, char**, const std::int64_t*, std::int64_t> ||
             std::is_invocable_v<Loop&, char**, const std::int64_t*, std::int64_t, std::int64_t>)
  void for_each(Loop&& loop, std::int64_t grain = kGrainSize) {
    run_loop(loop, [&](Loop2d f) { for_each_2d(f, grain); });
  }
  /// The same in the calling thread, for a range of elements.
  template <class Loop>
  void serial_for_each(Loop&& loop, Range range) const {
    run_loop(loop, [&](Loop2d f) { serial_for_each_2d(f, range); });
  }

  /// Runs fn over contiguous runs of elements of `types`, one per operand: what cpu_kernel is built on. At most
  /// kernels::kMaxOperands operands.
  struct RunOptions {
    float cost = 2;         ///< relative to one f32 addition
    bool in_order = false;  ///< one thread, elements in the order of iteration
    bool copies = false;    ///< fn only copies its one input to its one output, so that tiles may bypass it
  };
  void run(RunFn fn, const kernels::KernelScalar* context, std::span<const ScalarType> types, RunOptions options) const;

 private:

  template <class Loop, class F>
  void run_loop(Loop& loop, F&& with) const {
    if constexpr (std::is_invocable_v<Loop&, char**, const std::int64_t*, std::int64_t, std::int64_t>) {
      with(Loop2d(loop));
    } else {
      auto rows = [&](char** base, const std::int64_t* strides, std::int64_t n0, std::int64_t n1) {
        loop_rows(Loop1d(loop), base, strides, n0, n1);
      };
      with(Loop2d(rows));
    }
  }
  void loop_rows(Loop1d loop, char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1) const;
  void for_each_2d(Loop2d loop, std::int64_t grain) const;
  void serial_for_each_2d(Loop2d loop, Range range) const;
  bool needs_conversion() const;

  // The steps of building, in this order. Nothing is allocated or resized before allocate_outputs.
  void build(TensorIteratorConfig& config);
  void check_operands() const;                                  // build.cpp
  void mark_outputs();                                          // build.cpp
  void compute_shape(const TensorIteratorConfig& config);       // broadcasting.cpp
  void mark_resized(const TensorIteratorConfig& config);        // broadcasting.cpp
  void compute_types(const TensorIteratorConfig& config);       // types.cpp
  void check_overlap() const;                                   // overlap_check.cpp
  bool fast_set_up(const TensorIteratorConfig& config);         // layout.cpp
  void compute_strides();                                       // layout.cpp
  void reorder_dimensions();                                    // layout.cpp
  void allocate_outputs();                                      // layout.cpp
  void coalesce_dimensions();                                   // layout.cpp
  void read_addresses();                                        // layout.cpp

  const IteratorOperand& operand(int i) const { return operands_[static_cast<std::size_t>(i)]; }

  const char* op_ = "";
  detail::InlineVector<IteratorOperand, 4> operands_;
  int num_outputs_ = 0;
  DimVector shape_;
  DimVector perm_;
  ScalarType common_dtype_ = ScalarType::Undefined;
  bool coalesced_ = false;
  bool is_reduction_ = false;
  bool linear_ = false;
};

}  // namespace lanewise
