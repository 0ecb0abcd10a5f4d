#include <cstdlib>
#include <sstream>

#include <lanewise/autograd/anomaly_mode.h>
#include <lanewise/autograd/graph_task.h>
#include <lanewise/autograd/hooks.h>
#include <lanewise/autograd/node.h>
#include <lanewise/tensor/warnings.h>

#if __has_include(<execinfo.h>)
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#define LANEWISE_HAS_BACKTRACE 1
#endif

namespace lanewise::autograd {

constinit std::atomic<bool> AnomalyMode::enabled_ = false;
constinit std::atomic<bool> AnomalyMode::check_nan_ = true;

void AnomalyMetadata::store_origin() {
#ifdef LANEWISE_HAS_BACKTRACE
  void* frames[64];
  constexpr int kOwn = 2;  // this function and the constructor of Node
  const int count = ::backtrace(frames, 64);
  if (count > kOwn) frames_.assign(frames + kOwn, frames + count);
#endif
  if (Node* running = current_node()) parent_ = running->weak_from_this().lock();
}

namespace {

#ifdef LANEWISE_HAS_BACKTRACE
/// A name where the dynamic linker knows one, else the module and the offset, for addr2line.
void describe_frame(std::ostream& text, void* frame) {
  Dl_info info{};
  if (::dladdr(frame, &info) == 0 || info.dli_fname == nullptr) {
    text << frame;
    return;
  }
  if (info.dli_sname != nullptr) {
    int status = 0;
    char* readable = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
    text << (status == 0 ? readable : info.dli_sname) << " in ";
    std::free(readable);
  }
  text << info.dli_fname << "+0x" << std::hex
       << static_cast<char*>(frame) - static_cast<char*>(info.dli_fbase) << std::dec;
}
#endif

}  // namespace

std::string AnomalyMetadata::stack() const {
  std::ostringstream text;
#ifdef LANEWISE_HAS_BACKTRACE
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    text << "  #" << i << " ";
    describe_frame(text, frames_[i]);
    text << "\n";
  }
#endif
  if (frames_.empty()) text << "  no stack was kept: enable anomaly mode during the forward too\n";
  return std::move(text).str();
}

void AnomalyMetadata::print_stack(const std::string& name) const {
  warn("Error detected in ", name, ". Traceback of forward call that caused the error:\n", stack());
  for (std::shared_ptr<Node> node = parent_; node != nullptr;) {
    const AnomalyMetadata* metadata = node->hooks() == nullptr ? nullptr : node->hooks()->metadata.get();
    if (metadata == nullptr) {
      warn("Previous calculation was induced by ", node->name(), ", which was made outside of anomaly mode");
      return;
    }
    warn("Previous calculation was induced by ", node->name(),
         ". Traceback of forward call that induced the previous calculation:\n", metadata->stack());
    node = metadata->parent();
  }
}

}  // namespace lanewise::autograd
