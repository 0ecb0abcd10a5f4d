#include <algorithm>
#include <cstdlib>

#include <cxxabi.h>

#include <lanewise/autograd/type_name.h>

namespace lanewise::autograd {

std::string type_name(const std::type_info& type) {
  int status = 0;
  char* demangled = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = status == 0 ? demangled : type.name();
  std::free(demangled);
  // The namespaces of template arguments stay. "f()::Local" and "(anonymous namespace)::T" have a "::" of
  // their own.
  const std::size_t end = std::min(name.find('<'), name.size());
  const std::size_t colon = name.rfind("::", end);
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

}  // namespace lanewise::autograd
