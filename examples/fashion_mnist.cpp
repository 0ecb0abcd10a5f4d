// Trains a 784-256-10 network with relu and cross-entropy on Fashion-MNIST, and says after each epoch how
// many of the 10,000 test images it names correctly. The same seed gives the same losses, bit for bit, with
// any number of threads and on avx2 and avx512.

#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <lanewise/lanewise.h>

#include "progress.h"

using lanewise::Tensor;

namespace {

struct Settings {
  std::string data = "/usr/share/datasets/fashion-mnist";
  std::string optimizer = "adam";
  std::int64_t epochs = 3;
  std::int64_t batch = 64;
  std::uint64_t seed = 1;
  double lr = 0;  // 0: the optimizer's own
  int threads = 0;
  bool print_losses = false;
};

struct Split {
  Tensor images;  // uint8 [n, 784]
  Tensor labels;  // int64 [n]
};

Split read_split(const std::string& folder, const std::string& prefix) {
  const Tensor images = lanewise::data::read_idx(folder + "/" + prefix + "-images-idx3-ubyte.gz");
  const Tensor labels = lanewise::data::read_idx(folder + "/" + prefix + "-labels-idx1-ubyte.gz");
  return {images.flatten(1), labels.to(lanewise::kLong)};
}

/// A fully connected layer, weights [in, out], both drawn uniformly from +-1/sqrt(in).
struct Layer {
  Layer(std::int64_t in, std::int64_t out) {
    const double bound = 1 / std::sqrt(static_cast<double>(in));
    weight = ((lanewise::rand({in, out}) * 2 - 1) * bound).requires_grad_();
    bias = ((lanewise::rand({out}) * 2 - 1) * bound).requires_grad_();
  }
  Tensor operator()(const Tensor& x) const { return lanewise::addmm(bias, x, weight); }

  Tensor weight, bias;
};

struct Network {
  /// Pixels (uint8, [n, 784]) to scores ([n, 10]). The division by 255 reads the bytes directly: no float
  /// copy of them is made first.
  Tensor operator()(const Tensor& pixels) const { return output(lanewise::relu(hidden(pixels / 255))); }
  std::vector<Tensor> parameters() const { return {hidden.weight, hidden.bias, output.weight, output.bias}; }

  Layer hidden{784, 256};
  Layer output{256, 10};
};

std::unique_ptr<lanewise::optim::Optimizer> make_optimizer(const Settings& settings, const Network& network) {
  using namespace lanewise::optim;
  const bool plain = settings.optimizer == "sgd";
  const double lr = settings.lr > 0 ? settings.lr : plain ? 0.05 : 1e-3;
  if (plain) return std::make_unique<SGD>(network.parameters(), SGDOptions(lr).momentum(0.9));
  if (settings.optimizer == "rmsprop")
    return std::make_unique<RMSprop>(network.parameters(), RMSpropOptions(lr));
  if (settings.optimizer == "adagrad")
    return std::make_unique<Adagrad>(network.parameters(), AdagradOptions(lr));
  if (settings.optimizer == "adamw") return std::make_unique<AdamW>(network.parameters(), AdamWOptions(lr));
  return std::make_unique<Adam>(network.parameters(), AdamOptions(lr));
}

double accuracy(const Network& network, const Split& test) {
  lanewise::NoGradGuard no_grad;
  const Tensor correct = network(test.images).argmax(1).eq(test.labels);
  return correct.sum().item<double>() / static_cast<double>(test.labels.numel());
}

/// One pass over the training images; returns the mean loss.
double train_epoch(const Network& network, lanewise::optim::Optimizer& optimizer,
                   lanewise::data::Batches& batches, Progress& progress, bool print_losses) {
  double loss_sum = 0;
  std::int64_t images = 0;
  lanewise::data::Batch batch;
  while (batches.next(batch)) {
    optimizer.zero_grad();
    const Tensor loss = lanewise::cross_entropy_loss(network(batch.features), batch.labels);
    loss.backward();
    optimizer.step();
    const auto value = loss.item<float>();
    if (print_losses) std::printf("%a\n", static_cast<double>(value));
    const std::int64_t count = batch.labels.numel();
    loss_sum += static_cast<double>(value) * static_cast<double>(count);
    images += count;
    progress.update(images, loss_sum / static_cast<double>(images));
  }
  return loss_sum / static_cast<double>(images);
}

void train(const Settings& settings) {
  if (settings.threads > 0) lanewise::set_num_threads(settings.threads);
  lanewise::manual_seed(settings.seed);
  const Split train = read_split(settings.data, "train");
  const Split test = read_split(settings.data, "t10k");
  const Network network;
  const auto optimizer = make_optimizer(settings, network);
  lanewise::data::Batches batches(
      train.images, train.labels,
      {.batch_size = settings.batch, .shuffle = true, .drop_last = false, .seed = settings.seed});
  std::printf("Fashion-MNIST: %ld training and %ld test images; 784-256-10, %s, batch %ld; %s, %d thread%s\n",
              static_cast<long>(train.labels.numel()), static_cast<long>(test.labels.numel()),
              settings.optimizer.c_str(), static_cast<long>(settings.batch),
              lanewise::name(lanewise::active_isa()), lanewise::get_num_threads(),
              lanewise::get_num_threads() == 1 ? "" : "s");
  for (std::int64_t epoch = 0; epoch < settings.epochs; ++epoch) {
    batches.start(epoch);
    Progress progress(epoch + 1, settings.epochs, train.labels.numel());
    const double loss = train_epoch(network, *optimizer, batches, progress, settings.print_losses);
    progress.finish(loss, accuracy(network, test));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Trains a small network on Fashion-MNIST with Lanewise.");
  app.add_option("--data", settings.data, "folder with the four IDX files")->capture_default_str();
  app.add_option("--epochs", settings.epochs, "passes over the training images")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--batch", settings.batch, "images in a batch")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--optimizer", settings.optimizer, "adam, adamw, rmsprop, adagrad or sgd")
      ->check(CLI::IsMember({"adam", "adamw", "rmsprop", "adagrad", "sgd"}))
      ->capture_default_str();
  app.add_option("--lr", settings.lr, "learning rate; 0 chooses 0.001 for adam, 0.05 for sgd")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--threads", settings.threads, "threads; 0 leaves the choice to the library")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--seed", settings.seed, "seed of weights and shuffling")->capture_default_str();
  app.add_flag("--print-losses", settings.print_losses,
               "print every batch's loss as an exact hexadecimal number");
  CLI11_PARSE(app, argc, argv);
  try {
    train(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fashion_mnist: %s\n", error.what());
    return 1;
  }
  return 0;
}
