// The example of docs/iterator.md, as it stands there: promotion, broadcasting, layouts, threads.

#include <cmath>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

using namespace lanewise;

#include "iterator_example.inc"

TEST(DocsExample, RunsOnAnyLayoutAndDtype) {
  const Tensor x = arange(-600, 600).view({30, 40}), beta = full({40}, 0.5);
  for (const Tensor& operand : {x, x.to(kFloat), x.to(kHalf), x.to(kFloat).t().contiguous().t(),
                                cat({x.to(kFloat), x.to(kFloat)}, 1).slice(1, 0, 80, 2)}) {
    const Tensor found = swish(operand, beta);
    ASSERT_TRUE(found.sizes().equals({30, 40}));
    const Tensor expected = operand.to(kDouble) * sigmoid(operand.to(kDouble) * 0.5);
    EXPECT_TRUE(allclose(found.to(kDouble), expected, 1e-3, 1e-4));
  }
  EXPECT_THROW(swish(x.to(kDouble), beta), DtypeError);
}
