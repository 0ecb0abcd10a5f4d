#pragma once

#include <lanewise/kernels/kernel.h>
#include <lanewise/tensor/dtype.h>

namespace lanewise::detail {

/// Element type of an operand of this role when a kernel computes in `type`. With a half as `type`: the dtype
/// of a result.
constexpr ScalarType role_type(kernels::Role role, ScalarType type) noexcept {
  if (role == kernels::Role::Compute) [[likely]]
    return type;  // before a switch, which looks all of them up: five instructions of an op of one element
  switch (role) {
    case kernels::Role::Compute: break;
    case kernels::Role::Bool: return ScalarType::Bool;
    case kernels::Role::Real: return to_real_type(type);
    case kernels::Role::Complex: return to_complex_type(type);
    case kernels::Role::Long: return ScalarType::Long;
  }
  return type;
}

}  // namespace lanewise::detail
