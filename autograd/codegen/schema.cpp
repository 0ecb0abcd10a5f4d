#include "schema.h"

#include <cctype>
#include <utility>

#include "error.h"
#include "words.h"

namespace lanewise::codegen {
namespace {

constexpr std::pair<std::string_view, BaseType> kBaseTypes[] = {
    {"Tensor", BaseType::Tensor},
    {"Scalar", BaseType::Scalar},
    {"int", BaseType::Int},
    {"float", BaseType::Float},
    {"bool", BaseType::Bool},
    {"str", BaseType::Str},
    {"ScalarType", BaseType::ScalarType},
    {"MemoryFormat", BaseType::MemoryFormat},
};

class SchemaParser {
 public:
  explicit SchemaParser(std::string_view text) : text_(text) {}

  Schema parse() {
    Schema schema;
    schema.name = identifier("the op's name");
    if (accept('.')) schema.overload = identifier("an overload name after '.'");
    expect('(', "the arguments");
    bool kwarg_only = false;
    while (!accept(')')) {
      if (accept('*')) {
        kwarg_only = true;
      } else {
        schema.arguments.push_back(argument());
        schema.arguments.back().kwarg_only = kwarg_only;
      }
      if (!accept(',') && peek() != ')') fail("',' or ')' after an argument");
    }
    expect('-', "'->'");
    expect('>', "'->'");
    if (accept('(')) {
      while (!accept(')')) {
        schema.returns.push_back(returned());
        if (!accept(',') && peek() != ')') fail("',' or ')' after a result");
      }
    } else {
      schema.returns.push_back(returned());
    }
    skip_space();
    if (position_ != text_.size()) fail("nothing more");
    return schema;
  }

 private:
  void skip_space() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])))
      ++position_;
  }
  char peek() {
    skip_space();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }
  void expect(char c, const char* what) {
    if (!accept(c)) fail(what);
  }
  [[noreturn]] void fail(const std::string& expected) {
    skip_space();
    const std::string found =
        position_ < text_.size() ? "'" + std::string(text_.substr(position_)) + "'" : "the end";
    throw SyntaxError("schema: expected " + expected + ", found " + found);
  }
  std::string identifier(const std::string& what) {
    skip_space();
    const std::size_t begin = position_;
    while (position_ < text_.size() && is_word(text_[position_])) {
      ++position_;
    }
    if (begin == position_) fail(what);
    return std::string(text_.substr(begin, position_ - begin));
  }

  Type type(bool* alias, bool* written) {
    const std::size_t begin = (skip_space(), position_);
    const std::string name = identifier("a type");
    Type result;
    bool known = false;
    for (const auto& [spelling, base] : kBaseTypes) {
      if (spelling == name) {
        result.base = base;
        known = true;
      }
    }
    if (!known) {
      position_ = begin;
      fail("a type (Tensor, Scalar, int, float, bool, str, ScalarType, MemoryFormat)");
    }
    if (accept('(')) {
      identifier("an alias name");
      *alias = true;
      *written = accept('!');
      expect(')', "')' after an alias annotation");
    }
    const bool optional = accept('?');
    if (accept('[')) {
      result.list = true;
      result.optional_elements = optional;
      if (!accept(']')) {
        result.list_size = std::stoi(identifier("a length"));
        expect(']', "']'");
      }
    }
    result.optional = accept('?') || (optional && !result.list);
    return result;
  }

  Argument argument() {
    Argument result;
    result.type = type(&result.alias, &result.written);
    result.name = identifier("an argument's name");
    if (accept('=')) result.default_value = default_value();
    return result;
  }
  Return returned() {
    Return result;
    result.type = type(&result.alias, &result.written);
    if (std::isalpha(static_cast<unsigned char>(peek()))) result.name = identifier("a name");
    return result;
  }
  std::string default_value() {
    skip_space();
    const std::size_t begin = position_;
    int depth = 0;
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '[') ++depth;
      if (c == ']') --depth;
      if (depth == 0 && (c == ',' || c == ')')) break;
      ++position_;
    }
    if (begin == position_) fail("a default value");
    return std::string(text_.substr(begin, position_ - begin));
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

const Argument* Schema::find(std::string_view argument) const {
  for (const Argument& a : arguments) {
    if (a.name == argument) return &a;
  }
  return nullptr;
}

Schema parse_schema(std::string_view text) { return SchemaParser(text).parse(); }

std::string to_string(const Type& type) {
  std::string text;
  for (const auto& [spelling, base] : kBaseTypes) {
    if (base == type.base) text = spelling;
  }
  if (type.optional_elements) text += "?";
  if (type.list) text += type.list_size > 0 ? "[" + std::to_string(type.list_size) + "]" : "[]";
  if (type.optional) text += "?";
  return text;
}

}  // namespace lanewise::codegen
