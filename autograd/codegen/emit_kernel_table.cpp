#include "emit.h"
#include "output.h"

namespace lanewise::codegen {
namespace {

std::string emit_lines(const OpList& list, const std::string& before, const std::string& after) {
  Text text;
  text.line(banner(list.file));
  for (const std::string& kernel : list.kernels) text.line(before, kernel, after);
  return text.str();
}

}  // namespace

std::string emit_kernel_table_fields(const OpList& list) {
  return emit_lines(list, "const ElementwiseKernel* ", ";");
}

std::string emit_kernel_table_declarations(const OpList& list) {
  return emit_lines(list, "extern const ElementwiseKernel ", ";");
}

std::string emit_kernel_table_entries(const OpList& list) { return emit_lines(list, "&", ","); }

std::string emit_kernel_names(const OpList& list) { return emit_lines(list, "LANEWISE_KERNEL(", ")"); }

}  // namespace lanewise::codegen
