#include <sstream>

#include <lanewise/dispatch_isa/error.h>

namespace lanewise {

struct Error::Added {
  std::vector<std::string> context;
  std::string what;
};

const char* Error::what() const noexcept {
  return added_ != nullptr ? added_->what.c_str() : std::runtime_error::what();
}

void Error::add_context(const std::string& context) {
  Added added;
  if (added_ != nullptr) added.context = added_->context;
  added.context.push_back(context);
  added.what = std::runtime_error::what();
  if (added.context.size() == 1) {
    added.what += " (" + context + ")";
  } else {
    for (const std::string& line : added.context) added.what += "\n  " + line;
  }
  added_ = std::make_shared<const Added>(std::move(added));
}

const std::vector<std::string>& Error::context() const noexcept {
  static const std::vector<std::string> none;
  return added_ != nullptr ? added_->context : none;
}

std::string detail::message_of(std::initializer_list<MessagePart> parts) {
  std::ostringstream message;
  for (const MessagePart& part : parts) message << part;
  return message.str();
}

}  // namespace lanewise
