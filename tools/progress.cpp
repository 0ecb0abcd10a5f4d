#include "progress.h"

#include <cstdio>

#include <unistd.h>

namespace lanewise::tools {

Progress::Progress(std::size_t steps) : steps_(steps), shown_(isatty(STDERR_FILENO) != 0) {}
Progress::~Progress() { clear(); }

void Progress::step(const std::string& what) {
  if (!shown_) return;
  constexpr std::size_t kWidth = 24;
  const std::size_t filled = steps_ == 0 ? kWidth : done_ * kWidth / steps_;
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::fprintf(stderr, "\r\033[K[%s] %zu/%zu %.60s", bar.c_str(), ++done_, steps_, what.c_str());
  std::fflush(stderr);
}

void Progress::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

}  // namespace lanewise::tools
