// Padding with a number, beside a copy into a full tensor.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

// Margins of large tensors are filled alone.
TEST(ConstantPad, IsACopyIntoAFullTensor) {
  for (const std::int64_t n : {3, 400}) {
    const Tensor x = arange(2 * n * n).view({2, n, n});
    const auto check = [&](const Tensor& self, std::vector<std::int64_t> pad) {
      DimVector sizes(self.sizes());
      for (std::size_t i = 0; i < pad.size() / 2; ++i)
        sizes[sizes.size() - 1 - i] += pad[2 * i] + pad[2 * i + 1];
      const Tensor expected = full(sizes, 7, self.options());
      Tensor to = expected, from = self;
      for (std::size_t i = 0; i < pad.size() / 2; ++i) {
        const std::int64_t d = self.dim() - 1 - static_cast<std::int64_t>(i), before = pad[2 * i];
        const std::int64_t start = std::max<std::int64_t>(-before, 0),
                           length = from.size(d) - start + std::min<std::int64_t>(pad[2 * i + 1], 0);
        from = from.narrow(d, start, std::max<std::int64_t>(length, 0));
        to = to.narrow(d, std::max<std::int64_t>(before, 0), std::max<std::int64_t>(length, 0));
      }
      to.copy_(from);
      ASSERT_TRUE(constant_pad_nd(self, pad, 7).equal(expected)) << self.sizes() << ", " << IntArrayRef(pad);
    };
    for (const Tensor& self : {x, x.transpose(0, 2), x.to(kHalf)}) {
      check(self, {1, 2});
      check(self, {0, 0, 3, 0});
      check(self, {-1, 2, 0, -2, 1, 1});
      check(self, {-1, -1, -1, 0});
    }
    check(x, {-n, 2 * n, 1, 1});
    EXPECT_THROW(constant_pad_nd(x.to(kByte), {-1, 0}, 300), Error);
  }
}

}  // namespace
}  // namespace lanewise
