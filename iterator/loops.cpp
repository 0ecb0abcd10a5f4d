#include <lanewise/iterator/loops.h>

namespace lanewise::detail {

void check_lambda_type(const TensorIterator& iter, int i, ScalarType lambda) {
  const ScalarType wanted = iter.dtype(i);
  const bool is_output = i < iter.noutputs();
  LANEWISE_CHECK(DtypeError, lambda == wanted || lambda == kernels::compute_type(wanted), iter.op(),
                 ": the lambda's ", is_output ? "result " : "parameter ", is_output ? i : i - iter.noutputs(),
                 " is ", lambda, ", but the iterator's operand is ", wanted);
}

void check_lambda_arity(const TensorIterator& iter, int outputs, int inputs) {
  LANEWISE_CHECK(ValueError, outputs == iter.noutputs() && inputs == iter.ninputs(), iter.op(),
                 ": the lambda has ", outputs, " results and ", inputs, " parameters, but the iterator has ",
                 iter.noutputs(), " outputs and ", iter.ninputs(), " inputs");
}

}  // namespace lanewise::detail
