#pragma once

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/scalar.h>

namespace lanewise {

class Tensor;

/// The smallest type that both convert to: the wider of two types of one category, else the one of the higher
/// category (Long with Half is Half; Double with ComplexFloat is ComplexDouble; Byte with Char is Short).
/// Undefined is neutral.
LANEWISE_API ScalarType promote_types(ScalarType a, ScalarType b) noexcept;
inline ScalarType promoteTypes(ScalarType a, ScalarType b) noexcept { return promote_types(a, b); }

/// Whether results of type `from` may be written to a tensor of type `to`: false from complex to real, from
/// floating to integral or bool, from anything else to bool. Narrowing within a category is allowed.
constexpr bool can_cast(ScalarType from, ScalarType to) noexcept {
  if (is_complex(from) && !is_complex(to)) return false;
  if (is_floating_point(from) && is_integral(to, true)) return false;
  return from == kBool || to != kBool;
}
constexpr bool canCast(ScalarType from, ScalarType to) noexcept { return can_cast(from, to); }

/// Folds operands into their common dtype by the three priority classes: tensors with dimensions, 0-dim
/// tensors, wrapped numbers. An operand of a lower class changes the result only if its category is higher.
///
///   ResultType type;
///   type.add_tensor(kInt, 1);      // i32[3]
///   type.add_number(kDouble);      // 2.5
///   type.get();                    // the default dtype
class ResultType {
 public:
  void add_tensor(ScalarType t, std::int64_t dim) noexcept {
    ScalarType& c = dim > 0 ? dims_ : zero_dim_;
    c = c == ScalarType::Undefined || c == t ? t : promote_types(c, t);
  }
  /// A wrapped number of type Bool, Long, Double or ComplexDouble; the latter two become the default types.
  void add_number(ScalarType t) noexcept {
    if (is_floating_point(t)) t = get_default_dtype();
    if (is_complex(t)) t = get_default_complex_dtype();
    number_ = number_ == ScalarType::Undefined ? t : promote_types(number_, t);
  }
  LANEWISE_API void add(const Tensor& t) noexcept;  ///< as its dimensions and is_wrapped_number() say
  void add(const Scalar& s) noexcept { add_number(s.type()); }
  /// Undefined if nothing was added.
  LANEWISE_API ScalarType get() const noexcept;

 private:
  ScalarType dims_ = ScalarType::Undefined;
  ScalarType zero_dim_ = ScalarType::Undefined;
  ScalarType number_ = ScalarType::Undefined;
};

/// The dtype that an op on these operands computes and returns.
LANEWISE_API ScalarType result_type(const Tensor& a, const Tensor& b) noexcept;
LANEWISE_API ScalarType result_type(const Tensor& a, const Scalar& b) noexcept;
LANEWISE_API ScalarType result_type(const Scalar& a, const Tensor& b) noexcept;
LANEWISE_API ScalarType result_type(const Scalar& a, const Scalar& b) noexcept;

}  // namespace lanewise
