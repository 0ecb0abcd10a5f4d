// The conversions of libtorch that are more than a dtype. There is one device, so what is left of them is the
// dtype.

#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/factory_options.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

Tensor Tensor::to(Device) const { return *this; }
Tensor Tensor::to(DeviceType device) const { return to(Device(device)); }
Tensor Tensor::to(Device, ScalarType dtype, bool non_blocking, bool copy,
                  std::optional<MemoryFormat> memory_format) const {
  return to(dtype, non_blocking, copy, memory_format);
}

Tensor Tensor::to(const TensorOptions& options, bool non_blocking, bool copy,
                  std::optional<MemoryFormat> memory_format) const {
  LANEWISE_CHECK(
      ValueError, !options.requires_grad(),
      "to: Operators taking TensorOptions cannot take a TensorOptions with options.requires_grad set "
      "as true; call requires_grad_() on the result");
  return to(options.dtype_opt().value_or(scalar_type()), non_blocking, copy,
            ops::format_of("to", options, memory_format));
}

Tensor Tensor::toType(ScalarType dtype) const {
  if (!defined() && dtype == ScalarType::Undefined) return *this;
  LANEWISE_CHECK(DtypeError, defined() && dtype != ScalarType::Undefined, "toType: from ", toString(), " to ",
                 CPU(dtype), "; undefined tensors have no elements to convert");
  return to(dtype);
}
Tensor Tensor::toType(const DeprecatedTypeProperties& type) const { return toType(type.scalarType()); }

Tensor scalar_to_tensor(const Scalar& value) { return scalar_tensor(value, value.type()); }

}  // namespace lanewise
