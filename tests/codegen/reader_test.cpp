// The generator's reader: what it makes of an entry, and how it names mistakes.
#include "../../autograd/codegen/reader.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../autograd/codegen/emit.h"
#include "../../autograd/codegen/error.h"
#include "../../autograd/codegen/formula.h"
#include "../../autograd/codegen/output.h"
#include "../call.h"

namespace lanewise::codegen {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("codegen_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  OpList read(const std::string& yaml) {
    const auto path = folder_ / "ops.yaml";
    std::ofstream(path) << yaml;
    return read_ops(path.string());
  }

  std::string mistake(const std::string& yaml) {
    try {
      read(yaml);
    } catch (const SourceError& error) {
      return error.what();
    }
    return "no mistake found";
  }

  std::filesystem::path folder_;
};

constexpr const char* kMul =
    "- op: mul.Tensor(Tensor self, Tensor other) -> Tensor\n"
    "  doc: Product.\n"
    "  kernel: mul\n"
    "  self: grad * other\n"
    "  other: grad * self.sizes()\n";

TEST_F(ReaderTest, PointwiseEntry) {
  const OpList list = read(kMul);
  ASSERT_EQ(list.ops.size(), 1U);
  const Op& op = list.ops[0];
  EXPECT_EQ(op.schema.name, "mul");
  EXPECT_EQ(op.schema.overload, "Tensor");
  EXPECT_EQ(op.kind, Kind::Pointwise);
  EXPECT_TRUE(op.method && op.inplace && op.out);
  EXPECT_THAT(op.inputs, ElementsAre("self", "other"));
  EXPECT_EQ(op.node_name, "MulBackward0");
  EXPECT_THAT(list.kernels, ElementsAre("mul"));
}

TEST_F(ReaderTest, NodesKeepOnlyWhatFormulasName) {
  const OpList list = read(kMul);
  const NodePlan plan = plan_node(list.ops[0]);
  EXPECT_THAT(plan.inputs, ElementsAre("other"));
  ASSERT_EQ(plan.metadata.size(), 1U);
  EXPECT_EQ(plan.metadata[0].member(), "self_sizes_");
  EXPECT_EQ(plan.formulas[1].code, "grad * self_sizes_");
  EXPECT_THAT(plan.edges_using(list.ops[0], "other"), ElementsAre(0U));
}

TEST_F(ReaderTest, OverloadsAreNumberedInOrder) {
  const OpList list = read(std::string(kMul) +
                           "- op: mul.Scalar(Tensor self, Scalar other) -> Tensor\n"
                           "  doc: Product.\n"
                           "  kernel: mul\n"
                           "  self: grad * other\n");
  EXPECT_EQ(list.ops[1].node_name, "MulBackward1");
}

TEST_F(ReaderTest, ForwardModeFormulasAreAccepted) {
  EXPECT_EQ(read(std::string(kMul) + "  jvp: self_t * other + other_t * self\n").ops[0].formulas.size(), 2U);
}

TEST_F(ReaderTest, ShardsTogetherHoldEveryOp) {
  const OpList list = read(kMul);
  std::size_t count = 0;
  for (std::size_t shard = 0; shard <= kRareShard; ++shard) count += shard_of(list, shard).size();
  EXPECT_EQ(count, 1U);
  EXPECT_THAT(emit_nodes(list, 0), HasSubstr("// ops.yaml:1: mul.Tensor"));
}

TEST_F(ReaderTest, RareOpsAreInAShardOfTheirOwn) {
  const OpList list = read(std::string(kMul) + "  rare: true\n");
  EXPECT_TRUE(shard_of(list, 0).empty());
  EXPECT_EQ(shard_of(list, kRareShard).size(), 1U);
}

TEST_F(ReaderTest, MistakesNameFileAndLine) {
  EXPECT_THAT(mistake(std::string(kMul) + "- op: neg(Tensor self -> Tensor\n  doc: x.\n"),
              AllOf(StartsWith("ops.yaml:6: "), HasSubstr("expected ',' or ')' after an argument")));
  EXPECT_THAT(mistake(std::string(kMul) + "- op: neg(Tensr self) -> Tensor\n  doc: x.\n"),
              AllOf(StartsWith("ops.yaml:6: "), HasSubstr("expected a type"), HasSubstr("Tensr")));
  EXPECT_THAT(mistake(std::string(kMul) + kMul),
              AllOf(StartsWith("ops.yaml:6: "), HasSubstr("already defined in line 1")));
  EXPECT_THAT(mistake(std::string(kMul) + "  third: grad\n"),
              AllOf(StartsWith("ops.yaml:6: "), HasSubstr("'third' is neither a field nor an argument"),
                    HasSubstr("self, other")));
  EXPECT_THAT(mistake("- op: neg(Tensor self) -> Tensor\n  doc: x.\n  kernel: neg\n"),
              AllOf(StartsWith("ops.yaml:1: "), HasSubstr("non_differentiable")));
  EXPECT_THAT(mistake("- op: neg(Tensor self) -> Tensor\n  doc: x.\n  self: -grad\n"),
              HasSubstr("exactly one of"));
  EXPECT_THAT(mistake("- op: neg(Tensor self) -> Tensor\n  kernel: neg\n  self: -grad\n"),
              HasSubstr("`doc:` is missing"));
  EXPECT_THAT(mistake("- op: neg(Tensor self) -> Tensor\n  doc: x.\n  kernel: neg, quick\n  self: -grad\n"),
              AllOf(StartsWith("ops.yaml:3: "), HasSubstr("unknown kernel option 'quick'")));
  EXPECT_THAT(
      mistake(
          "- op: neg(Tensor self) -> Tensor\n  doc: x.\n  kernel: neg\n  variants: methd\n  self: -grad\n"),
      AllOf(StartsWith("ops.yaml:4: "), HasSubstr("unknown variant 'methd'")));
  EXPECT_THAT(mistake("- op: neg(Tensor self, int n) -> Tensor\n  doc: x.\n  kernel: neg\n  n: grad\n"),
              AllOf(StartsWith("ops.yaml:4: "), HasSubstr("'n' is not a Tensor")));
  EXPECT_THAT(
      mistake(
          "- op: neg(Tensor self) -> Tensor\n  doc: x.\n  kernel: neg\n  inputs: [selv]\n  self: -grad\n"),
      AllOf(StartsWith("ops.yaml:4: "), HasSubstr("no argument 'selv'")));
  EXPECT_THAT(mistake("- op: neg(Tensor self) -> Tensor\n  doc: x.\n  kernel: neg\n  self: f(grad\n"),
              AllOf(StartsWith("ops.yaml:4: "), HasSubstr("'(' is not closed")));
  EXPECT_THAT(mistake("- op: [\n"), StartsWith("ops.yaml:"));
}

TEST_F(ReaderTest, TangentsAndBatches) {
  EXPECT_THAT(mistake("- op: f(Tensor self, Tensor other) -> Tensor\n  doc: x.\n  forward: f\n  self, other: "
                      "g(grad)\n  jvp: elementwise\n"),
              AllOf(StartsWith("ops.yaml:5: "), HasSubstr("a derivative for each input of its own")));
  EXPECT_THAT(mistake("- op: f(Tensor self) -> Tensor\n  doc: x.\n  composite: true\n  jvp: linear\n"),
              AllOf(StartsWith("ops.yaml:4: "), HasSubstr("`jvp:` belongs to")));
  EXPECT_THAT(mistake("- op: f(Tensor self) -> Tensor\n  doc: x.\n  forward: f\n  self: grad\n  jvp: zero\n  "
                      "not_implemented: never\n"),
              AllOf(StartsWith("ops.yaml:6: "), HasSubstr("exclude each other")));
  EXPECT_THAT(
      mistake("- op: f(Tensor self) -> Tensor\n  doc: x.\n  forward: f\n  self: grad\n  vmap: quickly\n"),
      AllOf(StartsWith("ops.yaml:5: "), HasSubstr("loop, pointwise, rule")));
}

TEST_F(ReaderTest, WhatIsNotImplementedNeedsAReason) {
  const std::string op = "- op: f(Tensor self, Tensor other) -> Tensor\n  doc: x.\n  forward: f\n";
  EXPECT_THAT(mistake(op + "  self: not_implemented\n  other: grad\n"),
              AllOf(StartsWith("ops.yaml:1: "), HasSubstr("'self' has no derivative; say why")));
  const OpList part = read(op + "  self: not_implemented\n  other: grad\n  not_implemented: never\n");
  EXPECT_THAT(emit_nodes(part, 0), HasSubstr("not_implemented(\"f\", \"self\", \"never\")"));
  EXPECT_TRUE(part.ops[0].has_derivative());
  EXPECT_NE(part.ops[0].jvp, Jvp::NotImplemented);  // tangents of other go through
  const OpList none = read(op + "  self: not_implemented\n  not_implemented: never\n");
  EXPECT_FALSE(none.ops[0].has_derivative());
  EXPECT_EQ(none.ops[0].jvp, Jvp::NotImplemented);
}

// The result may take the gradient's memory only where one pointwise op reads that, and reads it last.
TEST_F(ReaderTest, GradientsAreSpentOnce) {
  const std::string pointwise =
      "- op: g(Tensor self, Tensor other) -> Tensor\n  doc: x.\n  kernel: g\n  non_differentiable: true\n";
  const auto node = [&](const std::string& self, const std::string& other) {
    return emit_nodes(
        read(pointwise + "- op: f(Tensor self, Tensor other) -> Tensor\n  doc: x.\n  forward: f\n  self: " +
             self + "\n  other: " + other + "\n"),
        1);
  };
  const std::string spent = "const SpareGradient spare(grad", last = spent + ");",
                    alone = spent + ", !task_should_compute_output(1));";
  EXPECT_THAT(node("grad * other", "f(self)"), HasSubstr(alone));
  EXPECT_THAT(node("f(self)", "-grad * self"), HasSubstr(last));
  EXPECT_THAT(node("f(self)", "g(grad, self)"), HasSubstr(last));
  EXPECT_THAT(node("f(self)", "h(g(grad, self), self)"), HasSubstr(last));
  for (const char* kept :
       {"grad", "grad * grad", "h(grad, self)", "grad.sum()", "self.g(grad)", "grad * self + grad"})
    EXPECT_THAT(node("f(self)", kept), Not(HasSubstr(spent))) << kept;
}

// var(x, 0) is a dimension, clamp(x) is one function.
TEST_F(ReaderTest, CallsThatCppWouldMisread) {
  const std::string rest = "  doc: x.\n  composite: true\n  variants: function\n";
  const std::string header = emit_functions_header(
      read("- op: v(Tensor self, bool unbiased) -> Tensor\n" + rest +
           "- op: c.Tensor(Tensor self, Tensor? min=None) -> Tensor\n" + rest +
           "- op: c(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor\n" + rest));
  EXPECT_THAT(header, HasSubstr("v(const Tensor& self, T dim)"));
  EXPECT_THAT(header, HasSubstr("c(const Tensor& self, const Tensor& min = {})"));
  EXPECT_THAT(
      header,
      HasSubstr("const std::optional<Scalar>& min, const std::optional<Scalar>& max = std::nullopt)"));
}

TEST_F(ReaderTest, PrefixesBecomeNamespaces) {
  const std::string header = emit_special_header(
      read("- op: special_f(Tensor self, int n=1) -> Tensor\n  doc: x.\n  forward: f\n"
           "  variants: function, out\n  non_differentiable: true\n"
           "- op: g(Tensor self) -> Tensor\n  doc: x.\n  forward: g\n  non_differentiable: true\n"));
  EXPECT_THAT(header, AllOf(HasSubstr("namespace lanewise::special {"), Not(HasSubstr("g(const"))));
  EXPECT_THAT(header, HasSubstr("inline Tensor f(const Tensor& self, int64_t n = 1) {\n"
                                "  return lanewise::special_f(self, n);"));
  EXPECT_THAT(header, HasSubstr("inline Tensor& f_out(Tensor& out, const Tensor& self, int64_t n = 1) {"));
}

TEST_F(ReaderTest, MissingFileIsNamed) {
  EXPECT_THAT(Call([] { read_ops("/nowhere/ops.yaml"); }),
              ::testing::ThrowsMessage<SyntaxError>(HasSubstr("/nowhere/ops.yaml: no such file")));
}

TEST_F(ReaderTest, UnchangedFilesAreNotTouched) {
  const auto path = folder_ / "out.txt";
  write_if_changed(path, "one");
  const auto before = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(path, before);
  write_if_changed(path, "one");
  EXPECT_EQ(std::filesystem::last_write_time(path), before);
  write_if_changed(path, "two");
  EXPECT_NE(std::filesystem::last_write_time(path), before);
}

}  // namespace
}  // namespace lanewise::codegen
