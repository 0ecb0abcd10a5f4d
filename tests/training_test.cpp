// The demo's network on real images, a few batches long: it learns, and its losses are the same bits for
// every number of threads and on every tier with a fused multiply-add.

#include <cmath>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

const char* const kFolder = "/usr/share/datasets/fashion-mnist";

struct Data {
  Tensor images;
  Tensor labels;
};

const Data& training_data() {
  static const std::filesystem::path folder = kFolder;
  static const Data data = {data::read_idx((folder / "train-images-idx3-ubyte.gz").string()).flatten(1),
                            data::read_idx((folder / "train-labels-idx1-ubyte.gz").string()).to(kLong)};
  return data;
}

Tensor weights(IntArrayRef sizes) { return ((rand(sizes) - 0.5) * 0.1).requires_grad_(); }

template <class Optimizer, class Options>
std::vector<float> losses_of(int batches_count, const Options& options) {
  manual_seed(3);
  const Tensor w1 = weights({784, 256}), b1 = weights({256}), w2 = weights({256, 10}), b2 = weights({10});
  Optimizer optimizer({w1, b1, w2, b2}, options);
  data::Batches batches(training_data().images, training_data().labels,
                        {.batch_size = 64, .shuffle = true, .drop_last = false, .seed = 3});
  data::Batch batch;
  std::vector<float> losses;
  for (int i = 0; i < batches_count && batches.next(batch); ++i) {
    optimizer.zero_grad();
    const Tensor loss =
        cross_entropy_loss(addmm(b2, relu(addmm(b1, batch.features / 255, w1)), w2), batch.labels);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<float>());
  }
  return losses;
}

class Training : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFolder))
      GTEST_SKIP() << "the package dataset-fashion-mnist is not installed";
    threads_ = get_num_threads();
  }
  void TearDown() override {
    if (threads_ > 0) set_num_threads(threads_);
  }
  int threads_ = 0;
};

TEST_F(Training, LearnsWithAdam) {
  const auto losses = losses_of<optim::Adam>(150, optim::AdamOptions(1e-3));
  EXPECT_NEAR(losses.front(), std::log(10.0), 0.2);
  double last = 0;
  for (std::size_t i = losses.size() - 20; i < losses.size(); ++i)
    last += static_cast<double>(losses[i]) / 20;
  EXPECT_LT(last, 0.75);
}

TEST_F(Training, HasTheSameBitsForEveryNumberOfThreads) {
  set_num_threads(1);
  const auto one = losses_of<optim::Adam>(40, optim::AdamOptions(1e-3));
  for (const int threads : {2, 3, 7}) {
    set_num_threads(threads);
    EXPECT_EQ(losses_of<optim::Adam>(40, optim::AdamOptions(1e-3)), one) << threads << " threads";
  }
}

TEST_F(Training, HasTheSameBitsOnEveryTierWithFma) {
  std::vector<std::vector<float>> runs;
  for (const Isa isa : available_isas()) {
    if (std::string(name(isa)) == "sse4_2")
      continue;  // no fused multiply-add there: within the stated ULP, not bit for bit
    const IsaGuard guard(isa);
    runs.push_back(losses_of<optim::SGD>(40, optim::SGDOptions(0.05).momentum(0.9)));
  }
  for (std::size_t i = 1; i < runs.size(); ++i) EXPECT_EQ(runs[i], runs[0]);
}

}  // namespace
}  // namespace lanewise
