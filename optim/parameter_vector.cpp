#include <vector>

#include <lanewise/generated/functions.h>
#include <lanewise/optim/parameter_vector.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::optim {
namespace {

void check_parameters(const char* op, TensorList parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    LANEWISE_CHECK(AutogradError, parameters[i].defined(), op, ": parameter ", i, " is undefined");
  }
}

}  // namespace

Tensor parameters_to_vector(TensorList parameters) {
  check_parameters("parameters_to_vector", parameters);
  LANEWISE_CHECK(ValueError, !parameters.empty(), "parameters_to_vector: there are no parameters");
  std::vector<Tensor> flat;
  for (const Tensor& parameter : parameters) flat.push_back(parameter.reshape({-1}));
  return cat(flat);
}

void vector_to_parameters(const Tensor& vec, TensorList parameters) {
  constexpr const char* kOp = "vector_to_parameters";
  check_parameters(kOp, parameters);
  LANEWISE_CHECK(AutogradError, vec.defined(), kOp, ": the vector is undefined");
  std::int64_t elements = 0;
  for (const Tensor& parameter : parameters) {
    LANEWISE_CHECK(DtypeError, parameter.scalar_type() == vec.scalar_type(), kOp,
                   ": Expected a parameter of ", vec.scalar_type(), ", the vector's dtype, found ",
                   parameter.scalar_type());
    elements += parameter.numel();
  }
  LANEWISE_CHECK(ShapeError, vec.dim() == 1 && vec.is_contiguous() && vec.numel() == elements, kOp,
                 ": Expected a contiguous vector of ", elements,
                 " elements, those of all parameters, found shape ", vec.sizes(), " and strides ",
                 vec.strides());
  std::int64_t at = 0;
  for (const Tensor& parameter : parameters) {
    const std::int64_t end = at + parameter.numel();
    parameter.set_data(vec.detach().slice(0, at, end).view(parameter.sizes()));
    at = end;
  }
}

}  // namespace lanewise::optim
