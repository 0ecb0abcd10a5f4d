#include "progress.h"

#include <cstdio>
#include <string>

#include <unistd.h>

namespace {

constexpr int kBarWidth = 28;

}  // namespace

Progress::Progress(std::int64_t epoch, std::int64_t epochs, std::int64_t images)
    : epoch_(epoch), epochs_(epochs), images_(images), terminal_(isatty(STDOUT_FILENO) == 1) {
  start_ = drawn_ = std::chrono::steady_clock::now();
}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Progress::update(std::int64_t images_done, double mean_loss) {
  done_ = images_done;
  training_seconds_ = seconds();
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  draw(mean_loss);
}

void Progress::draw(double mean_loss) {
  const int filled = static_cast<int>(kBarWidth * done_ / images_);
  const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(kBarWidth - filled), '.');
  std::printf("\r\033[Kepoch %ld/%ld  [%s] %3ld %%  %8.0f images/s  loss %.4f", static_cast<long>(epoch_),
              static_cast<long>(epochs_), bar.c_str(), static_cast<long>(100 * done_ / images_),
              static_cast<double>(done_) / training_seconds_, mean_loss);
  std::fflush(stdout);
}

void Progress::finish(double mean_loss, double test_accuracy) {
  if (terminal_) std::printf("\r\033[K");
  std::printf("epoch %ld/%ld  %8.0f images/s  loss %.4f  test accuracy %.2f %%  (%.2f s)\n",
              static_cast<long>(epoch_), static_cast<long>(epochs_),
              static_cast<double>(images_) / training_seconds_, mean_loss, 100 * test_accuracy,
              training_seconds_);
  std::fflush(stdout);
}
