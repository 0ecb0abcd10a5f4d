#pragma once

#include <string>
#include <vector>

#include "op.h"

namespace lanewise::codegen {

/// Ops split over this many files of functions and of nodes, for compile time.
inline constexpr std::size_t kShards = 4;
/// One shard more, compiled for size: the ops marked with `rare:`.
inline constexpr std::size_t kRareShard = kShards;
/// "0" to "3", "rare".
std::string shard_name(std::size_t shard);

/// The ops of shard `shard`: every kShards-th of those that are not rare, so that the shards are alike.
std::vector<const Op*> shard_of(const OpList& list, std::size_t shard);

std::string emit_tensor_methods(const OpList& list);
std::string emit_functions_header(const OpList& list);
/// namespace special, namespace linalg.
std::string emit_special_header(const OpList& list);
std::string emit_linalg_header(const OpList& list);
std::string emit_functions(const OpList& list, std::size_t shard);
std::string emit_nodes_header(const OpList& list);
std::string emit_nodes(const OpList& list, std::size_t shard);
std::string emit_transforms_header(const OpList& list);
std::string emit_transforms(const OpList& list, std::size_t shard);
/// The name of an op's or in-place form's function in namespace transformed.
std::string transform_name(const Schema& schema);
/// Whether the generator writes transform functions for it: it computes from tensors.
bool is_transformed(const Op& op);
std::string emit_registry(const OpList& list);
std::string emit_kernel_table_fields(const OpList& list);
std::string emit_kernel_table_declarations(const OpList& list);
std::string emit_kernel_table_entries(const OpList& list);
std::string emit_kernel_names(const OpList& list);
std::string emit_docs(const OpList& list);

}  // namespace lanewise::codegen
