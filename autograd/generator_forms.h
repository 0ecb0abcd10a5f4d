#pragma once

#include <cstdint>
#include <optional>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/generator.h>
#include <lanewise/tensor/tensor.h>

/// Random tensors whose numbers come from `generator`, a stream of its own, and from the process-wide one if there is
/// none. The methods of Tensor that take one (normal_, uniform_...) are in tensor.h. Everything else is as without it.
namespace lanewise {

LANEWISE_API Tensor rand(IntArrayRef size, const std::optional<Generator>& generator,
                         const TensorOptions& options = {});
LANEWISE_API Tensor randn(IntArrayRef size, const std::optional<Generator>& generator,
                          const TensorOptions& options = {});
LANEWISE_API Tensor normal(double mean, double std, IntArrayRef size,
                           const std::optional<Generator>& generator, const TensorOptions& options = {});
LANEWISE_API Tensor randint(std::int64_t high, IntArrayRef size, const std::optional<Generator>& generator,
                            const TensorOptions& options = {});
LANEWISE_API Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size,
                            const std::optional<Generator>& generator, const TensorOptions& options = {});
LANEWISE_API Tensor randperm(std::int64_t n, const std::optional<Generator>& generator,
                             const TensorOptions& options = {});

LANEWISE_API Tensor normal(const Tensor& mean, double std, const std::optional<Generator>& generator);
LANEWISE_API Tensor normal(double mean, const Tensor& std, const std::optional<Generator>& generator);
LANEWISE_API Tensor normal(const Tensor& mean, const Tensor& std, const std::optional<Generator>& generator);
LANEWISE_API Tensor bernoulli(const Tensor& self, const std::optional<Generator>& generator);
LANEWISE_API Tensor bernoulli(const Tensor& self, double p, const std::optional<Generator>& generator);
LANEWISE_API Tensor poisson(const Tensor& self, const std::optional<Generator>& generator);
LANEWISE_API Tensor multinomial(const Tensor& self, std::int64_t num_samples, bool replacement,
                                const std::optional<Generator>& generator);

// The same into `out`, as without a generator.
LANEWISE_API Tensor& rand_out(Tensor& out, IntArrayRef size, const std::optional<Generator>& generator);
LANEWISE_API Tensor& randn_out(Tensor& out, IntArrayRef size, const std::optional<Generator>& generator);
LANEWISE_API Tensor& randperm_out(Tensor& out, std::int64_t n, const std::optional<Generator>& generator);
LANEWISE_API Tensor& normal_out(Tensor& out, const Tensor& mean, double std,
                                const std::optional<Generator>& generator);
LANEWISE_API Tensor& normal_out(Tensor& out, double mean, const Tensor& std,
                                const std::optional<Generator>& generator);
LANEWISE_API Tensor& normal_out(Tensor& out, const Tensor& mean, const Tensor& std,
                                const std::optional<Generator>& generator);
LANEWISE_API Tensor& bernoulli_out(Tensor& out, const Tensor& self,
                                   const std::optional<Generator>& generator);
LANEWISE_API Tensor& multinomial_out(Tensor& out, const Tensor& self, std::int64_t num_samples,
                                     bool replacement, const std::optional<Generator>& generator);

}  // namespace lanewise
