#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <lanewise/lanewise.h>

/// Calls of ops of the registry with made-up arguments, and hashes of what they give.
namespace lanewise::testing {

using Dims = std::vector<std::int64_t>;
using Hash = std::uint64_t;

/// Whether an op makes a result of its own that depends on its arguments alone.
bool has_hash(const Schema& schema);

inline constexpr int kLayouts = 6;
/// Which of the operands lie how; 0 is contiguous.
const char* layout_name(int layout);

/// A call of an op with made-up arguments: a tensor of `sizes` and `dtype` for each operand, indices within the first size; or
/// with own_arguments(), whatever the sizes.
class MadeUpCall {
 public:
  MadeUpCall(const Schema& schema, Dims sizes, ScalarType dtype);

  /// Whether every argument could be made up, one of them a tensor.
  bool usable() const { return usable_; }
  bool differentiable() const { return differentiable_; }
  /// Whether the operands have sizes of their own.
  bool has_own_arguments() const { return own_; }

  /// Hash of the results, equal for equal bits; every NaN counts as one. With `backward` of the gradients, 0 if there are none.
  /// Throws what the op throws.
  Hash run(int layout, bool backward) const;

  /// Elements of the results. Throws what the op throws.
  std::int64_t result_elements() const;

 private:
  std::string name_;
  bool differentiable_;
  bool usable_ = true, takes_tensor_ = false, own_ = false;
  std::vector<Value> args_;
  std::vector<NamedValue> kwargs_;
};

}  // namespace lanewise::testing
