#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise {

/// Numbers in (nested) braces, all of one C++ type: what tensor() is called with.
class LANEWISE_API TensorLiteral {
 public:
  template <class T>
    requires(scalar_type_of<T> != ScalarType::Undefined)
  TensorLiteral(T value) : dtype_(scalar_type_of<T>), values_{Scalar(value)} {}
  /// One dimension more than the parts, which must agree in their sizes and types.
  TensorLiteral(std::initializer_list<TensorLiteral> parts);
  template <class T>
    requires(scalar_type_of<T> != ScalarType::Undefined)
  TensorLiteral(const std::vector<T>& values)
      : TensorLiteral(scalar_type_of<T>, values.begin(), values.end()) {}
  template <class T>
    requires(scalar_type_of<T> != ScalarType::Undefined)
  TensorLiteral(ArrayRef<T> values) : TensorLiteral(scalar_type_of<T>, values.begin(), values.end()) {}

  const DimVector& sizes() const noexcept { return sizes_; }
  ScalarType dtype() const noexcept { return dtype_; }
  const std::vector<Scalar>& values() const noexcept { return values_; }
  /// Made from a container, whose elements are converted as to() does; numbers in braces must fit.
  bool is_container() const noexcept { return is_container_; }

 private:
  template <class It>
  TensorLiteral(ScalarType dtype, It begin, It end)
      : dtype_(dtype), is_container_(true), sizes_{static_cast<std::int64_t>(end - begin)} {
    for (; begin != end; ++begin) values_.emplace_back(*begin);
  }

  ScalarType dtype_;
  bool is_container_ = false;
  DimVector sizes_;
  std::vector<Scalar> values_;  // C order
};

/// A tensor of the given numbers: `tensor(1.5)`, `tensor({1, 2})`, `tensor({{1., 2.}, {3., 4.}}, kDouble)`,
/// `tensor(vector)`. Without a dtype int and long become i64 and float and double the default dtype; other types stay.
/// For large data use from_blob(...).clone(). Throws   ShapeError for ragged braces, DtypeError for numbers of
/// several types, ValueError for a number that the dtype cannot hold
LANEWISE_API Tensor tensor(const TensorLiteral& values, const TensorOptions& options = {});

}  // namespace lanewise
