#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <lanewise/autograd/func.h>
#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::func {

/// The function that applies `fn` to every slice of its inputs along a dimension and puts the results along a
/// new one, as if in a loop but with one op for all. Inside, tensors have the shape of a slice.
///
///   vmap([](const Tensor& x) { return x.dot(x); })(batch)                          // one number a row
///   vmap(grad([&](const Tensor& x) { return loss(weight, x); }))(batch)            // per-sample gradients
///
/// Pointwise ops, views, reductions and matrix products run once for the whole batch; other ops once a slice.
/// vmaps nest, lie inside and around grad, vjp, jvp, and gradients flow through them. Throws AutogradError
/// where a batched tensor would be read as a number (item()) or written into a tensor that has no batch,
/// NotImplementedError for views without a rule.
///
/// in_dims   the dimension of each input (-1 the last), none: all slices see the whole input. Default: 0
/// out_dims  where the dimension goes in each output. Default: 0
LANEWISE_API ListFunction vmap(ListFunction fn, std::vector<std::optional<std::int64_t>> in_dims = {},
                               std::vector<std::int64_t> out_dims = {});
LANEWISE_API TensorFunction vmap(TensorFunction fn, std::int64_t in_dim = 0, std::int64_t out_dim = 0);
using BinaryFunction = std::function<Tensor(const Tensor& a, const Tensor& b)>;
LANEWISE_API BinaryFunction vmap(BinaryFunction fn, std::vector<std::optional<std::int64_t>> in_dims = {},
                                 std::int64_t out_dim = 0);

}  // namespace lanewise::func
