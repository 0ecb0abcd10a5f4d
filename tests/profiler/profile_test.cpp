#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

#include "../call.h"

namespace lanewise {
namespace {

using profiler::Event;
using profiler::GroupBy;
using profiler::Kind;
using profiler::Profile;
using testing::HasSubstr;

/// The one event of that name and kind; fails if there are more or none.
const Event& only(const std::vector<Event>& events, std::string_view name, Kind kind = Kind::Op) {
  static const Event none;
  const Event* found = nullptr;
  for (const Event& event : events) {
    if (event.name != name || event.kind != kind) continue;
    EXPECT_EQ(found, nullptr) << "twice: " << name;
    found = &event;
  }
  EXPECT_NE(found, nullptr) << "not recorded: " << name;
  return found == nullptr ? none : *found;
}

TEST(Profile, RecordsArgumentsResultsAndCosts) {
  const Tensor a = rand({64, 100}), b = rand({100});
  Profile profile;
  const Tensor c = a.add(b);
  profile.stop();
  const Event& add = only(profile.events(), "add");
  ASSERT_EQ(add.tensors.size(), 3u);
  EXPECT_EQ(add.tensors[0].sizes, (std::vector<std::int64_t>{64, 100}));
  EXPECT_EQ(add.tensors[1].sizes, (std::vector<std::int64_t>{100}));
  EXPECT_EQ(add.tensors[1].strides, (std::vector<std::int64_t>{1}));
  EXPECT_FALSE(add.tensors[1].is_result);
  EXPECT_TRUE(add.tensors[2].is_result);
  EXPECT_EQ(add.tensors[2].dtype, kFloat);
  EXPECT_EQ(add.bytes, (6400 + 100 + 6400) * 4);
  EXPECT_EQ(add.flops, 6400);
  EXPECT_EQ(add.allocations, 1);
  EXPECT_EQ(add.allocated_bytes, 6400 * 4);
  EXPECT_EQ(add.isa, active_isa());
  EXPECT_GT(add.duration(), 0);
  EXPECT_EQ(describe_arguments(add), "f32[64,100] f32[100]");
}

TEST(Profile, NamesTheFormOfTheCall) {
  Tensor a = rand({4}), out = empty({4});
  Profile profile;
  a.mul_(2);
  mul_out(out, a, a);
  call("exp_", {a});
  profile.stop();
  only(profile.events(), "mul_");
  only(profile.events(), "mul.out");
  only(profile.events(), "exp_");
}

TEST(Profile, SaysWhichPathAnOpTook) {
  const Tensor a = rand({256, 256}), h = a.to(kBFloat16);
  Profile profile;
  a.exp();
  a.add(a.t());
  a.sum();
  a.mm(a);
  h.sin();
  const Tensor s = rand({512, 512}).slice(1, 0, 256);
  s.neg();
  a.reshape({-1});
  Tensor column = empty({256}), total = empty({256});
  mv_out(column, a, a[0]);
  sum_out(total, a, 1);
  profile.stop();
  const auto& events = profile.events();
  EXPECT_EQ(only(events, "exp").path, "contiguous");
  EXPECT_EQ(only(events, "add").path, "blocked");
  EXPECT_EQ(only(events, "sum").path, "reduction");
  EXPECT_EQ(only(events, "mm").path, "product");
  EXPECT_EQ(only(events, "sin").path, "staged");
  EXPECT_EQ(only(events, "neg").path, "rows");
  EXPECT_EQ(only(events, "t").path, "-");
  EXPECT_EQ(only(events, "t").bytes, 0);
  EXPECT_EQ(only(events, "mm").flops, 2.0 * 256 * 256 * 256);
  EXPECT_EQ(only(events, "sum").flops, 256.0 * 256);
  EXPECT_EQ(only(events, "mv.out").flops, 2.0 * 256 * 256);
  EXPECT_EQ(only(events, "sum.out").flops, 256.0 * 256);
}

TEST(Profile, NestsOpsInsideOfOps) {
  Tensor x = rand({8, 8}, requires_grad());
  const Tensor y = x.sigmoid().sum();
  Profile profile;
  y.backward();
  profile.stop();
  const Event& node = only(profile.events(), "SigmoidBackward0", Kind::Backward);
  const Event& inner = only(profile.events(), "sigmoid_backward");
  EXPECT_EQ(inner.parent, node.id);
  EXPECT_EQ(inner.depth, node.depth + 1);
  EXPECT_GE(inner.begin, node.begin);
  EXPECT_LE(inner.end, node.end);
  EXPECT_EQ(node.self, node.duration() - inner.duration());
}

TEST(Profile, LinksABackwardToTheOpThatMadeItsNode) {
  Tensor x = rand({8}, requires_grad());
  Profile profile;
  const Tensor y = x.exp();
  const Tensor z = y.mul(y);
  z.sum().backward();
  profile.stop();
  for (const auto& [op, node] : {std::pair("exp", "ExpBackward0"), std::pair("sum", "SumBackward0")}) {
    const Event& forward = only(profile.events(), op);
    const Event& backward = only(profile.events(), node, Kind::Backward);
    EXPECT_LE(forward.sequence, backward.sequence);
    EXPECT_LT(backward.sequence, forward.sequence_end);
  }
}

TEST(Profile, ShowsEachThreadsPartOfALoop) {
  set_num_threads(2);
  const Tensor a = rand({1 << 21});
  a.exp();  // the workers are there
  Profile profile;
  a.exp();
  profile.stop();
  set_num_threads(1);
  const Event& exp = only(profile.events(), "exp");
  EXPECT_EQ(exp.threads, 2);
  std::int64_t parts = 0;
  for (const Event& event : profile.events()) {
    if (event.kind != Kind::Loop) continue;
    ++parts;
    EXPECT_EQ(event.name, "exp");
    EXPECT_GE(event.begin, exp.begin);
    EXPECT_LE(event.end, exp.end);
  }
  EXPECT_GE(parts, 1);
  EXPECT_EQ(exp.self, exp.duration());  // its loops are itself
  EXPECT_EQ(profile.key_averages().front().name, "exp");
}

TEST(Profile, RecordsAllThreads) {
  const Tensor a = rand({16});
  Profile profile;
  std::thread([&] { a.sin(); }).join();
  a.cos();
  profile.stop();
  EXPECT_NE(only(profile.events(), "sin").thread, only(profile.events(), "cos").thread);
}

TEST(Profile, RecordsAnOpThatThrowsAndGoesOn) {
  const Tensor a = rand({2}), b = rand({3});
  Profile profile;
  EXPECT_THROW(a.add(b), ShapeError);
  a.mul(a);
  profile.stop();
  EXPECT_EQ(only(profile.events(), "add").depth, 0);
  EXPECT_EQ(only(profile.events(), "mul").depth, 0);
}

TEST(Profile, LeavesResultsAlone) {
  const Tensor x = rand({1000});
  const Tensor plain = x.tanh().softmax(0);
  Profile profile;
  const Tensor profiled = x.tanh().softmax(0);
  profile.stop();
  EXPECT_TRUE(equal(plain, profiled));
}

TEST(Profile, IsAloneAndEnds) {
  const Tensor a = rand({4});
  {
    Profile first;
    EXPECT_TRUE(profiler::is_recording());
    EXPECT_THAT(Call([] { Profile second; }),
                testing::ThrowsMessage<Error>(HasSubstr("another profile records")));
    first.stop();
    a.neg();
    EXPECT_TRUE(first.events().empty());
  }
  EXPECT_FALSE(profiler::is_recording());
  Profile next;
  a.neg();
  next.stop();
  EXPECT_EQ(next.events().size(), 1u);
}

TEST(Profile, CountsWhatItDrops) {
  const Tensor a = rand({4});
  Profile profile({.max_events = 3});
  for (int i = 0; i < 10; ++i) a.neg();
  profile.stop();
  EXPECT_EQ(profile.events().size(), 3u);
  EXPECT_EQ(profile.dropped(), 7);
}

TEST(Profile, CoversBatchesAndTangents) {
  const Tensor x = rand({3, 4});
  Profile profile;
  func::vmap([](const Tensor& row) { return row.cosh(); })(x);
  profile.stop();
  const auto& events = profile.events();
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const Event& e) { return e.name == "cosh"; }));
}

TEST(Averages, SumEventsOfANameAndOfAShape) {
  const Tensor a = rand({4}), b = rand({5});
  Profile profile;
  for (int i = 0; i < 3; ++i) a.neg();
  b.neg();
  profile.stop();
  const auto by_name = profile.key_averages();
  ASSERT_EQ(by_name.size(), 1u);
  EXPECT_EQ(by_name[0].count, 4);
  EXPECT_EQ(by_name[0].bytes, 3 * 32 + 40);
  EXPECT_LE(by_name[0].shortest, by_name[0].longest);
  const auto by_shape = profile.key_averages(GroupBy::NameAndShape);
  ASSERT_EQ(by_shape.size(), 2u);
  EXPECT_EQ(by_shape[0].count + by_shape[1].count, 4);
  EXPECT_THAT(profile.table(), HasSubstr("neg"));
  EXPECT_THAT(profile.table(GroupBy::NameAndShape), HasSubstr("f32[5]"));
  EXPECT_THAT(Call([&] { profile.table(GroupBy::Name, "colour"); }),
              testing::ThrowsMessage<ValueError>(HasSubstr("one of self")));
}

TEST(Averages, ARecursiveRangeCountsOnceInItsTotal) {
  Profile profile;
  {
    const profiler::Range outer("part");
    const profiler::Range inner("part");
  }
  profile.stop();
  const auto averages = profile.key_averages();
  ASSERT_EQ(averages.size(), 1u);
  EXPECT_EQ(averages[0].count, 2);
  EXPECT_EQ(averages[0].total, averages[0].longest);
}

TEST(Range, HoldsTheOpsInside) {
  const Tensor a = rand({4});
  Profile profile;
  {
    const profiler::Range range("epoch 1");
    a.neg();
  }
  profile.stop();
  EXPECT_EQ(only(profile.events(), "neg").parent, only(profile.events(), "epoch 1", Kind::Range).id);
  EXPECT_THAT(profile.folded_stacks(), HasSubstr(";epoch 1;neg "));
}

TEST(Counters, CountOrSayWhyNot) {
  Profile profile({.counters = true});
  const Tensor a = rand({1 << 16});
  for (int i = 0; i < 20; ++i) a.exp();
  profile.stop();
  const auto& counters = profile.counters();
  const auto& names = counters.names();
  ASSERT_EQ(counters.totals().size(), names.size());
  const auto instructions = std::find(names.begin(), names.end(), "instructions");
  if (instructions == names.end()) {
    EXPECT_THAT(counters.problem(), HasSubstr("perf_event_open"));
    return;
  }
  // 20 times 65536 elements, at least an instruction for 16 of them.
  EXPECT_GT(counters.totals()[static_cast<std::size_t>(instructions - names.begin())], 20u * 65536 / 16);
}

// Each starts this program once more, so that it finds the variables when it begins.
class ProfileEnvironment : public testing::Test {
 protected:
  ProfileEnvironment() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

[[noreturn]] void dump_by_signal(const std::string& file) {
  const auto written = [&] {
    std::ifstream stream(file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const Tensor a = rand({4});
  a.neg();
  if (!written().empty()) std::exit(1);  // not before it is asked for
  std::raise(SIGUSR2);
  a.exp();
  const std::string dump = written();
  std::exit(dump.find("\"neg\"") != std::string::npos && dump.find("\"exp\"") != std::string::npos ? 0 : 2);
}

TEST_F(ProfileEnvironment, ASignalWritesWhatThereIs) {
  const std::string file = testing::TempDir() + "lanewise_signal_profile.json";
  ::setenv("LANEWISE_PROFILE", file.c_str(), 1);
  ::setenv("LANEWISE_PROFILE_SIGNAL", "1", 1);
  EXPECT_EXIT(dump_by_signal(file), testing::ExitedWithCode(0), "");
  ::unsetenv("LANEWISE_PROFILE");
  ::unsetenv("LANEWISE_PROFILE_SIGNAL");
  std::remove(file.c_str());
}

[[noreturn]] void profile_beside_the_programs() {
  try {
    const Profile second;
  } catch (const Error&) {
    std::exit(7);
  }
  std::exit(0);
}

TEST_F(ProfileEnvironment, TheProgramsProfileIsTheOnlyOne) {
  const std::string file = testing::TempDir() + "lanewise_program_profile.json";
  ::setenv("LANEWISE_PROFILE", file.c_str(), 1);
  EXPECT_EXIT(profile_beside_the_programs(), testing::ExitedWithCode(7), "");
  ::unsetenv("LANEWISE_PROFILE");
  std::remove(file.c_str());
}

TEST(Profile, AnOptimizersStepIsSeen) {
  Tensor w = rand({8}, requires_grad());
  optim::Adam adam(std::vector<Tensor>{w}, optim::AdamOptions(0.1));
  w.sum().backward();
  Profile profile;
  adam.step();
  profile.stop();
  EXPECT_EQ(only(profile.events(), "Adam::step").path, "contiguous");
}

TEST(Profile, RecordsFactories) {
  const Tensor like = rand({8});
  Profile profile;
  const Tensor a = randn({4}), b = zeros({2, 3}), c = arange(5), d = eye(3), e = ones_like(like),
               f = full({2}, 7);
  profile.stop();
  EXPECT_EQ(only(profile.events(), "randn").tensors[0].sizes, (std::vector<std::int64_t>{4}));
  EXPECT_TRUE(only(profile.events(), "arange").tensors[0].is_result);
  EXPECT_EQ(only(profile.events(), "eye").bytes, 9 * 4);
  EXPECT_EQ(only(profile.events(), "ones_like").allocations, 1);
  EXPECT_EQ(only(profile.events(), "full").tensors[0].dtype, kLong);
}

}  // namespace
}  // namespace lanewise
