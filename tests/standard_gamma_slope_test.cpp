// What draws of gamma distributions move with their shape: the gradient of _standard_gamma.
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

// Numbers from mpmath: -(dP/da) / (dP/dx) with 60 digits and more.
TEST(StandardGamma, MovesWithItsShape) {
  struct Slope {
    double shape, draw, slope;
  };
  constexpr Slope kSlopes[] = {{0.02271947933755599, 0.02562716544112943, 3.6410091653781623},
                               {0.017251448460372562, 0.07110523158468615, 9.5563597473917431},
                               {3.017606460911743, 7.568291281139642, 1.6147495536960074},
                               {0.39900573590274313, 0.504102876972562, 1.5963485404497968},
                               {39.685353618649, 42.40607685360844, 1.0378721097504813},
                               {0.0018069153923877014, 0.009137368129757137, 21.077426785910744},
                               {0.012279124525388058, 0.008781751482077445, 3.0201308947522785},
                               {114.25045812581507, 122.61643116974001, 1.0372621734539805},
                               {0.0992251027090735, 0.08514441119287473, 1.9547362573333339},
                               {0.033334125507309284, 0.031487069842630486, 2.8861949815059504},
                               {0.011666988118534099, 0.13985599899412798, 21.213949817555727},
                               {39.31094673420063, 37.256284797135265, 0.97753553182568428},
                               {0.04603199796802584, 0.002323837776546066, 0.28144770202858229},
                               {0.10219357396639772, 1.6351281573725406e-09, 3.1698087361748881e-7},
                               {0.3658692299494344, 2.461143373075946e-12, 1.7915876551824009e-10},
                               {0.1958468981052448, 5.955101281150814e-07, 4.2689915045181287e-5},
                               {6718.627803101494, 7005.763037067996, 1.0210958518444184},
                               {3246.8000512839617, 3471.29865470399, 1.0338549749036129},
                               {4082.809151085945, 3991.0676899795135, 0.9887201592832766},
                               {771.6846458144003, 634.9757871793973, 0.90586721573612016},
                               {253.70024195867913, 274.9893239111475, 1.0415143461731192},
                               {466.84495909255213, 444.1403422492572, 0.97562705088987061},
                               {562.673911795387, 629.6555015767325, 1.0576033443893737},
                               {1736.3088349725892, 1442.1832756049853, 0.91015464577719385},
                               {1033.13903763285, 1618.0962628287782, 1.2412409512436033},
                               {280.8984084991081, 342.6238441568055, 1.1032596630859586},
                               {1762.3041237404323, 947.4728367132208, 0.72166690015179716},
                               {318.5710473956371, 295.90463655250153, 0.96405394600281356},
                               {400.0, 400.0, 1.0004167706843847},
                               {400.0, 400.00000040000003, 1.0004167711845931},
                               {1000.0, 1000.0000010000001, 1.0001666838238894},
                               {5000.0, 5000.000005000001, 1.0000333344999405}};
  for (const auto& [shape, draw, slope] : kSlopes) {
    const Tensor found = _standard_gamma_grad(full({1}, shape, kDouble), full({1}, draw, kDouble));
    EXPECT_NEAR(found.item<double>() / slope, 1, 1e-9) << shape << " " << draw;
  }
  manual_seed(22);
  const Tensor shapes = (rand({5, 3}, kDouble) * 4 + 0.1).requires_grad_();
  const Tensor drawn = _standard_gamma(shapes);
  EXPECT_EQ(drawn.grad_fn()->name(), "StandardGammaBackward0");
  drawn.sum().backward();
  EXPECT_TRUE(equal(shapes.grad(), _standard_gamma_grad(shapes.detach(), drawn.detach())));
  EXPECT_EQ(_standard_gamma_grad(ones({2}), ones({3, 2})).sizes(), IntArrayRef({3, 2}));
  EXPECT_THROW(_standard_gamma_grad(ones({2}, kInt), ones({2})), DtypeError);
}

TEST(StandardGamma, SlopesOfFloatsAreThoseOfDoublesRounded) {
  manual_seed(23);
  const Tensor shapes = exp2(rand({20000}) * 24 - 12);
  for (const Tensor& draws : {_standard_gamma(shapes), shapes * exp2(rand({20000}) * 8 - 4)}) {
    const Tensor wide = _standard_gamma_grad(shapes.to(kDouble), draws.to(kDouble));
    const Tensor found = _standard_gamma_grad(shapes, draws).to(kDouble);
    EXPECT_TRUE(allclose(found, wide, 0x1.01p-24, 1e-38));
  }
}

}  // namespace
}  // namespace lanewise
