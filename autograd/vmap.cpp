#include <atomic>

#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/vmap.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::func {

ListFunction vmap(ListFunction fn, std::vector<std::optional<std::int64_t>> in_dims,
                  std::vector<std::int64_t> out_dims) {
  return [fn = std::move(fn), in_dims = std::move(in_dims),
          out_dims = std::move(out_dims)](const variable_list& inputs) {
    static constinit std::atomic<std::uint64_t> last_level = 0;
    LANEWISE_CHECK(ValueError, in_dims.empty() || in_dims.size() == inputs.size(), "vmap: got ",
                   in_dims.size(), " in_dims and ", inputs.size(), " inputs");
    const std::uint64_t level = last_level.fetch_add(1) + 1;
    std::optional<std::int64_t> size;
    variable_list batched;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::optional<std::int64_t> in_dim = in_dims.empty() ? 0 : in_dims[i];
      if (!in_dim || !inputs[i].defined()) {
        batched.push_back(inputs[i]);
        continue;
      }
      LANEWISE_CHECK(ValueError, inputs[i].dim() > 0, "vmap: input ", i,
                     " has no dimensions, so there is none to map over");
      const std::int64_t dim = wrap_dim("vmap", *in_dim, inputs[i].dim());
      const std::int64_t found = inputs[i].size(dim);
      LANEWISE_CHECK(ValueError, !size || *size == found,
                     "vmap: Expected all tensors to have the same size in the mapped dimension, got ",
                     size.value_or(0), " and ", found, " (input ", i, ")");
      size = found;
      batched.push_back(autograd::batching::add_dim(inputs[i], dim, level));
    }
    LANEWISE_CHECK(ValueError, size.has_value(), "vmap: at least one input must be mapped over");
    variable_list results;
    const variable_list outputs = [&] {
      const autograd::batching::ActiveVmap active(level, *size);
      return fn(batched);
    }();
    LANEWISE_CHECK(ValueError, out_dims.size() <= 1 || out_dims.size() == outputs.size(), "vmap: got ",
                   out_dims.size(), " out_dims and ", outputs.size(), " outputs");
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const std::int64_t out_dim = out_dims.empty() ? 0 : out_dims[out_dims.size() == 1 ? 0 : o];
      results.push_back(autograd::batching::remove_dim(
          outputs[o], wrap_dim("vmap", out_dim, outputs[o].dim() + 1), level, *size));
    }
    return results;
  };
}

TensorFunction vmap(TensorFunction fn, std::int64_t in_dim, std::int64_t out_dim) {
  ListFunction mapped =
      vmap([fn = std::move(fn)](const variable_list& in) { return variable_list{fn(in[0])}; },
           std::vector<std::optional<std::int64_t>>{in_dim}, {out_dim});
  return [mapped = std::move(mapped)](const Tensor& x) { return mapped({x})[0]; };
}

BinaryFunction vmap(BinaryFunction fn, std::vector<std::optional<std::int64_t>> in_dims,
                    std::int64_t out_dim) {
  ListFunction mapped =
      vmap([fn = std::move(fn)](const variable_list& in) { return variable_list{fn(in[0], in[1])}; },
           std::move(in_dims), {out_dim});
  return [mapped = std::move(mapped)](const Tensor& a, const Tensor& b) { return mapped({a, b})[0]; };
}

}  // namespace lanewise::func
