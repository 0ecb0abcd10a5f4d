// Pointwise cases for xtensor with xsimd: plain memory adapted, expressions assigned without a temporary.

#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>

#include "arrays.h"

namespace {

auto input(const float* a, std::int64_t n) {
  return xt::adapt(a, static_cast<std::size_t>(n), xt::no_ownership(),
                   std::array{static_cast<std::size_t>(n)});
}
auto output(float* a, std::int64_t n) {
  return xt::adapt(a, static_cast<std::size_t>(n), xt::no_ownership(),
                   std::array{static_cast<std::size_t>(n)});
}

template <class Op>
void unary(float* out, const float* a, std::int64_t n, Op op) {
  const auto x = input(a, n);
  auto result = output(out, n);
  xt::noalias(result) = op(x);
}

template <class Op>
auto binary(Op op) {
  return [op](float* out, const float* a, const float* b, std::int64_t n) -> const float* {
    const auto x = input(a, n), y = input(b, n);
    auto result = output(out, n);
    xt::noalias(result) = op(x, y);
    return out;
  };
}

const std::vector<peers::Pointwise> kOps = {
    {"contiguous_add_out", 12, peers::kAllSizes, binary([](const auto& x, const auto& y) { return x + y; }),
     [](double x, double y) { return x + y; }},
    LANEWISE_PEER_UNARY(exp, unary, xt::exp(x), std::exp(x)),
    LANEWISE_PEER_UNARY(log, unary, xt::log(x), std::log(x)),
    LANEWISE_PEER_UNARY(sin, unary, xt::sin(x), std::sin(x)),
    LANEWISE_PEER_UNARY(cos, unary, xt::cos(x), std::cos(x)),
    LANEWISE_PEER_UNARY(tanh, unary, xt::tanh(x), std::tanh(x)),
    LANEWISE_PEER_UNARY(sigmoid, unary, 1.0F / (1.0F + xt::exp(-x)), 1 / (1 + std::exp(-x))),
    LANEWISE_PEER_UNARY(erf, unary, xt::erf(x), std::erf(x)),
    LANEWISE_PEER_UNARY(sqrt, unary, xt::sqrt(x), std::sqrt(x)),
    LANEWISE_PEER_UNARY(neg, unary, -x, -x),
    LANEWISE_PEER_UNARY(abs, unary, xt::abs(x), std::abs(x)),
    {"contiguous_pow_tensor", 12, peers::kPowSizes,
     binary([](const auto& x, const auto& y) { return xt::pow(x, y); }),
     [](double x, double y) { return std::pow(x, y); }},
    {"contiguous_lerp", 12, peers::kSelectSizes,
     binary([](const auto& x, const auto& y) { return x + 0.3F * (y - x); }),
     [](double x, double y) { return x + 0.3 * (y - x); }},
};

}  // namespace

int main(int argc, char** argv) { return peers::main(argc, argv, kOps); }
