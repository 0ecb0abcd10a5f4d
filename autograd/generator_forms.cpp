#include <lanewise/autograd/factories_out.h>
#include <lanewise/autograd/generator_forms.h>
#include <lanewise/generated/functions.h>
#include <lanewise/ops/factories.h>

namespace lanewise {

Tensor rand(IntArrayRef size, const std::optional<Generator>& generator, const TensorOptions& options) {
  const detail::DrawsFrom scope(generator);
  return rand(size, options);
}

Tensor randn(IntArrayRef size, const std::optional<Generator>& generator, const TensorOptions& options) {
  const detail::DrawsFrom scope(generator);
  return randn(size, options);
}

Tensor normal(double mean, double std, IntArrayRef size, const std::optional<Generator>& generator,
              const TensorOptions& options) {
  const detail::DrawsFrom scope(generator);
  return normal(mean, std, size, options);
}

Tensor randint(std::int64_t high, IntArrayRef size, const std::optional<Generator>& generator,
               const TensorOptions& options) {
  const detail::DrawsFrom scope(generator);
  return randint(high, size, options);
}

Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size,
               const std::optional<Generator>& generator, const TensorOptions& options) {
  const detail::DrawsFrom scope(generator);
  return randint(low, high, size, options);
}

Tensor randperm(std::int64_t n, const std::optional<Generator>& generator, const TensorOptions& options) {
  const detail::DrawsFrom scope(generator);
  return randperm(n, options);
}

Tensor normal(const Tensor& mean, double std, const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return normal(mean, std);
}

Tensor normal(double mean, const Tensor& std, const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return normal(mean, std);
}

Tensor normal(const Tensor& mean, const Tensor& std, const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return normal(mean, std);
}

Tensor bernoulli(const Tensor& self, const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return bernoulli(self);
}

Tensor bernoulli(const Tensor& self, double p, const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return bernoulli(self, p);
}

Tensor poisson(const Tensor& self, const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return poisson(self);
}

Tensor multinomial(const Tensor& self, std::int64_t num_samples, bool replacement,
                   const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return multinomial(self, num_samples, replacement);
}

Tensor& rand_out(Tensor& out, IntArrayRef size, const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return rand_out(out, size);
}

Tensor& randn_out(Tensor& out, IntArrayRef size, const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return randn_out(out, size);
}

Tensor& randperm_out(Tensor& out, std::int64_t n, const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return randperm_out(out, n);
}

Tensor& normal_out(Tensor& out, const Tensor& mean, double std, const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return normal_out(out, mean, std);
}

Tensor& normal_out(Tensor& out, double mean, const Tensor& std, const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return normal_out(out, mean, std);
}

Tensor& normal_out(Tensor& out, const Tensor& mean, const Tensor& std,
                   const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return normal_out(out, mean, std);
}

Tensor& bernoulli_out(Tensor& out, const Tensor& self, const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return bernoulli_out(out, self);
}

Tensor& multinomial_out(Tensor& out, const Tensor& self, std::int64_t num_samples, bool replacement,
                        const std::optional<Generator>& generator) {
  const detail::DrawsFrom scope(generator);
  return multinomial_out(out, self, num_samples, replacement);
}

Tensor& Tensor::normal_(double mean, double std, const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return normal_(mean, std);
}

Tensor& Tensor::uniform_(double from, double to, const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return uniform_(from, to);
}

Tensor& Tensor::random_(std::int64_t from, std::optional<std::int64_t> to,
                        const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return random_(from, to);
}

Tensor& Tensor::random_(std::int64_t to, const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return random_(to);
}

Tensor& Tensor::random_(const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return random_();
}

Tensor& Tensor::bernoulli_(double p, const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return bernoulli_(p);
}

Tensor& Tensor::bernoulli_(const Tensor& p, const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return bernoulli_(p);
}

Tensor& Tensor::exponential_(double lambd, const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return exponential_(lambd);
}

Tensor& Tensor::geometric_(double p, const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return geometric_(p);
}

Tensor& Tensor::cauchy_(double median, double sigma, const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return cauchy_(median, sigma);
}

Tensor& Tensor::log_normal_(double mean, double std, const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return log_normal_(mean, std);
}

Tensor Tensor::bernoulli(const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return bernoulli();
}

Tensor Tensor::bernoulli(double p, const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return bernoulli(p);
}

Tensor Tensor::multinomial(std::int64_t num_samples, bool replacement,
                           const std::optional<Generator>& generator) const {
  const detail::DrawsFrom scope(generator);
  return multinomial(num_samples, replacement);
}

}  // namespace lanewise
