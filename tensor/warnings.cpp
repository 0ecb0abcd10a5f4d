#include <atomic>
#include <cstdio>

#include <lanewise/tensor/warnings.h>

namespace lanewise {

namespace {

constinit thread_local WarningHandler* handler_of_thread = nullptr;
constinit std::atomic<bool> warn_always = false;

}  // namespace

WarningHandler::~WarningHandler() = default;

void WarningUtils::set_warning_handler(WarningHandler* handler) noexcept { handler_of_thread = handler; }
WarningHandler* WarningUtils::get_warning_handler() noexcept { return handler_of_thread; }
void WarningUtils::set_warnAlways(bool always) noexcept { warn_always = always; }
bool WarningUtils::get_warnAlways() noexcept { return warn_always; }

void detail::process_warning(std::string message) {
  if (WarningHandler* handler = handler_of_thread) {
    handler->process(Warning(std::move(message)));
    return;
  }
  std::fprintf(stderr, "[lanewise] warning: %s\n", message.c_str());
}

}  // namespace lanewise
