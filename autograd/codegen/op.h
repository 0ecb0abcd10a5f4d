#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "schema.h"

namespace lanewise::codegen {

/// Derivative of one or several inputs, as written.
struct Formula {
  std::vector<std::string> inputs;
  std::string text;
  int line = 0;
  bool implemented = true;  ///< else a call that raises
};

/// How the forward of an op is written.
enum class Kind {
  Pointwise,    ///< `kernel:` a kernel run by the pointwise front
  Forward,      ///< `forward:` a function of namespace lanewise::ops
  Composite,    ///< `composite:` calls other public ops, no node of its own
  Handwritten,  ///< `handwritten:` public and written by hand; only listed in the registry
};

/// How tangents go through an op.
enum class Jvp {
  Missing,
  Elementwise,  ///< conj(vjp(conj t)), the derivative of each element being a number
  Linear,       ///< the op of the tangents
  Multilinear,  ///< the sum of the ops with one argument replaced by its tangent
  Transposed,   ///< from the backward, differentiated and transposed
  Zero,
  Expression,
  NotImplemented,
};

/// How batched arguments go through an op.
enum class Vmap {
  Loop,       ///< a call per slice
  Pointwise,  ///< one call, with the slices as first dimension
  Rule,       ///< a function of namespace batching::rules
  None,       ///< an error
};

/// Which dtypes an out= form takes: any that the result can be cast to, that of the result, or any, which then is what the op
/// computes in unless `dtype` says the same.
enum class OutDtype { Castable, Exact, Decides };

/// One entry of derivatives.yaml, or a form derived from it (in-place, out=).
struct Op {
  int line = 0;
  Schema schema;
  std::string doc;
  Kind kind = Kind::Forward;

  std::string kernel;               ///< field of KernelTable
  bool floating = false;            ///< integers become the default float
  std::vector<std::string> inputs;  ///< arguments passed as operands, in the kernel's order
  std::vector<std::string> params;  ///< arguments passed as numbers
  std::string check;                ///< expression run at the door
  std::string inplace_check;        ///< and one for the in-place form alone
  std::vector<std::string> constants;  ///< arguments that must not require a gradient
  std::string forward;              ///< name in lanewise::ops, or the handwritten expression
  std::string into;                 ///< function of lanewise::ops that writes into a Destination
  std::string inplace_forward;      ///< of the in-place form, which else copies what `forward` makes
  std::string alias;                ///< the op that a composite is only another name of

  bool method = false;
  bool inplace = false;
  bool out = false;
  bool plain_out = false;           ///< the out= form's overload is "out", not "<overload>_out"
  bool numbers_as_tensors = false;  ///< call by name wraps a number where a Tensor is asked for
  bool wraps_numbers = false;       ///< a composite of the overload that takes tensors in place of its numbers
  bool rare = false;                ///< its calls are compiled for size
  OutDtype out_dtype = OutDtype::Castable;
  bool check_mem_overlap = true;    ///< an in-place form refuses a self of which elements share memory
  std::string unless;               ///< where an in-place form has nothing to do and is no change
  bool inplace_view = false;        ///< changes how self looks at its memory, not the memory
  bool non_differentiable = false;
  std::vector<bool> output_differentiability;  ///< one per result
  std::vector<Formula> formulas;
  Vmap vmap = Vmap::Loop;
  Jvp jvp = Jvp::Missing;
  std::vector<std::string>
      tangents;  ///< expressions, one per differentiable result; or the reason why there is none

  std::string node_class;  ///< C++ name, unique; empty if there is no node
  std::string node_name;   ///< what Node::name() says

  bool has_node() const { return !node_class.empty(); }
  bool has_derivative() const {
    return std::any_of(formulas.begin(), formulas.end(), [](const Formula& f) { return f.implemented; });
  }
};

/// What derivatives.yaml holds.
struct OpList {
  std::string file;                  ///< base name, for citations
  std::vector<std::string> kernels;  ///< fields of KernelTable in order
  std::vector<Op> ops;
};

}  // namespace lanewise::codegen
