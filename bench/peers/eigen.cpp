// Pointwise cases for Eigen: arrays mapped onto plain memory, expressions assigned without a temporary.

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include "arrays.h"

namespace {

using In = Eigen::Map<const Eigen::ArrayXf>;
using Out = Eigen::Map<Eigen::ArrayXf>;

template <class Op>
void unary(float* out, const float* a, std::int64_t n, Op op) {
  Out(out, n) = op(In(a, n));
}

template <class Op>
auto binary(Op op) {
  return [op](float* out, const float* a, const float* b, std::int64_t n) -> const float* {
    Out(out, n) = op(In(a, n), In(b, n));
    return out;
  };
}

const std::vector<peers::Pointwise> kOps = {
    {"contiguous_add_out", 12, peers::kAllSizes, binary([](const In& x, const In& y) { return x + y; }),
     [](double x, double y) { return x + y; }},
    {"contiguous_add",
     12,
     {1 << 14, 1 << 18, 1 << 24},
     [](float*, const float* a, const float* b, std::int64_t n) -> const float* {
       static Eigen::ArrayXf result;
       result =
           Eigen::ArrayXf(In(a, n) + In(b, n));  // takes over the new array's memory, frees the last one's
       return result.data();
     },
     [](double x, double y) { return x + y; }},
    LANEWISE_PEER_UNARY(exp, unary, x.exp(), std::exp(x)),
    LANEWISE_PEER_UNARY(log, unary, x.log(), std::log(x)),
    LANEWISE_PEER_UNARY(sin, unary, x.sin(), std::sin(x)),
    LANEWISE_PEER_UNARY(cos, unary, x.cos(), std::cos(x)),
    LANEWISE_PEER_UNARY(tanh, unary, x.tanh(), std::tanh(x)),
    LANEWISE_PEER_UNARY(sigmoid, unary, x.logistic(), 1 / (1 + std::exp(-x))),
    LANEWISE_PEER_UNARY(erf, unary, x.erf(), std::erf(x)),
    LANEWISE_PEER_UNARY(sqrt, unary, x.sqrt(), std::sqrt(x)),
    LANEWISE_PEER_UNARY(neg, unary, -x, -x),
    LANEWISE_PEER_UNARY(abs, unary, x.abs(), std::abs(x)),
    {"contiguous_pow_scalar", 8, peers::kPowSizes,
     [](float* out, const float* a, const float*, std::int64_t n) -> const float* {
       Out(out, n) = In(a, n).pow(2.5F);
       return out;
     },
     [](double x, double) { return std::pow(x, 2.5); }},
    {"contiguous_pow_tensor", 12, peers::kPowSizes, binary([](const In& x, const In& y) { return x.pow(y); }),
     [](double x, double y) { return std::pow(x, y); }},
    {"contiguous_lerp", 12, peers::kSelectSizes,
     binary([](const In& x, const In& y) { return x + 0.3F * (y - x); }),
     [](double x, double y) { return x + 0.3 * (y - x); }},
};

}  // namespace

int main(int argc, char** argv) { return peers::main(argc, argv, kOps); }
