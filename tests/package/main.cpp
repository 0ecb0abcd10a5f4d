// A user's program: includes installed headers only, and checks what it computes.
#include <cstdio>

#include <lanewise/lanewise.h>

int main() {
  const lanewise::Tensor x = lanewise::ones({2, 2}, lanewise::requires_grad());
  const lanewise::Tensor y = x + 2;
  const lanewise::Tensor loss = (y * y * 3).mean();
  loss.backward();
  const double gradient = x.grad().sum().item<double>();  // 4 elements of 6 * (x + 2) / 4
  std::printf("lanewise %s on %s: loss %g, sum of gradients %g\n", lanewise::version(),
              lanewise::name(lanewise::active_isa()), loss.item<double>(), gradient);
  return loss.item<double>() == 27.0 && gradient == 18.0 ? 0 : 1;
}
