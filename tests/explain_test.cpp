// explain(): each line says what the op really did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/autograd/explain.h>
#include <lanewise/kernels/tuning.h>
#include <lanewise/lanewise.h>

#include "call.h"
#include "thread_count.h"

namespace lanewise::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ThreadCount;
using ::testing::ThrowsMessage;

TEST(Explain, CoalescesWhatIsContiguous) {
  const ThreadCount one(1);
  const Tensor a = rand({8, 16, 64}), b = rand({8, 16, 64});
  EXPECT_THAT(
      explain([&] { a.add(b); }),
      AllOf(HasSubstr("add f32[8,16,64] f32[8,16,64] -> f32[8,16,64]"), HasSubstr("operands are f32"),
            HasSubstr("contiguous, as operand 0"),
            HasSubstr("8192, coalesced from 3 dimensions; bytes per step: out f32 (4), f32 (4), f32 (4)"),
            HasSubstr("contiguous: the kernel runs"), HasSubstr(std::string("tier    ") + name(active_isa())),
            HasSubstr("threads 1 of 1: 8192 elements"), HasSubstr("predicted "), HasSubstr("measured ")));
}

TEST(Explain, NamesTheDisagreementOfATransposedOperand) {
  const Tensor a = rand({128, 64}), b = rand({64, 128});
  EXPECT_THAT(
      explain([&] { a.add(b.t()); }),
      AllOf(HasSubstr("t f32[64,128] -> f32[128,64]"), HasSubstr("strides (1,128): a view, no element moves"),
            HasSubstr("(fastest first)"), HasSubstr("blocked: operands disagree")));
}

TEST(Explain, GivesTheRuleOfPromotion) {
  const Tensor f = rand({300}), h = f.to(kBFloat16), i = arange(300),
               d = rand({300}, TensorOptions().dtype(kDouble));
  const Tensor zero_dim = tensor(2.0, TensorOptions().dtype(kDouble));
  EXPECT_THAT(explain([&] { f.add(i); }),
              HasSubstr("f32: f32, i64 promote to f32: the highest of bool, integral"));
  EXPECT_THAT(explain([&] { f.add(d); }),
              HasSubstr("f64: f32, f64 promote to f64: the type that holds both"));
  EXPECT_THAT(explain([&] { f.add(zero_dim); }),
              HasSubstr("f32: f32, f64 (0-dim) promote to f32: a 0-dim tensor does not widen"));
  EXPECT_THAT(explain([&] { f.lt(d); }),
              HasSubstr("bool: f32, f64 promote to f64: the type that holds both of one "
                        "category; the op answers in bool"));
  EXPECT_THAT(explain([&] { i.exp(); }), HasSubstr("f32: operands are i64; integers compute in the default"));
  EXPECT_THAT(explain([&] { h.exp(); }),
              AllOf(HasSubstr("bf16: operands are bf16; computed in f32 and rounded once"),
                    HasSubstr("out bf16 as f32 (2)")));
}

TEST(Explain, SaysHowManyThreadsAndWhy) {
  const ThreadCount two(2);
  const Tensor x = rand({1 << 20});
  EXPECT_THAT(explain([&] { x.exp(); }),
              AllOf(HasSubstr("threads 2 of 2: 1048576 elements of cost"), HasSubstr("a thread gets ")));
}

TEST(Explain, ShowsTheTierThatWasTuned) {
  const Isa other = kernels::tunable_isas().front();
  const Tensor x = rand({20000});
  const kernels::TuneGuard guard(
      std::vector<kernels::Tuning>{{"exp", kFloat, kernels::SizeClass::Cache, other, 1 << 13}});
  EXPECT_THAT(explain([&] { x.exp(); }), AllOf(HasSubstr(std::string("tier    ") + name(other)),
                                               HasSubstr("a thread gets 8192 or more")));
}

TEST(Explain, CoversBackwardReductionsAndProducts) {
  const Tensor a = rand({64, 64}, requires_grad());
  EXPECT_THAT(
      explain([&] { a.sigmoid().mm(a).sum().backward(); }),
      AllOf(HasSubstr("\nmm f32[64,64] f32[64,64] -> f32[64,64]"), HasSubstr("product: packed"),
            HasSubstr("reduction: a tree of fixed shape"), HasSubstr("\n  sigmoid_backward f32[64,64]")));
  EXPECT_EQ(explain([] {}), "no op ran\n");
}

TEST(Explain, PassesExceptionsOnAndEndsItsProfile) {
  EXPECT_THAT(Call([] { explain([] { add(rand({2}), rand({3})); }); }),
              ThrowsMessage<ShapeError>(HasSubstr("add")));
  EXPECT_FALSE(profiler::is_recording());
  EXPECT_THAT(explain([] { ones({2}).neg(); }), HasSubstr("neg f32[2]"));
}

}  // namespace
}  // namespace lanewise::test
