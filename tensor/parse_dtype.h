#pragma once

#include <string_view>

#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/scalar_type.h>

namespace lanewise {

/// The dtype of a short_name() such as "f32" or "bf16". Throws ValueError, which lists them.
LANEWISE_API ScalarType parse_dtype(std::string_view name);

}  // namespace lanewise
