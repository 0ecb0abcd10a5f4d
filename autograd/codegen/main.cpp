// lanewise_codegen <derivatives.yaml> <outdir>: writes the C++ of every op in the list.
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

#include "emit.h"
#include "output.h"
#include "reader.h"

namespace {

void generate(const std::string& yaml, const std::filesystem::path& out) {
  using namespace lanewise::codegen;
  const OpList list = read_ops(yaml);
  std::filesystem::create_directories(out);
  const auto write = [&](const std::string& name, const std::string& content) {
    write_if_changed(out / name, content);
  };
  write("kernel_table_fields.inc", emit_kernel_table_fields(list));
  write("kernel_table_declarations.inc", emit_kernel_table_declarations(list));
  write("kernel_table_entries.inc", emit_kernel_table_entries(list));
  write("kernel_names.inc", emit_kernel_names(list));
  write("tensor_methods.inc", emit_tensor_methods(list));
  write("functions.h", emit_functions_header(list));
  write("special.h", emit_special_header(list));
  write("linalg.h", emit_linalg_header(list));
  write("nodes.h", emit_nodes_header(list));
  write("transforms.h", emit_transforms_header(list));
  write("registry.cpp", emit_registry(list));
  write("ops.md", emit_docs(list));
  for (std::size_t shard = 0; shard <= kRareShard; ++shard) {
    write("functions_" + shard_name(shard) + ".cpp", emit_functions(list, shard));
    write("transforms_" + shard_name(shard) + ".cpp", emit_transforms(list, shard));
    write("nodes_" + shard_name(shard) + ".cpp", emit_nodes(list, shard));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: lanewise_codegen <derivatives.yaml> <outdir>\n";
    return 2;
  }
  try {
    generate(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
