#pragma once

#include <map>
#include <string>

#include <lanewise/tensor/tensor.h>

namespace lanewise {

/// Tensors by name: the parameters of a model, the state of an optimizer, the content of a file.
using NamedTensors = std::map<std::string, Tensor>;

}  // namespace lanewise
