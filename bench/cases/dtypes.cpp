// The same op in other element types, and operands of two types in one call.

#include "support.h"

namespace {

constexpr std::int64_t kCount = 1 << 18;

void add_of(benchmark::State& state, lib::ScalarType left, lib::ScalarType right, std::int64_t bytes) {
  const lib::Tensor a = lib::randint(0, 50, {kCount}).to(left), b = lib::randint(0, 50, {kCount}).to(right);
  const lib::Tensor x = a.to(lib::kFloat), y = b.to(lib::kFloat);
  lib::Tensor out = lib::add(a, b);
  if (!bench::verify(state, out,
                     [&](std::int64_t i) { return double{bench::floats(x)[i]} + bench::floats(y)[i]; }))
    return;
  bench::time(state, kCount, bytes * kCount, [&] { lib::add_out(out, a, b); });
}

void dtype_add_f64(benchmark::State& state) { add_of(state, lib::kDouble, lib::kDouble, 24); }
void dtype_add_bf16(benchmark::State& state) { add_of(state, lib::kBFloat16, lib::kBFloat16, 6); }
void dtype_add_f16(benchmark::State& state) { add_of(state, lib::kHalf, lib::kHalf, 6); }
void dtype_add_i32(benchmark::State& state) { add_of(state, lib::kInt, lib::kInt, 12); }
void dtype_add_i64(benchmark::State& state) { add_of(state, lib::kLong, lib::kLong, 24); }
void dtype_add_u8(benchmark::State& state) { add_of(state, lib::kByte, lib::kByte, 3); }
void dtype_add_f32_i32(benchmark::State& state) { add_of(state, lib::kFloat, lib::kInt, 12); }
void dtype_add_f32_u8(benchmark::State& state) { add_of(state, lib::kFloat, lib::kByte, 9); }
void dtype_add_f32_f64(benchmark::State& state) { add_of(state, lib::kFloat, lib::kDouble, 20); }
void dtype_add_f32_bf16(benchmark::State& state) { add_of(state, lib::kFloat, lib::kBFloat16, 10); }

BENCHMARK(dtype_add_f64);
BENCHMARK(dtype_add_bf16);
BENCHMARK(dtype_add_f16);
BENCHMARK(dtype_add_i32);
BENCHMARK(dtype_add_i64);
BENCHMARK(dtype_add_u8);
BENCHMARK(dtype_add_f32_i32);
BENCHMARK(dtype_add_f32_u8);
BENCHMARK(dtype_add_f32_f64);
BENCHMARK(dtype_add_f32_bf16);

void dtype_mul_complex64(benchmark::State& state) {
  const lib::Tensor re = bench::uniform({kCount}), im = bench::uniform({kCount});
  const lib::Tensor a = lib::view_as_complex(lib::stack({re, im}, 1)),
                    b = lib::view_as_complex(lib::stack({im, re}, 1));
  lib::Tensor out = lib::mul(a, b);
  const float *x = bench::floats(re), *y = bench::floats(im);
  if (!bench::verify(state, lib::imag(out),
                     [&](std::int64_t i) { return double{x[i]} * x[i] + double{y[i]} * y[i]; }))
    return;
  bench::time(state, kCount, 24 * kCount, [&] { lib::mul_out(out, a, b); });
}
BENCHMARK(dtype_mul_complex64);

void dtype_u8_to_f32(benchmark::State& state) {
  const lib::Tensor a = lib::randint(0, 250, {kCount}).to(lib::kByte);
  lib::Tensor out = lib::empty({kCount});
  out.copy_(a);
  const auto* x = a.data_ptr<std::uint8_t>();
  if (!bench::verify(state, out, [&](std::int64_t i) { return double{static_cast<double>(x[i])}; })) return;
  bench::time(state, kCount, 5 * kCount, [&] { out.copy_(a); });
}
BENCHMARK(dtype_u8_to_f32);

}  // namespace
