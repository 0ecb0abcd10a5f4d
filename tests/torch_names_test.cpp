// The header for programs that were written for libtorch, and the example of docs/porting.md, as it stands there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/torch_names.h>

#include "call.h"
#include "porting_example.inc"

namespace {

using lanewise::Call;
using ::testing::HasSubstr;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

at::Tensor twice(const torch::Tensor& x) { return x * 2; }

TEST(TorchNames, AreThoseOfLanewise) {
  const torch::Tensor x = torch::ones({2}, torch::dtype(torch::kDouble).requires_grad(true));
  twice(x).sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), at::full({2}, 2, torch::kDouble)));
  const c10::optional<at::Tensor> none = c10::nullopt;
  EXPECT_FALSE(none.has_value());
}

TEST(TorchNames, Checks) {
  const int columns = 3;
  EXPECT_NO_THROW(TORCH_CHECK(columns == 3, "not evaluated ", 1));
  EXPECT_THAT(Call([&] { TORCH_CHECK(columns == 2, "expected 2 columns, found ", columns); }),
              ThrowsMessage<c10::Error>(StrEq("expected 2 columns, found 3")));
  EXPECT_THAT(Call([] { TORCH_CHECK(columns == 2); }), ThrowsMessage<c10::Error>(HasSubstr("columns == 2")));
  EXPECT_THAT(Call([] { TORCH_INTERNAL_ASSERT(false, "bug ", 7); }),
              ThrowsMessage<c10::Error>(StrEq("bug 7")));
  EXPECT_THAT(Call([] { AT_ASSERT(columns < 0); }), ThrowsMessage<c10::Error>(HasSubstr("columns < 0")));
  EXPECT_THAT(Call([] { AT_ASSERTM(false, "why"); }), ThrowsMessage<c10::Error>(StrEq("why")));
  EXPECT_THAT(Call([] { AT_ERROR("size ", 2); }), ThrowsMessage<c10::Error>(StrEq("size 2")));
  EXPECT_THAT(Call([] { TORCH_CHECK_INDEX(columns < 0, "no ", 3); }),
              ThrowsMessage<torch::IndexError>(StrEq("no 3")));
  EXPECT_THROW(TORCH_CHECK_VALUE(columns < 0), torch::ValueError);
  EXPECT_THROW(TORCH_CHECK_TYPE(columns < 0), torch::DtypeError);
  EXPECT_THROW(TORCH_CHECK_NOT_IMPLEMENTED(columns < 0), torch::NotImplementedError);
}

TEST(TorchNames, NamesOfC10) {
  C10_UNUSED const int unused = 0;
  const at::Tensor z = at::tensor(c10::complex<double>(1, 2)) + c10::Scalar(0.5);
  EXPECT_EQ(z.item<c10::complex<double>>(), c10::complex<double>(1.5, 2));
  EXPECT_EQ(c10::str("a", 1, c10::kFloat), "a1Float");
  EXPECT_EQ(c10::multiply_integers(c10::IntArrayRef{2, 3}), 6);
}

TEST(TorchNames, TensorsOfAt) {
  const auto expect = [](const at::Tensor& t, at::IntArrayRef sizes, at::ScalarType dtype) {
    EXPECT_EQ(t.sizes(), sizes);
    EXPECT_EQ(t.scalar_type(), dtype);
  };
  expect(at::tensor(5), {1}, at::kInt);
  expect(at::tensor(2.5), {1}, at::kDouble);
  expect(at::tensor({1, 2, 3}), {3}, at::kInt);
  expect(at::tensor({1.5, 2.}), {2}, at::kDouble);
  expect(at::tensor({true, false}), {2}, at::kBool);
  expect(at::tensor(std::vector<std::int64_t>{1, 2}), {2}, at::kLong);
  expect(at::tensor(std::vector<int>{}), {0}, at::kInt);
  expect(at::tensor({c10::complex<float>(1, 2)}), {1}, at::kComplexFloat);
  expect(at::tensor({1, 2}, at::kHalf), {2}, at::kHalf);
  expect(at::tensor(std::vector<double>{1.5}, at::dtype(at::kComplexDouble)), {1}, at::kComplexDouble);
  expect(torch::tensor(5), {}, at::kLong);
  EXPECT_EQ((at::tensor(123, at::dtype(at::kFloat)) + 0.5)[0].item<float>(), 123.5f);
  EXPECT_THAT(Call([] { at::tensor({c10::complex<float>(1, 2)}, at::kFloat); }),
              ThrowsMessage<c10::Error>(HasSubstr("\"tensor_cpu\" not implemented for 'Float'")));
}

TEST(TorchNames, WarnsOnce) {
  struct Counter : c10::WarningHandler {
    void process(const c10::Warning&) override { ++count; }
    int count = 0;
  } counter;
  const c10::WarningUtils::WarningHandlerGuard guard(&counter);
  for (int i = 0; i < 3; ++i) TORCH_WARN_ONCE("once");
  EXPECT_EQ(counter.count, 1);
}

TEST(TorchNames, AProgramOfLibtorchTrains) {
  const float loss = train();
  EXPECT_GT(loss, 0);
  EXPECT_LT(loss, 0.25);  // that of outputs of one half
}

}  // namespace
