#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/number.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/fill_values.h>
#include <lanewise/tensor/half.h>

namespace lanewise::ops {

namespace {

constexpr std::int64_t kGrain = 1 << 16;  // elements; a fill is cheap
constexpr std::int64_t kTile = 1024;

/// The largest number of the dtype that is not above x: drops the bits that it does not have, of a negative x after going on to
/// the next one. The denormals of f16 are multiples of 2^-24.
float floor_to_half(float x, ScalarType half) noexcept {
  if (half == kHalf && std::fabs(x) < 0x1p-14f) return std::floor(x * 0x1p24f) * 0x1p-24f;
  const std::uint32_t dropped = half == kHalf ? 0x1fff : 0xffff;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((x < 0 ? bits + dropped : bits) & ~dropped);
}

}  // namespace

void fill_dense(const Tensor& t, const Scalar& value) {
  LANEWISE_ASSERT(t.is_non_overlapping_and_dense());
  alignas(16) char element[16];
  lanewise::detail::write_number(value, t.scalar_type(), element);
  fill_with(t, element);
}

void fill_indexed(const char* op, const Tensor& t,
                  const kernels::IndexedKernel* kernels::KernelTable::*kernel,
                  std::initializer_list<Scalar> params, bool downward) {
  LANEWISE_ASSERT(t.is_non_overlapping_and_dense());
  const ScalarType dtype = t.scalar_type();
  const ScalarType compute = kernels::compute_type(dtype);
  const kernels::KernelTable& table = kernels::active_kernels();
  const kernels::IndexedKernel& chosen = *(table.*kernel);
  const kernels::IndexedFn fn = chosen.fn[static_cast<std::size_t>(compute)];
  LANEWISE_CHECK(DtypeError, fn != nullptr, op, ": not implemented for ", short_name(dtype));

  std::array<kernels::KernelScalar, kernels::kMaxOperands> values{};
  std::transform(params.begin(), params.end(), values.begin(), lanewise::detail::kernel_scalar);
  const kernels::KernelScalar* numbers = values.data();
  auto* data = static_cast<char*>(t.data_ptr());
  const auto itemsize = static_cast<std::int64_t>(t.itemsize());
  const auto grain =
      std::max<std::int64_t>(kTile, static_cast<std::int64_t>(kGrain / std::max(chosen.cost, 1.0f)));

  if (compute == dtype) {
    parallel_for(0, t.numel(), grain, [=](std::int64_t begin, std::int64_t end) {
      fn(data + begin * itemsize, begin, end - begin, numbers);
    });
    return;
  }
  const kernels::ConvertFn convert =
      table.movers->convert[static_cast<std::size_t>(compute)][static_cast<std::size_t>(dtype)];
  parallel_for(0, t.numel(), grain, [=](std::int64_t begin, std::int64_t end) {
    alignas(64) float tile[kTile];
    for (std::int64_t at = begin; at < end; at += kTile) {
      const std::int64_t n = std::min(kTile, end - at);
      fn(reinterpret_cast<char*>(tile), at, n, numbers);
      if (downward) std::transform(tile, tile + n, tile, [=](float x) { return floor_to_half(x, dtype); });
      convert(reinterpret_cast<const char*>(tile), data + at * itemsize, n);
    }
  });
}

}  // namespace lanewise::ops
