// Tunings: they take effect, keep every bit, and bad files are refused.
#include <cstring>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/kernels/kernel_table.h>
#include <lanewise/kernels/tuning.h>
#include <lanewise/lanewise.h>
#include <lanewise/profiler/profile.h>

#include "../call.h"

namespace lanewise::test {
namespace {

using kernels::SizeClass;
using kernels::TuneFile;
using kernels::TuneGuard;
using kernels::Tuning;
using testing::HasSubstr;
using testing::ThrowsMessage;

Isa best() { return kernels::tunable_isas().back(); }
Isa other() { return kernels::tunable_isas().front(); }

TEST(Tuning, ChoosesTheKernelOfItsTierForItsSizeClass) {
  const std::vector<Tuning> tunings = {{"exp", kFloat, SizeClass::Small, other()},
                                       {"exp", kFloat, SizeClass::Memory, other(), 1 << 20, 0}};
  const TuneGuard guard(tunings);
  const kernels::ElementwiseKernel& exp = *kernels::active_kernels().exp;
  const auto at = static_cast<std::size_t>(kFloat);
  EXPECT_EQ(exp.fn[at], kernels::kernels_of(other()).exp->fn[at]);
  EXPECT_EQ(exp.fn[static_cast<std::size_t>(kDouble)],
            kernels::kernels_of(best()).exp->fn[static_cast<std::size_t>(kDouble)]);
  EXPECT_EQ(kernels::tuned_run(exp, kFloat, 4096)->isa, other());
  EXPECT_EQ(kernels::tuned_run(exp, kFloat, 4097)->isa, best());
  EXPECT_EQ(kernels::tuned_run(exp, kFloat, 4097)->fn, kernels::kernels_of(best()).exp->fn[at]);
  EXPECT_EQ(kernels::tuned_run(exp, kFloat, 1 << 20)->isa, other());
  EXPECT_EQ(kernels::tuned_run(exp, kFloat, 1 << 20)->grain, 1 << 20);
  EXPECT_EQ(kernels::active_kernels().log, kernels::kernels_of(best()).log);
  EXPECT_EQ(kernels::tuned_run(*kernels::active_kernels().log, kFloat, 1 << 20), nullptr);
  EXPECT_EQ(active_isa(), best());
}

TEST(Tuning, EndsWithItsGuardAndYieldsToAnIsaGuard) {
  {
    const TuneGuard guard(std::vector<Tuning>{{"exp", kFloat, SizeClass::Small, other()}});
    for (const Isa isa : available_isas()) {
      const IsaGuard fixed(isa);
      EXPECT_EQ(active_isa(), isa);
      EXPECT_EQ(kernels::active_kernels().exp, kernels::kernels_of(isa).exp);
    }
    EXPECT_NE(kernels::active_kernels().exp, kernels::kernels_of(best()).exp);
    EXPECT_THAT(Call([] { TuneGuard(std::vector<Tuning>()); }),
                ThrowsMessage<ValueError>(HasSubstr("tuned already")));
  }
  EXPECT_EQ(kernels::active_kernels().exp, kernels::kernels_of(active_isa()).exp);
}

int threads_of_exp(const Tensor& x) {
  profiler::Profile profile;
  x.exp();
  profile.stop();
  return profile.events().at(0).threads;
}

TEST(Tuning, GrainDecidesOnThreads) {
  const int before = get_num_threads();
  set_num_threads(2);
  const Tensor plain = rand({1 << 17}), strided = rand({1 << 18}).slice(0, 0, 1 << 18, 2);
  for (const Tensor& x : {plain, strided}) {
    const auto with_grain = [&](std::int64_t grain) {
      const TuneGuard guard(std::vector<Tuning>{{"exp", kFloat, SizeClass::Cache, best(), grain}});
      return threads_of_exp(x);
    };
    EXPECT_EQ(with_grain(1 << 14), 2);
    EXPECT_EQ(with_grain(1 << 17), 1);
  }
  set_num_threads(before);
}

bool same_bits(const Tensor& a, const Tensor& b) {
  const Tensor x = a.contiguous(), y = b.contiguous();
  return x.sizes().equals(y.sizes()) && x.scalar_type() == y.scalar_type() &&
         std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.numel() * x.itemsize()) == 0;
}

TEST(Tuning, KeepsEveryBit) {
  const int before = get_num_threads();
  std::mt19937 random(1);
  const auto pick = [&](auto list) { return list[random() % list.size()]; };
  const char* const names[] = {"exp", "add", "div", "tanh", "where", "erf"};
  for (int round = 0; round < 60; ++round) {
    std::vector<Tuning> tunings;
    for (const char* name : {"exp", "add", "div", "tanh", "where", "erf"}) {
      for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kHalf}) {
        for (const SizeClass size : {SizeClass::Small, SizeClass::Cache, SizeClass::Memory}) {
          tunings.push_back(
              {name, dtype, size,
               pick(std::vector<Isa>(kernels::tunable_isas().begin(), kernels::tunable_isas().end())),
               pick(std::vector<std::int64_t>{0, 1, 1000, 1 << 15, 1 << 30}),
               pick(std::vector<std::int64_t>{0, 64, 192, 1024, 2048})});
        }
      }
    }
    const auto dtype = pick(std::vector<ScalarType>{kFloat, kDouble, kBFloat16, kHalf});
    const auto n = pick(std::vector<std::int64_t>{7, 4096, 5000, 70001, 300007});
    const bool strided = random() % 2 == 0;
    Tensor x = rand({n * (strided ? 2 : 1)}, TensorOptions().dtype(kDouble)).to(dtype);
    if (strided) x = x.slice(0, 0, n * 2, 2);
    const Tensor y = rand({n}, TensorOptions().dtype(kDouble)).to(dtype), mask = y.gt(0.5);
    const auto results = [&] {
      return std::vector<Tensor>{x.exp(), x.add(y, 0.3), x.div(y), x.tanh(), where(mask, x, y), x.erf()};
    };
    set_num_threads(1);
    const std::vector<Tensor> expected = results();
    set_num_threads(1 + static_cast<int>(random() % 3));
    const TuneGuard guard(tunings);
    const std::vector<Tensor> found = results();
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(same_bits(found[i], expected[i])) << names[i] << " " << dtype << " " << n << " " << strided;
  }
  set_num_threads(before);
}

TEST(TuneFile, ReadsWhatItWrites) {
  const TuneFile file{cpu_model(),
                      {{"exp", kFloat, SizeClass::Small, best(), 0, 0},
                       {"add", kBFloat16, SizeClass::Memory, other(), 65536, 512}}};
  const TuneFile again = TuneFile::parse(file.text(), "test");
  EXPECT_EQ(again.cpu, cpu_model());
  ASSERT_EQ(again.tunings.size(), 2u);
  EXPECT_EQ(again.tunings[1].kernel, "add");
  EXPECT_EQ(again.tunings[1].dtype, kBFloat16);
  EXPECT_EQ(again.tunings[1].size, SizeClass::Memory);
  EXPECT_EQ(again.tunings[1].isa, other());
  EXPECT_EQ(again.tunings[1].grain, 65536);
  EXPECT_EQ(again.tunings[1].block, 512);
  EXPECT_EQ(again.text(), file.text());
}

TEST(TuneFile, NamesTheLineThatIsWrong) {
  const std::string head = "lanewise-tune 1\ncpu " + cpu_model() + "\n# a comment\n\n", tier = name(best());
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {"", "cut off"},
      {"{\"format\": 1}", "f:1: no file of"},
      {"lanewise-tune 2\n", "f:1: no file of"},
      {"lanewise-tune 1\n", "cut off"},
      {"lanewise-tune 1\nexp f32 small avx2 - -\n", "f:2: 'exp f32 small avx2 - -': expected 'cpu'"},
      {head + "exp f32 small " + tier + " -\n", "f:5: 'exp f32 small "},
      {head + "expo f32 small " + tier + " - -\n", "f:5: kernel 'expo': unknown"},
      {head + "exp f33 small " + tier + " - -\n", "f:5: dtype 'f33'"},
      {head + "exp i32 small " + tier + " - -\n", "f:5: kernel 'exp': does not compute in i32"},
      {head + "exp f32 huge " + tier + " - -\n", "f:5: size 'huge'"},
      {head + "exp f32 small avx9 - -\n", "f:5: parse_isa: 'avx9': unknown"},
      {head + "exp f32 small " + tier + " x -\n", "f:5: grain 'x'"},
      {head + "exp f32 small " + tier + " -3 -\n", "f:5: grain '-3'"},
      {head + "exp f32 small " + tier + " - 100\n", "f:5: block 100"},
      {head + "exp f32 small " + tier + " - -\nexp f32 small " + tier + " 5 -\n", "f:6: 'exp f32 small"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(Call([&] { TuneFile::parse(c.text, "f"); }), ThrowsMessage<ValueError>(HasSubstr(c.message)))
        << c.text;
#if defined(__x86_64__)
  if (best() != Isa::sse4_2) {
    EXPECT_THAT(Call([&] { TuneFile::parse(head + "exp f32 small sse4_2 - -\n", "f"); }),
                ThrowsMessage<ValueError>(HasSubstr("bits of its best")));
  }
#endif
}

TEST(TuneFile, OfAnotherCpuIsNotJudged) {
  const TuneFile file = TuneFile::parse("lanewise-tune 1\ncpu of elsewhere\nexp f32 small neon - -\n", "f");
  EXPECT_EQ(file.cpu, "of elsewhere");
}

}  // namespace
}  // namespace lanewise::test
