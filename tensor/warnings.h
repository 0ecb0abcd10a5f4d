#pragma once

#include <sstream>
#include <string>
#include <utility>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// Something that is allowed but is seldom meant.
class LANEWISE_API Warning {
 public:
  explicit Warning(std::string message) : message_(std::move(message)) {}
  const std::string& msg() const noexcept { return message_; }

 private:
  std::string message_;
};

/// Gets the warnings of a thread, in place of the default, which writes them to stderr. Names as in libtorch.
class LANEWISE_API WarningHandler {
 public:
  virtual ~WarningHandler();
  virtual void process(const Warning& warning) = 0;
};

namespace WarningUtils {

/// The handler of this thread; null restores the default.
LANEWISE_API void set_warning_handler(WarningHandler* handler) noexcept;
LANEWISE_API WarningHandler* get_warning_handler() noexcept;

/// Sets the handler for a scope.
class LANEWISE_API WarningHandlerGuard {
 public:
  explicit WarningHandlerGuard(WarningHandler* handler) noexcept : previous_(get_warning_handler()) {
    set_warning_handler(handler);
  }
  ~WarningHandlerGuard() { set_warning_handler(previous_); }
  WarningHandlerGuard(const WarningHandlerGuard&) = delete;
  WarningHandlerGuard& operator=(const WarningHandlerGuard&) = delete;

 private:
  WarningHandler* previous_;
};

/// Whether warnings that are usually given once per process are given each time.
LANEWISE_API void set_warnAlways(bool always) noexcept;
LANEWISE_API bool get_warnAlways() noexcept;

/// The same for a scope.
class LANEWISE_API WarnAlways {
 public:
  explicit WarnAlways(bool always = true) noexcept : previous_(get_warnAlways()) { set_warnAlways(always); }
  ~WarnAlways() { set_warnAlways(previous_); }
  WarnAlways(const WarnAlways&) = delete;
  WarnAlways& operator=(const WarnAlways&) = delete;

 private:
  bool previous_;
};

}  // namespace WarningUtils

namespace detail {

/// Hands a finished message to this thread's handler.
LANEWISE_API void process_warning(std::string message);

}  // namespace detail

/// Hands the parts, written one after the other, to this thread's handler.
template <class... Parts>
void warn(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  detail::process_warning(std::move(text).str());
}

}  // namespace lanewise
