#include "forward_call.h"

#include "cpp_types.h"
#include "emit.h"
#include "forms.h"
#include "words.h"

namespace lanewise::codegen {

std::string pointwise_constant(const Op& op) {
  return "k_" + op.schema.name + (op.schema.overload.empty() ? "" : "_" + op.schema.overload);
}

std::string forward_call(const Op& op) {
  if (op.kind == Kind::Pointwise)
    return "pointwise(" + pointwise_constant(op) + ", " + pointwise_operands(op) + ")";
  if (op.forward.find('(') != std::string::npos) return "ops::" + op.forward;
  return "ops::" + op.forward + "(" + argument_list(op.schema) + ")";
}

std::string pointwise_operands(const Op& op) {
  const std::string result = "{" + join(op.inputs) + "}";
  // One number is lent: it was written in two parts just now, which a load of the whole would wait for.
  if (op.params.size() == 1) return result + ", ArrayRef<Scalar>(" + op.params[0] + ")";
  return op.params.empty() ? result : result + ", {" + join(op.params) + "}";
}

std::string forward_into_call(const Op& op, const std::string& form, const std::string& target,
                              bool resizable) {
  return "ops::" + op.into + "({\"" + form + "\", " + target + ", " + (resizable ? "true" : "false") + "}, " +
         argument_list(op.schema) + ")";
}

std::string batched_or_forward_call(const Op& op) {
  return "autograd::transforms_on() && autograd::batching::any(" + tensor_pointers(op.schema) +
         ")\n      ? autograd::transformed::batch_" + transform_name(op.schema) + "(" +
         argument_list(op.schema) + ")\n      : " + forward_call(op);
}

}  // namespace lanewise::codegen
