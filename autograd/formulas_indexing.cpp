#include <algorithm>

#include <lanewise/autograd/formulas.h>
#include <lanewise/autograd/formulas_indexing.h>
#include <lanewise/tensor/shape.h>

namespace lanewise::autograd::formulas {
namespace {

/// The product of what meets at a place, without the element itself. Zeros stay factors of their own, for the slopes that
/// this product has towards them.
Tensor product_of_others(const Tensor& base, std::int64_t dim, const Tensor& index, const Tensor& src) {
  const auto sum_here = [&](const Tensor& of) {
    return zeros(base.sizes(), of.options()).scatter_add(dim, index, of).gather(dim, index);
  };
  const Tensor zero = src == 0;
  const Tensor factors = where(zero, 1, src);
  const Tensor products = base.scatter_reduce(dim, index, factors, "prod").gather(dim, index);
  const Tensor zeros_here = sum_here(zero.to(kLong));
  const Tensor the_zero = sum_here(where(zero, src, 0));  // where there is one, or one beside this one
  const Tensor other_zero = the_zero - src;
  return where(zero, where(zeros_here == 1, products, where(zeros_here == 2, other_zero * products, 0)),
               where(zeros_here == 0, 1, where(zeros_here == 1, the_zero, 0)) * products / factors);
}

}  // namespace

std::tuple<Tensor, Tensor> scatter_reduce_backward(const Tensor& grad, const Tensor& self, std::int64_t dim,
                                                   const Tensor& index, const Tensor& whole_src,
                                                   std::string_view reduce, bool include_self,
                                                   const Tensor& result) {
  if (index.numel() == 0) return {grad, zeros_like(whole_src)};
  // Of src what the index reaches; the rest has no part in the result.
  Tensor src = whole_src;
  DimVector beyond;
  for (std::int64_t d = src.dim(); d-- > 0;) {
    const std::int64_t rest = src.size(d) - index.size(d);
    if (rest > 0) src = src.narrow(d, 0, index.size(d));
    beyond.push_back(0);
    beyond.push_back(rest);
  }
  const auto for_src = [&](const Tensor& g) {
    return src.sizes() == whole_src.sizes() ? g : g.constant_pad_nd(beyond, 0);
  };
  // What is not included is kept only where nothing is written.
  const auto for_self = [&](const Tensor& g) { return include_self ? g : g.scatter(dim, index, 0); };
  if (reduce == "sum") return {for_self(grad), for_src(grad.gather(dim, index))};
  if (reduce == "mean") {
    const Tensor ones_of_src = ones_like(src);
    const Tensor counts =
        (include_self ? ones_like(self) : zeros_like(self)).scatter_add(dim, index, ones_of_src);
    const Tensor share = grad / where(counts == 0, 1, counts);
    return {for_self(share), for_src(share.gather(dim, index))};
  }
  if (reduce == "prod") {
    const Tensor one = ones_like(self);
    const Tensor own = include_self ? self : one;
    return {for_self(grad * conj(one.scatter_reduce(dim, index, src, "prod"))),
            for_src(grad.gather(dim, index) * conj(product_of_others(own, dim, index, src)))};
  }
  // amax, amin: ties share.
  const Tensor self_is_result = for_self((self == result).to(self.scalar_type()));
  const Tensor src_is_result = (src == result.gather(dim, index)).to(src.scalar_type());
  const Tensor ties = self_is_result.scatter_add(dim, index, src_is_result);
  const Tensor share = grad / where(ties == 0, 1, ties);
  return {self_is_result * share, for_src(src_is_result * share.gather(dim, index))};
}

Tensor masked_scatter_backward(const Tensor& grad, const Tensor& mask, IntArrayRef sizes) {
  std::int64_t numel = 1;
  for (const std::int64_t size : sizes) numel *= size;
  const Tensor chosen = grad.masked_select(mask);
  const std::int64_t missing = numel - chosen.numel();
  return (missing > 0 ? cat({chosen, zeros({missing}, grad.options())}) : chosen.slice(0, 0, numel))
      .reshape(sizes);
}

Tensor masked_select_backward(const Tensor& grad, IntArrayRef sizes, const Tensor& mask) {
  const DimVector all = broadcast_shapes("masked_select", sizes, mask.sizes());
  Tensor result = zeros(all, grad.options());
  return differentiates_again() ? masked_scatter(result, mask, grad) : result.masked_scatter_(mask, grad);
}

Tensor embedding_dense_double_backward(const Tensor& grad, const Tensor& indices, std::int64_t padding_idx,
                                       bool scale_grad_by_freq) {
  const Tensor flat = indices.reshape({-1});
  Tensor rows = grad.index_select(0, flat);
  if (scale_grad_by_freq) {
    const Tensor counts =
        zeros({grad.size(0)}, grad.options()).index_add(0, flat, ones(flat.sizes(), grad.options()));
    rows = rows / counts.index_select(0, flat).unsqueeze(1);
  }
  if (padding_idx >= 0) rows = where((flat == padding_idx).unsqueeze(1), 0, rows);
  DimVector sizes(indices.sizes());
  sizes.push_back(grad.size(1));
  return rows.reshape(sizes);
}

Tensor index_fill_value_backward(const Tensor& grad, std::int64_t dim, const Tensor& index) {
  const Tensor filled = zeros(grad.sizes(), kBool).index_fill(dim, index, true);
  return where(filled, grad, 0).sum();
}

Tensor roll_backward(const Tensor& grad, IntArrayRef shifts, IntArrayRef dims) {
  DimVector back;
  for (const std::int64_t shift : shifts) back.push_back(-shift);
  return grad.roll(back, dims);
}

Tensor repeat_backward(const Tensor& grad, IntArrayRef repeats, IntArrayRef sizes) {
  if (std::find(repeats.begin(), repeats.end(), 0) != repeats.end()) return zeros(sizes, grad.options());
  DimVector apart, copies;
  const std::size_t fresh = repeats.size() - sizes.size();
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    copies.push_back(static_cast<std::int64_t>(apart.size()));
    apart.push_back(repeats[i]);
    if (i >= fresh) apart.push_back(sizes[i - fresh]);
  }
  return copies.empty() ? grad : grad.reshape(apart).sum(copies);
}

Tensor constant_pad_backward(const Tensor& grad, IntArrayRef pad) {
  DimVector back;
  for (const std::int64_t p : pad) back.push_back(-p);
  return grad.constant_pad_nd(back, 0);
}

Tensor diag_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t diagonal) {
  return sizes.size() == 1 ? grad.diag(diagonal) : diagonal_backward(grad, sizes, diagonal, 0, 1);
}

std::vector<Tensor> block_diag_backward(const Tensor& grad, const std::vector<DimVector>& sizes) {
  std::vector<Tensor> grads;
  std::int64_t row = 0, column = 0;
  for (const DimVector& shape : sizes) {
    const bool matrix = shape.size() == 2;
    const std::int64_t rows = matrix ? shape[0] : 1, columns = shape.empty() ? 1 : shape.back();
    grads.push_back(grad.narrow(0, row, rows).narrow(1, column, columns).reshape(shape));
    row += rows;
    column += columns;
  }
  return grads;
}

std::vector<Tensor> stack_backward(const Tensor& grad, const std::vector<DimVector>& sizes,
                                   std::int64_t dim) {
  std::vector<Tensor> grads;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    grads.push_back(grad.select(dim, static_cast<std::int64_t>(i)));
  return grads;
}

}  // namespace lanewise::autograd::formulas
