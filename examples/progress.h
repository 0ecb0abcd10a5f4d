#pragma once

#include <chrono>
#include <cstdint>

/// A line on the terminal that shows how far an epoch is, how fast it goes and its running loss. Redrawn at
/// most ten times a second; without a terminal nothing is drawn until the epoch ends.
class Progress {
 public:
  Progress(std::int64_t epoch, std::int64_t epochs, std::int64_t images);

  void update(std::int64_t images_done, double mean_loss);
  /// Closes the line with the epoch's result. Accuracy in [0, 1].
  void finish(double mean_loss, double test_accuracy);

 private:
  double seconds() const;
  void draw(double mean_loss);

  std::int64_t epoch_, epochs_, images_;
  std::int64_t done_ = 0;
  double training_seconds_ = 0;
  bool terminal_;
  std::chrono::steady_clock::time_point start_, drawn_;
};
