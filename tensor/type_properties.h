#pragma once

#include <ostream>
#include <string>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/tensor_options.h>

namespace lanewise {

/// What older libtorch programs ask of a tensor's type: `t.type().scalarType()`, `ones({2}, CPU(kFloat))`.
/// There is one object per dtype, and one for undefined tensors. New programs use dtype() and options().
class LANEWISE_API DeprecatedTypeProperties {
 public:
  constexpr explicit DeprecatedTypeProperties(ScalarType dtype) noexcept : dtype_(dtype) {}

  constexpr ScalarType scalarType() const noexcept { return dtype_; }
  constexpr ScalarType typeMeta() const noexcept { return dtype_; }
  constexpr Backend backend() const noexcept {
    return dtype_ == ScalarType::Undefined ? Backend::Undefined : Backend::CPU;
  }
  constexpr Layout layout() const noexcept { return kStrided; }
  constexpr DeviceType device_type() const noexcept { return kCPU; }
  constexpr bool is_cuda() const noexcept { return false; }
  constexpr bool is_sparse() const noexcept { return false; }
  /// "CPUFloatType", "UndefinedType".
  std::string toString() const;

  constexpr TensorOptions options() const noexcept { return TensorOptions(dtype_); }
  constexpr operator TensorOptions() const noexcept { return options(); }
  DeprecatedTypeProperties& toScalarType(ScalarType dtype) const;

  friend constexpr bool operator==(const DeprecatedTypeProperties& a,
                                   const DeprecatedTypeProperties& b) noexcept {
    return a.dtype_ == b.dtype_;
  }

 private:
  ScalarType dtype_;
};

/// The properties of tensors of this dtype; of undefined tensors for ScalarType::Undefined.
LANEWISE_API DeprecatedTypeProperties& CPU(ScalarType dtype);

LANEWISE_API std::ostream& operator<<(std::ostream& out, const DeprecatedTypeProperties& type);

// libtorch has two kinds of names for a dtype.
constexpr ScalarType typeMetaToScalarType(ScalarType t) noexcept { return t; }
constexpr ScalarType scalarTypeToTypeMeta(ScalarType t) noexcept { return t; }

}  // namespace lanewise
