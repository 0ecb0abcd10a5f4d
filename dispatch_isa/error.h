#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// The base of every exception that Lanewise throws. The message names the op, what was found against what
/// was expected, and the way out where there is one.
class LANEWISE_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  /// what(), under libtorch's names.
  std::string msg() const { return what(); }
  const char* what_without_backtrace() const noexcept { return what(); }
};

/// An instruction set that is unknown, not built in, or not supported by this CPU.
class LANEWISE_API IsaError : public Error {
 public:
  using Error::Error;
};

namespace detail {

/// Kept out of line and cold, so that a check costs its caller one branch.
template <class E, class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void raise(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw E(message.str());
}

}  // namespace detail
}  // namespace lanewise

/// Throws `ErrorType` with the remaining arguments streamed together unless `condition` holds. For user
/// input.
#define LANEWISE_CHECK(ErrorType, condition, ...)        \
  do {                                                   \
    if (__builtin_expect(!(condition), 0)) {             \
      ::lanewise::detail::raise<ErrorType>(__VA_ARGS__); \
    }                                                    \
  } while (false)

/// Holds unless Lanewise itself is wrong; never depends on user input. Checked in debug builds.
#ifdef NDEBUG
#define LANEWISE_ASSERT(condition) static_cast<void>(0)
#else
#define LANEWISE_ASSERT(condition)                                                      \
  do {                                                                                  \
    if (__builtin_expect(!(condition), 0)) {                                            \
      ::lanewise::detail::raise<::lanewise::Error>(__FILE__, ":", __LINE__,             \
                                                   ": assertion failed: ", #condition); \
    }                                                                                   \
  } while (false)
#endif
