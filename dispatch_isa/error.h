#pragma once

#include <initializer_list>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

/// The base of every exception that Lanewise throws. The message names the op, what was found against what
/// was expected, and the way out where there is one.
class LANEWISE_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  /// The message and what was added to it: "message (context)", or a line for each of several.
  const char* what() const noexcept override;
  /// Says what was under way, for whoever catches the error and throws it on.
  void add_context(const std::string& context);
  const std::vector<std::string>& context() const noexcept;
  /// The message alone.
  std::string msg() const { return std::runtime_error::what(); }
  /// what(), under libtorch's name.
  const char* what_without_backtrace() const noexcept { return what(); }

 private:
  struct Added;
  std::shared_ptr<const Added>
      added_;  ///< shared by the copies that are made while it is thrown; null if there is none
};

/// An instruction set that is unknown, not built in, or not supported by this CPU.
class LANEWISE_API IsaError : public Error {
 public:
  using Error::Error;
};

namespace detail {

/// A part of a message: whatever can be streamed. One function for each type rather than for each kind of message.
class MessagePart {
 public:
  explicit MessagePart(const char* const& text) noexcept : value_(text), stream_(&stream_text) {}
  template <class T>
  explicit MessagePart(const T& value) noexcept : value_(&value), stream_(&stream_value<T>) {}

  friend std::ostream& operator<<(std::ostream& out, const MessagePart& part) {
    part.stream_(out, part.value_);
    return out;
  }

 private:
  static void stream_text(std::ostream& out, const void* text) { out << static_cast<const char*>(text); }
  template <class T>
  static void stream_value(std::ostream& out, const void* value) {
    out << *static_cast<const T*>(value);
  }

  const void* value_;
  void (*stream_)(std::ostream& out, const void* value);
};

LANEWISE_API std::string message_of(std::initializer_list<MessagePart> parts);

template <class E>
[[noreturn, gnu::cold, gnu::noinline]] void raise_parts(std::initializer_list<MessagePart> parts) {
  throw E(message_of(parts));
}

/// What a part is passed as: small ones by value, literals of every length as one type.
template <class T, class Decayed = std::decay_t<const T&>>
using PassedPart = std::conditional_t<std::is_scalar_v<Decayed>, Decayed, const T&>;

/// Kept out of line and cold, so that a check costs its caller one branch.
template <class E, class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void raise_passed(Parts... parts) {
  raise_parts<E>({MessagePart(parts)...});
}

template <class E, class... Parts>
[[noreturn, gnu::always_inline]] inline void raise(const Parts&... parts) {
  raise_passed<E, PassedPart<Parts>...>(parts...);
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
