#include <algorithm>
#include <iterator>

#include <lanewise/profiler/detail/recorder.h>

namespace lanewise::profiler::detail {
namespace {

struct Shape {
  const std::int64_t* sizes;
  std::int64_t dims;
  bool is_result;

  std::int64_t size(std::int64_t d) const { return d < 0 ? (dims + d >= 0 ? sizes[dims + d] : 1) : sizes[d]; }
  double numel() const {
    double n = 1;
    for (std::int64_t d = 0; d < dims; ++d) n *= static_cast<double>(sizes[d]);
    return n;
  }
};

constexpr std::size_t kMostShapes = 8;

/// An op's name without what marks its form: "add" for add_ and add.out.
std::string_view base_name(std::string_view op) {
  if (op.ends_with(".out")) op.remove_suffix(4);
  if (op.ends_with("_") && !op.ends_with("__")) op.remove_suffix(1);
  return op;
}

// Products: which argument is the left factor; its last size is the one summed over.
struct ProductOp {
  std::string_view name;
  std::size_t left;
};
constexpr ProductOp kProducts[] = {{"addbmm", 1}, {"addmm", 1}, {"addmv", 1}, {"baddbmm", 1},
                                   {"bmm", 0},    {"mm", 0},    {"mv", 0}};

// One addition or comparison per element read.
constexpr std::string_view kReductions[] = {"amax", "amin", "argmax", "argmin", "cumprod", "cumsum",
                                            "max",  "mean", "min",    "nansum", "prod",    "sum"};

// Where an element of the result takes more than the one operation that names the op.
struct Weight {
  std::string_view name;
  double flops;
};
constexpr Weight kWeights[] = {
    {"addcdiv", 3}, {"addcmul", 3},          {"hypot", 4},        {"lerp", 3}, {"mse_loss", 2},
    {"rsqrt", 2},   {"sigmoid_backward", 3}, {"tanh_backward", 3}};

}  // namespace

double count_flops(std::string_view op, Work work, const std::int64_t* words, std::size_t count) {
  Shape shapes[kMostShapes];
  std::size_t n = 0;
  for (const std::int64_t* at = words; at < words + count && n < kMostShapes; at += 3 + 2 * at[2]) {
    shapes[n++] = {at + 3, at[2], at[1] != 0};
  }
  if (n == 0) return 0;
  const std::string_view base = base_name(op);
  const Shape& last = shapes[n - 1];  // the result, where there is one
  for (const ProductOp& product : kProducts) {
    if (base != product.name || product.left + 1 >= n) continue;
    const Shape& left = shapes[product.left];
    const Shape& right = shapes[product.left + 1];
    const double columns =
        right.dims >= 2 && base != "mv" && base != "addmv" ? static_cast<double>(right.size(-1)) : 1;
    return 2 * left.numel() * columns;
  }
  if (base == "dot" || base == "vdot") return 2 * shapes[0].numel();
  if (std::find(std::begin(kReductions), std::end(kReductions), base) != std::end(kReductions))
    return shapes[0].numel();
  if (work != Work::Pointwise || base.find("::") != std::string_view::npos)
    return 0;  // not of an optimizer's step
  double flops = 1;
  for (const Weight& weight : kWeights) {
    if (base == weight.name) flops = weight.flops;
  }
  return flops * last.numel();
}

}  // namespace lanewise::profiler::detail
