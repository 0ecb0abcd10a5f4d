#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/tensor.h>

/// What goes between the brackets: `x.index({Ellipsis, Slice(None, 3), 0, None})` is x[..., :3, 0, None].
namespace lanewise::indexing {

/// Everything that was not named: as many full dimensions as are left.
struct EllipsisIndexType {};
inline constexpr EllipsisIndexType Ellipsis{};
/// A new dimension of size 1; in a Slice, the default.
inline constexpr std::nullopt_t None = std::nullopt;

/// What a Slice without bounds has for them.
inline constexpr std::int64_t INDEX_MIN = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t INDEX_MAX = std::numeric_limits<std::int64_t>::max();

/// start:stop:step. Bounds may be negative and are clamped; only a positive step can index. Throws ValueError if the step
/// is 0.
struct LANEWISE_API Slice {
  Slice(std::optional<std::int64_t> start = std::nullopt, std::optional<std::int64_t> stop = std::nullopt,
        std::optional<std::int64_t> step = std::nullopt)
      : step_(step.value_or(1)) {
    LANEWISE_CHECK(ValueError, step_ != 0, "Slice: slice step cannot be zero; expected a positive number");
    start_ = start.value_or(step_ < 0 ? INDEX_MAX : 0);
    stop_ = stop.value_or(step_ < 0 ? INDEX_MIN : INDEX_MAX);
  }
  std::int64_t start() const noexcept { return start_; }
  std::int64_t stop() const noexcept { return stop_; }
  std::int64_t step() const noexcept { return step_; }

 private:
  std::int64_t start_;
  std::int64_t stop_;
  std::int64_t step_;
};
/// "1:9223372036854775807:2".
LANEWISE_API std::ostream& operator<<(std::ostream& out, const Slice& slice);

/// One index of any kind.
struct LANEWISE_API TensorIndex {
  enum class Kind : std::uint8_t { NewAxis, Dots, Integer, Boolean, Slice, Tensor };

  TensorIndex(std::nullopt_t) noexcept : kind_(Kind::NewAxis) {}
  TensorIndex(EllipsisIndexType) noexcept : kind_(Kind::Dots) {}
  /// "..." is the ellipsis, nothing else is allowed.
  TensorIndex(const char* text) : kind_(Kind::Dots) {
    LANEWISE_CHECK(ValueError, std::string_view(text) == "...",
                   "index: Expected \"...\" to represent an ellipsis index, but got \"", text, "\"");
  }
  template <class T>
    requires(std::is_integral_v<T>)
  TensorIndex(T value) noexcept
      : kind_(std::is_same_v<T, bool> ? Kind::Boolean : Kind::Integer),
        integer_(static_cast<std::int64_t>(value)) {}
  TensorIndex(Slice slice) : kind_(Kind::Slice), slice_(slice) {}
  TensorIndex(Tensor tensor) : kind_(Kind::Tensor), tensor_(std::move(tensor)) {}

  Kind kind() const noexcept { return kind_; }
  bool is_none() const noexcept { return kind_ == Kind::NewAxis; }
  bool is_ellipsis() const noexcept { return kind_ == Kind::Dots; }
  bool is_integer() const noexcept { return kind_ == Kind::Integer; }
  bool is_boolean() const noexcept { return kind_ == Kind::Boolean; }
  bool is_slice() const noexcept { return kind_ == Kind::Slice; }
  bool is_tensor() const noexcept { return kind_ == Kind::Tensor; }
  std::int64_t integer() const noexcept { return integer_; }
  bool boolean() const noexcept { return integer_ != 0; }
  const Slice& slice() const noexcept { return slice_; }
  const Tensor& tensor() const noexcept { return tensor_; }

 private:
  Kind kind_;
  std::int64_t integer_ = 0;
  Slice slice_;
  Tensor tensor_;
};
/// "None", "...", "0", "true", "1:9223372036854775807:2", and tensors as they print.
LANEWISE_API std::ostream& operator<<(std::ostream& out, const TensorIndex& index);
/// "(None, ..., 0)".
LANEWISE_API std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices);

}  // namespace lanewise::indexing
