#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <lanewise/autograd/detail/arguments.h>
#include <lanewise/autograd/value.h>
#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/tensor/parse_dtype.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::tools {

/// What is timed: one op on tensors of one dtype, shape and layout.
struct BenchCase {
  std::string op;  ///< as call() takes it: "add", "add.Scalar"
  ScalarType dtype = ScalarType::Float;
  std::vector<std::int64_t> shape;
  std::string layout = "contiguous";  ///< one of kLayouts
  int threads = 1;
  /// Of arguments by name, as text: {"dim", "1"}.
  std::vector<std::pair<std::string, std::string>> arguments = {};

  /// "add f32 [64,784] transposed, 2 threads"; the same for the same case in every run.
  std::string key() const;
};

/// contiguous; transposed: the last two dimensions of every operand swapped in memory; mixed: those of all
/// but the first; strided: every second element of the last dimension; expanded: operands but the first are
/// one row for all.
inline constexpr const char* kLayouts[] = {"contiguous", "transposed", "mixed", "strided", "expanded"};

/// "4096", "16Ki", "2Mi", "64x784". Throws   ValueError
std::vector<std::int64_t> parse_shape(const std::string& text);

/// "dim=1". Throws   ValueError
std::vector<std::pair<std::string, std::string>> parse_arguments(const std::vector<std::string>& texts);

/// A case with its arguments made, ready to be called again and again.
class PreparedCase {
 public:
  /// Operands hold the same numbers in every run. Throws   ValueError for an op or an argument that cannot be
  /// made, saying how to give it
  explicit PreparedCase(const BenchCase& c);

  /// One call; into a given result where the op has an out= form.
  void run();
  /// The results of a call that allocates them.
  std::vector<Tensor> results() const;
  /// The same numbers, computed in double precision on the lowest tier.
  std::vector<Tensor> reference() const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t index_ = kNone;  ///< in the registry
  std::vector<Value> values_;
  // What is timed: bound once, so that a call costs little more than the op.
  const detail::RegisteredOp* timed_ = nullptr;
  std::shared_ptr<const detail::Arguments> arguments_;
};

}  // namespace lanewise::tools
