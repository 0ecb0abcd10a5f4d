#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/iterator/function_ref.h>
#include <lanewise/iterator/tensor_iterator_config.h>
#include <lanewise/kernels/kernel.h>
#include <lanewise/tensor/tensor_options.h>

namespace lanewise {

/// Elements [begin, end) of an iteration.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
};

class SplitUntil32Bit;

/// Iterates over the elements of several tensors at once: broadcast to one shape, promoted to a common dtype,
/// with dimensions reordered and merged so that memory is walked in order. Operands of another dtype or layout pass
/// through tiles of a few KiB; only what is rounded to halves, or overwritten before it is read, is copied.
///
/// Dimension 0 is the fastest, unlike that of a Tensor. Made by TensorIteratorConfig or one of the builders.
class LANEWISE_API TensorIterator {
 public:
  /// loop(data, strides, n): `data` has a pointer per operand (outputs first), `strides` a step in bytes per
  /// operand.
  using Loop1d = FunctionRef<void(char** data, const std::int64_t* strides, std::int64_t n)>;
  /// loop(data, strides, n0, n1): the steps of the inner dimension, then those of the outer one.
  using Loop2d =
      FunctionRef<void(char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1)>;
  /// A kernels::ElementwiseFn that may throw and gets a context of its own.
  using RunFn = void (*)(char* const* data, std::uint32_t broadcast, std::int64_t n,
                         const kernels::KernelScalar* context);

  /// Elements of a cheap loop that are worth a thread of their own.
  static constexpr std::int64_t kGrainSize = 32768;

  TensorIterator() = default;
  explicit TensorIterator(TensorIteratorConfig&& config) { build(config); }
  /// Makes this, so far empty, the iterator that `config` describes. The configuration is used up.
  void build(TensorIteratorConfig& config);

  // Ready-made: `out` may be undefined. Borrowing ones hold no references. Shape and dtype rules are those of
  // the ops.
  static TensorIterator unary_op(const Tensor& out, const Tensor& a, const char* op = "unary_op");
  static TensorIterator unary_float_op(const Tensor& out, const Tensor& a, const char* op = "unary_float_op");
  static TensorIterator binary_op(const Tensor& out, const Tensor& a, const Tensor& b,
                                  const char* op = "binary_op");
  static TensorIterator binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b,
                                        const char* op = "binary_float_op");
  /// A fresh output is bool; one that is not bool is written through the common dtype.
  static TensorIterator comparison_op(const Tensor& out, const Tensor& a, const Tensor& b,
                                      const char* op = "comparison_op");
  static TensorIterator ternary_op(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c,
                                   const char* op = "ternary_op");
  static TensorIterator nullary_op(const Tensor& out, const char* op = "nullary_op");
  /// `out` has the shape of `a` with reduced dimensions of size 1, or is viewed so, with stride 0 there.
  static TensorIterator reduce_op(const Tensor& out, const Tensor& a, const char* op = "reduce_op");
  static TensorIterator reduce_op(const Tensor& out1, const Tensor& out2, const Tensor& a,
                                  const char* op = "reduce_op");
  static TensorIterator borrowing_unary_op(const Tensor& out, const Tensor& a, const char* op = "unary_op");
  static TensorIterator borrowing_binary_op(const Tensor& out, const Tensor& a, const Tensor& b,
                                            const char* op = "binary_op");
  static TensorIterator borrowing_nullary_op(const Tensor& out, const char* op = "nullary_op");

  // The same, into an iterator that was made empty.
  void build_unary_op(const Tensor& out, const Tensor& a);
  void build_borrowing_unary_op(const Tensor& out, const Tensor& a);
  void build_unary_float_op(const Tensor& out, const Tensor& a);
  void build_borrowing_unary_float_op(const Tensor& out, const Tensor& a);
  void build_output_borrowing_argument_owning_unary_op(const Tensor& out, const Tensor& a);
  void build_borrowing_unary_force_boolean_op(const Tensor& out, const Tensor& a);
  void build_binary_op(const Tensor& out, const Tensor& a, const Tensor& b);
  void build_borrowing_binary_op(const Tensor& out, const Tensor& a, const Tensor& b);
  void build_binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b);
  void build_borrowing_binary_float_op(const Tensor& out, const Tensor& a, const Tensor& b);
  void build_comparison_op(const Tensor& out, const Tensor& a, const Tensor& b);
  void build_borrowing_comparison_op(const Tensor& out, const Tensor& a, const Tensor& b);
  void build_borrowing_except_last_argument_comparison_op(const Tensor& out, const Tensor& a,
                                                          const Tensor& b);
  void build_ternary_op(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c);

  int ntensors() const { return static_cast<int>(operands_.size()); }
  int noutputs() const { return num_outputs_; }
  int ninputs() const { return ntensors() - num_outputs_; }
  const Tensor& tensor(int i) const { return operand(i).tensor(); }
  const Tensor& output(int i = 0) const { return tensor(i); }
  const Tensor& input(int i = 0) const { return tensor(num_outputs_ + i); }
  const Tensor& tensor_base(int i) const { return tensor(i); }
  const Tensor& output_base(int i = 0) const { return output(i); }
  const Tensor& input_base(int i = 0) const { return input(i); }
  /// The output, which was undefined before build() perhaps.
  const Tensor& maybe_get_output(std::int64_t i) { return output(static_cast<int>(i)); }

  int ndim() const { return static_cast<int>(shape_.size()); }
  IntArrayRef shape() const { return shape_; }
  std::int64_t numel() const;
  /// Steps in bytes, fastest dimension first.
  IntArrayRef strides(int i) const { return operand(i).strides; }
  /// Position among the tensors' dimensions of each dimension, before they were merged.
  IntArrayRef perm() const { return perm_; }
  /// Where narrow() and its kin have made the iteration begin, along each dimension.
  IntArrayRef view_offsets() const { return view_offsets_; }
  /// Steps of all operands along a dimension; along all dimensions, at least two, one after the other.
  DimVector get_dim_strides(int dim) const;
  DimVector get_strides() const;
  DimVector get_inner_strides() const { return get_dim_strides(0); }
  InlineVector<char*, 4> get_base_ptrs() const;
  /// Steps of a dense operand with elements of that size, in the order of iteration.
  DimVector compatible_stride(std::int64_t element_size) const;
  /// A list by dimension of iteration, by dimension of tensors, and the reverse with a factor. Before
  /// dimensions are merged.
  DimVector invert_perm(IntArrayRef list) const;
  DimVector apply_perm_and_mul(IntArrayRef list, int factor) const;
  bool has_coalesced_dimensions() const { return coalesced_; }
  void* data_ptr(int i) const { return operand(i).address(); }
  /// The dtype in which functions see an operand.
  ScalarType dtype(int i = 0) const { return operand(i).target; }
  ScalarType input_dtype(int i = 0) const { return dtype(num_outputs_ + i); }
  /// The dtype that it has in memory.
  ScalarType memory_dtype(int i = 0) const { return operand(i).memory; }
  /// Throws DtypeError if none was computed.
  ScalarType common_dtype() const;
  std::int64_t element_size(int i) const {
    return static_cast<std::int64_t>(lanewise::element_size(dtype(i)));
  }
  Device device(int = 0) const { return {}; }
  DeviceType device_type(int = 0) const { return kCPU; }
  bool is_scalar(int i) const { return operand(i).is_number || operand(i).tensor().numel() == 1; }
  bool is_cpu_scalar(int i) const { return is_scalar(i); }
  /// Every operand is one contiguous run, or there is at most one element.
  bool is_contiguous() const;
  bool is_trivial_1d() const { return ndim() == 1; }
  bool has_contiguous_first_dim() const;
  bool is_dim_reduced(int dim) const;
  int num_reduce_dims() const;
  std::int64_t num_output_elements() const;
  const char* op() const { return op_; }
  /// The operand's first element, converted.
  template <class T>
  T scalar_value(int i) const {
    T value;
    read_scalar(i, scalar_type_of<T>, &value);
    return value;
  }
  template <class T>
  T original_scalar_value(int i) const {
    return scalar_value<T>(i);
  }

  // Changes to an iterator that was built.

  /// Elements [start, start + size) of a dimension of iteration only.
  void narrow(int dim, std::int64_t start, std::int64_t size);
  /// One index of every dimension from start_dim on, which keeps its place with size 1.
  void select_all_keeping_dim(int start_dim, IntArrayRef indices);
  void remove_operand(int i);
  /// Another place in memory for an operand, with the same steps.
  void unsafe_replace_operand(int i, void* data) { _unsafe_set_arg_data(i, data); }
  void _unsafe_set_arg_data(int i, void* data) {
    operands_[static_cast<std::size_t>(i)].data = static_cast<char*>(data);
  }
  void _unsafe_set_arg_strides(int i, IntArrayRef strides) {
    operands_[static_cast<std::size_t>(i)].strides = strides;
  }
  /// Merges neighbouring dimensions that every operand walks as one, and drops those of size 1.
  void coalesce_dimensions();
  /// Outputs have their own dtype already: they are converted on the way.
  void cast_outputs() {}

  // Parts of an iteration.

  /// Whether every byte offset, and the number of elements, fits 32 bits.
  bool can_use_32bit_indexing() const;
  /// Iterators over parts of this one that can_use_32bit_indexing(): `for (TensorIterator& part :
  /// iter.with_32bit_indexing())`.
  SplitUntil32Bit with_32bit_indexing() const;
  /// Halves the iteration along a dimension: returns the first half, this keeps the second.
  std::unique_ptr<TensorIterator> split(int dim);
  /// The dimension that reaches furthest in memory.
  int get_dim_to_split() const;
  /// Whether the output holds the result of other parts already (of a reduction that was split along a
  /// reduced dimension), and whether no other part follows.
  bool should_accumulate() const { return accumulate_; }
  bool is_final_output() const { return final_output_; }

  /// Calls f(part) for every element of the output of a reduction; the part iterates over the elements that
  /// are reduced to it.
  using LoopSubiter = FunctionRef<void(TensorIterator& part)>;
  void foreach_reduced_elt(LoopSubiter f, bool parallelize = true);
  /// Runs a Loop2d over a reduction, in parallel over its output only: each element of it is made in one
  /// thread, in order.
  void parallel_reduce(Loop2d loop) const;

  /// Runs a kernel over tiles, in parallel where that pays. Its compute type is that of common_dtype();
  /// operands are brought to the types of its roles. Of the first two parameters, those left out are 1.
  /// Throws DtypeError if it has no function for the compute type.
  void for_each(const kernels::ElementwiseKernel& kernel, std::initializer_list<Scalar> params = {});
  void for_each(const kernels::ElementwiseKernel& kernel, std::span<const kernels::KernelScalar> params);

  /// Runs a strided loop (Loop1d or Loop2d) over all elements, in parallel in ranges of at least `grain`. If
  /// some operand needs conversion the loop sees tiles in the operands' dtype().
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

  /// Runs fn over contiguous runs of elements of `types`, one per operand: what cpu_kernel is built on. At
  /// most kernels::kMaxOperands operands.
  struct RunOptions {
    float cost = 2;          ///< relative to one f32 addition
    bool in_order = false;   ///< one thread, elements in the order of iteration
    bool copies = false;     ///< fn only copies its one input to its one output, so that tiles may bypass it
    std::int64_t grain = 0;  ///< elements that a thread gets at least; 0: by the cost
    std::int64_t block = 0;  ///< most elements in a tile of a flat walk; 0: as many as fit
    bool streams = false;    ///< fn knows kernels::kStreamOutput
    bool rows = false;       ///< fn knows kernels::kManyRows
    const kernels::ElementwiseKernel* kernel = nullptr;  ///< that fn belongs to, if it may take halves
  };
  void run(RunFn fn, const kernels::KernelScalar* context, std::span<const ScalarType> types,
           RunOptions options) const;

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
  void loop_rows(Loop1d loop, char** data, const std::int64_t* strides, std::int64_t n0,
                 std::int64_t n1) const;
  void for_each_2d(Loop2d loop, std::int64_t grain) const;
  void serial_for_each_2d(Loop2d loop, Range range) const;
  /// The same for operands as they are in memory, and through tiles of their target dtypes.
  void walk(Loop2d loop, Range range) const;
  void walk_converted(Loop2d loop, Range range) const;
  bool needs_conversion() const;

  void read_scalar(int i, ScalarType as, void* value) const;

  // The steps of building, in this order. Nothing is allocated or resized before allocate_outputs.
  void read_operands();                                    // build.cpp
  void compute_shape(const TensorIteratorConfig& config);  // broadcasting.cpp
  void mark_resized(const TensorIteratorConfig& config);   // broadcasting.cpp
  void compute_types(const TensorIteratorConfig& config);  // types.cpp
  void check_overlap();                                    // overlap_check.cpp
  void round_inputs();                                     // types.cpp
  bool fast_set_up(const TensorIteratorConfig& config);    // layout.cpp
  void compute_strides();                                  // layout.cpp
  void reorder_dimensions();                               // layout.cpp
  void allocate_outputs();                                 // layout.cpp
  void read_addresses();                                   // layout.cpp

  const IteratorOperand& operand(int i) const { return operands_[static_cast<std::size_t>(i)]; }

  const char* op_ = "";
  InlineVector<IteratorOperand, 4> operands_;
  int num_outputs_ = 0;
  DimVector shape_;
  DimVector perm_;
  DimVector view_offsets_;
  ScalarType common_dtype_ = ScalarType::Undefined;
  bool coalesced_ = false;
  bool is_reduction_ = false;
  bool linear_ = false;
  bool serial_ = false;  // an output whose own elements overlap
  bool accumulate_ = false;
  bool final_output_ = true;
};

using TensorIteratorBase = TensorIterator;

/// The parts of an iteration whose offsets fit 32 bits.
class LANEWISE_API SplitUntil32Bit {
 public:
  class LANEWISE_API iterator {
   public:
    iterator() = default;
    explicit iterator(const TensorIterator& whole);
    TensorIterator& operator*() const { return *left_.back(); }
    iterator& operator++();
    bool operator==(const iterator& other) const {
      return this == &other || (left_.empty() && other.left_.empty());
    }

   private:
    void narrow_last();
    std::vector<std::unique_ptr<TensorIterator>> left_;
  };

  explicit SplitUntil32Bit(const TensorIterator& whole) : whole_(&whole) {}
  iterator begin() const { return iterator(*whole_); }
  iterator end() const { return {}; }

 private:
  const TensorIterator* whole_;
};

}  // namespace lanewise
