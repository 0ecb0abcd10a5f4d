#include <algorithm>

#include <lanewise/iterator/scratch.h>
#include <lanewise/ops/normalizer.h>

namespace lanewise::ops {
namespace {

/// Elements of a tile: a usual first-level cache holds it in both dtypes.
constexpr std::int64_t kTileElements = 4096;

std::int64_t size_of(ScalarType t) { return static_cast<std::int64_t>(element_size(t)); }

/// Of the row that is `row` further on, from element `first` of it on.
Normalizer::Part placed(Normalizer::Part part, std::int64_t row, std::int64_t first, ScalarType type) {
  if (part.data != nullptr) part.data += (row * part.ahead + (part.one ? 0 : first)) * size_of(type);
  return part;
}

}  // namespace

Normalizer::Normalizer(const Tensor& x, const Tensor& out, std::int64_t n)
    : x_(static_cast<const char*>(x.const_data_ptr())),
      out_(static_cast<char*>(out.data_ptr())),
      from_(x.scalar_type()),
      to_(out.scalar_type()),
      type_(kernels::compute_type(to_)),
      n_(n),
      kernel_(*kernels::active_kernels().normalize),
      movers_(*kernels::active_kernels().movers) {}

void Normalizer::operator()(std::int64_t first, std::int64_t rows, const Parts& parts) const {
  (*this)(first, rows, n_, parts);
}

void Normalizer::operator()(std::int64_t first, std::int64_t rows, std::int64_t n, const Parts& parts) const {
  const char* x = x_ + first * size_of(from_);
  char* out = out_ + first * size_of(to_);
  if (from_ == type_ && to_ == type_) return run(x, out, rows, n, parts);
  const auto mover = [&](ScalarType from, ScalarType to) {
    return movers_.convert[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  };
  char* const tile =
      detail::scratch(detail::Scratch::Tile, static_cast<std::size_t>(kTileElements * size_of(type_)));
  const auto some = [&](std::int64_t row, std::int64_t begin, std::int64_t count, std::int64_t length) {
    const std::int64_t at = row * n + begin;
    const char* source = x + at * size_of(from_);
    char* const target = out + at * size_of(to_);
    if (from_ != type_) {
      mover(from_, type_)(source, tile, count * length);
      source = tile;
    }
    const auto part = [&](const Part& all) { return placed(all, row, begin, type_); };
    run(source, to_ == type_ ? target : tile, count, length,
        {part(parts.mean), part(parts.scale), part(parts.weight), part(parts.bias)});
    if (to_ != type_) mover(type_, to_)(tile, target, count * length);
  };
  if (n > kTileElements) {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t begin = 0; begin < n; begin += kTileElements)
        some(row, begin, 1, std::min(kTileElements, n - begin));
    }
    return;
  }
  const std::int64_t step = kTileElements / n;
  for (std::int64_t row = 0; row < rows; row += step) some(row, 0, std::min(step, rows - row), n);
}

/// Rows of the dtype that is computed in.
void Normalizer::run(const char* x, char* out, std::int64_t rows, std::int64_t n, const Parts& parts) const {
  const std::int64_t size = size_of(type_);
  kernels::ElementwiseRows call{
      .data = {out, const_cast<char*>(x)}, .step = {n * size, n * size}, .count = rows, .moving = 0};
  std::uint32_t broadcast = 0;
  // x * 1 and x + -0 are x.
  static constexpr double kOne = 1, kNone = -0.0;
  static constexpr float kOneF = 1, kNoneF = -0.0F;
  const bool wide = type_ == kDouble;
  const auto constant = [](const auto& value) { return reinterpret_cast<const char*>(&value); };
  const char* const absent[] = {wide ? constant(kOne) : constant(kOneF),
                                wide ? constant(kNone) : constant(kNoneF), nullptr, nullptr};
  std::size_t operand = 2;
  for (Part part : {parts.weight, parts.bias, parts.mean, parts.scale}) {
    if (part.data == nullptr) part = {absent[operand - 2], true, 0};
    const std::uint32_t bit = std::uint32_t{1} << operand;
    call.data[operand] = const_cast<char*>(part.data);
    call.step[operand] = part.ahead * size;
    if (part.one) broadcast |= bit;
    if (part.one && part.ahead != 0) call.moving |= bit;
    ++operand;
  }
  static constexpr kernels::KernelScalar kNoParams{1, 1, 0};
  const auto index = static_cast<std::size_t>(type_);
  const kernels::ElementwiseFn fn = kernel_.fn[index];
  if ((kernel_.rows >> index & 1) != 0)
    return fn(reinterpret_cast<char* const*>(&call), broadcast | kernels::kManyRows, n, &kNoParams);
  for (std::int64_t r = 0; r < rows; ++r) {
    fn(call.data.data(), broadcast, n, &kNoParams);
    for (std::size_t i = 0; i < operand; ++i) call.data[i] += call.step[i];
  }
}

}  // namespace lanewise::ops
