// Products, distances, normalisation and losses.
#include "sweep_op.h"

namespace sweep {

std::vector<Op> product_ops() {
  return {
      // clang-format off
      // products and linear systems
      SWEEP("mm", "fihc", lib::mm(o.x, o.y)),
      SWEEP("mm_t", "fc", lib::mm(o.x.t(), o.y.t())),
      SWEEP("mv", "fihc", lib::mv(o.x, o.y.select(0, 0))),
      SWEEP("mv_t", "fic", lib::mv(o.x.t(), o.y.select(0, 0))),
      SWEEP("dot", "fihc", lib::dot(o.x.reshape({-1}), o.y.reshape({-1}))),
      SWEEP("vdot", "fc", lib::vdot(o.x.reshape({-1}), o.y.reshape({-1}))),
      SWEEP("outer", "fihbc", lib::outer(o.x.select(0, 0), o.y.select(0, 0))),
      SWEEP("addr", "fi", lib::addr(o.x, o.x.select(0, 0), o.y.select(0, 0))),
      SWEEP("bmm", "fihc", lib::bmm(o.x.reshape({-1, 32, 32}), o.y.reshape({-1, 32, 32}))),
      SWEEP("bmm4", "fc", lib::bmm(o.x.reshape({-1, 4, 4}), o.y.reshape({-1, 4, 4}))),
      SWEEP("addmm", "fi", lib::addmm(o.x, o.x, o.y)),
      SWEEP("einsum_diag", "f", lib::einsum("ij,ij->i", {o.x, o.y})),
      SWEEP("trace", "fi", lib::trace(o.x)),
      SWEEP("det", "f", lib::det(o.x)),
      SWEEP("inverse", "f?", lib::inverse(o.x)),
      SWEEP("linalg_solve", "f?", lib::linalg_solve(o.x, o.y)),
      SWEEP("matrix_power", "f", lib::matrix_power(o.x, 3)),
      SWEEP("det4", "f", lib::det(o.x.reshape({-1, 4, 4}))),
      SWEEP("inv4", "f", lib::inverse(o.x.reshape({-1, 4, 4}))),
      SWEEP("cov", "f", lib::cov(o.x)),
      SWEEP("corrcoef", "f", lib::corrcoef(o.x)),
      SWEEP("bilinear", "f", lib::bilinear(o.x.slice(1, 0, 8).contiguous(), o.y.slice(1, 0, 8).contiguous(), o.y.reshape({-1}).slice(0, 0, 640).reshape({10, 8, 8}), lib::Tensor())),
      // distances and differences
      SWEEP("diff0", "fi", lib::diff(o.x, 1, 0)),
      SWEEP("diff1", "fi", lib::diff(o.x)),
      SWEEP("cdist", "f", lib::cdist(o.x.slice(1, 0, 16), o.y.slice(1, 0, 16))),
      SWEEP("cdist1", "f", lib::cdist(o.x.slice(1, 0, 16), o.y.slice(1, 0, 16), 1.0)),
      SWEEP("pdist", "f", lib::pdist(o.x.slice(1, 0, 16))),
      SWEEP("trapz", "f", lib::trapezoid(o.x)),
      SWEEP("cross", "f", lib::cross(o.x.slice(0, 0, 510).reshape({-1, 3}), o.y.slice(0, 0, 510).reshape({-1, 3}), 1)),
      SWEEP("pad", "fi", lib::constant_pad_nd(o.x, {1, 2, 3, 4}, 0)),
      // normalisation and losses
      SWEEP("layer_norm", "f", lib::layer_norm(o.x, {o.x.size(1)})),
      SWEEP("batch_norm", "f", lib::batch_norm(o.x, {}, {}, {}, {}, true, 0.1, 1e-5, false)),
      SWEEP("group_norm", "f", lib::group_norm(o.x.reshape({-1, 64, 8}), 8)),
      SWEEP("cosine_similarity", "f", lib::cosine_similarity(o.x, o.y)),
      SWEEP("pairwise_distance", "f", lib::pairwise_distance(o.x, o.y)),
      SWEEP("renorm", "f", lib::renorm(o.x, 2, 0, 1)),
      SWEEP("dropout", "f?", lib::dropout(o.x, 0.3, true)),
      SWEEP("glu", "f", lib::glu(o.x)),
      SWEEP("prelu", "f", lib::prelu(o.x, o.y.select(0, 0).slice(0, 0, 1))),
      SWEEP("bce", "f", lib::binary_cross_entropy(lib::sigmoid(o.x), lib::sigmoid(o.y))),
      SWEEP("bce_logits", "f", lib::binary_cross_entropy_with_logits(o.x, o.y)),
      SWEEP("kl_div", "f", lib::kl_div(o.x, o.y)),
      SWEEP("nll_loss", "f", lib::nll_loss(o.x, o.order)),
      SWEEP("cross_entropy", "f", lib::cross_entropy_loss(o.x, o.order)),
      SWEEP("soft_margin", "f", lib::soft_margin_loss(o.x, o.y)),
      SWEEP("poisson", "f", lib::poisson_nll_loss(o.x, o.y, true, false, 1e-8, 1)),
      SWEEP("multi_margin", "f", lib::multi_margin_loss(o.x, o.order)),
      SWEEP("hinge", "f", lib::hinge_embedding_loss(o.x, o.y)),
      SWEEP("triplet", "f", lib::triplet_margin_loss(o.x, o.y, o.y)),
      SWEEP("mse_loss", "f", lib::mse_loss(o.x, o.y)),
      SWEEP("l1_loss", "f", lib::l1_loss(o.x, o.y)),
      SWEEP("smooth_l1_loss", "f", lib::smooth_l1_loss(o.x, o.y)),
      SWEEP("huber_loss", "f", lib::huber_loss(o.x, o.y)),
      // clang-format on
  };
}

}  // namespace sweep
