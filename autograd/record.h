#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/autograd/edge.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/node.h>
#include <lanewise/autograd/saved_variable.h>
#include <lanewise/autograd/views.h>
#include <lanewise/tensor/tensor.h>

/// What a differentiable op calls to record itself. The shape of a recorded op:
///
///   std::shared_ptr<MulBackward0> node;
///   if (compute_requires_grad(self, other)) [[unlikely]] {
///     node = make_node_of<MulBackward0>(self, other);
///     node->self_.save(self, false);
///   }
///   Tensor result = ops::mul(self, other);
///   if (node) set_history(result, std::move(node));
///
/// and in place:
///
///   const bool any = compute_requires_grad(self, other);
///   check_inplace(self, any, "mul_");
///   ... node as above, saving what the op is about to overwrite as a clone ...
///   ops::mul_(self, other);
///   increment_version(self);
///   if (node) rebase_history(self, std::move(node));
namespace lanewise::autograd {

namespace detail {

inline bool wants_grad(const Tensor& t) noexcept {
  if (!t.defined()) return false;
  const AutogradMeta* meta = get_autograd_meta(t);
  return meta != nullptr && meta->requires_grad();
}
inline bool wants_grad(const std::optional<Tensor>& t) noexcept { return t && wants_grad(*t); }
inline bool wants_grad(ArrayRef<Tensor> list) noexcept {
  for (const Tensor& t : list) {
    if (wants_grad(t)) return true;
  }
  return false;
}

inline bool is_normal(const Tensor& t) noexcept { return t.defined() && !t.is_inference(); }
inline bool is_normal(const std::optional<Tensor>& t) noexcept { return t && is_normal(*t); }
inline bool is_normal(ArrayRef<Tensor> list) noexcept {
  for (const Tensor& t : list) {
    if (is_normal(t)) return true;
  }
  return false;
}

LANEWISE_API Edge gradient_edge_slow(const Tensor& t, AutogradMeta& meta);
/// The leaf's accumulator, also one that no graph leads to at the moment; null if there is none yet.
std::shared_ptr<Node> any_accumulator(AutogradMeta& meta);

}  // namespace detail

/// The edge along which the gradient of `t` flows: into its grad_fn, or into its accumulator if it is a leaf
/// that requires a gradient; invalid otherwise.
inline Edge gradient_edge(const Tensor& t) {
  if (!t.defined()) return {};
  AutogradMeta* meta = get_autograd_meta(t);
  if (meta == nullptr) return {};
  if (meta->grad_fn_ != nullptr && !meta->is_view()) return {meta->grad_fn_, meta->output_nr_};
  return detail::gradient_edge_slow(t, *meta);
}

namespace detail {

inline void append_edges(edge_list& edges, const Tensor& t) { edges.push_back(gradient_edge(t)); }
inline void append_edges(edge_list& edges, const std::optional<Tensor>& t) {
  edges.push_back(t ? gradient_edge(*t) : Edge());
}
inline void append_edges(edge_list& edges, ArrayRef<Tensor> list) {
  for (const Tensor& t : list) append_edges(edges, t);
}

/// Adds the gradient edge of `t` to those of `node`.
LANEWISE_API void append_edges(Node& node, const Tensor& t);
inline void append_edges(Node& node, const std::optional<Tensor>& t) {
  if (t) {
    append_edges(node, *t);
  } else {
    node.add_next_edge();
  }
}
inline void append_edges(Node& node, ArrayRef<Tensor> list) {
  for (const Tensor& t : list) append_edges(node, t);
}

}  // namespace detail

/// A node whose edges are those of the arguments.
template <class T, class... Tensors>
std::shared_ptr<T> make_node_of(const Tensors&... tensors) {
  std::shared_ptr<T> node = make_node<T>();
  (detail::append_edges(*node, tensors), ...);
  return node;
}

namespace detail {

/// False for tensors without any state of autograd, which are most where nothing is recorded.
inline bool may_want_grad(const Tensor& t) noexcept { return t.defined() && get_autograd_meta(t) != nullptr; }
inline bool may_want_grad(const std::optional<Tensor>& t) noexcept { return t && may_want_grad(*t); }
inline bool may_want_grad(ArrayRef<Tensor> list) noexcept { return !list.empty(); }

template <class... Tensors>
[[gnu::noinline]] bool is_recorded(const Tensors&... tensors) noexcept {
  return (wants_grad(tensors) || ...) && GradMode::is_enabled() && (is_normal(tensors) || ...);
}

}  // namespace detail

/// True if grad mode is on and any of the tensors (optional tensors, lists of tensors) requires a gradient.
/// Inference tensors alone record nothing, whatever they ask for.
template <class... Tensors>
bool compute_requires_grad(const Tensors&... tensors) noexcept {
  return (detail::may_want_grad(tensors) || ...) && detail::is_recorded(tensors...);
}

inline bool any_variable_requires_grad(const variable_list& tensors) noexcept {
  return detail::wants_grad(ArrayRef<Tensor>(tensors));
}

/// The gradient edges of the arguments in order; one per tensor, lists spread out.
template <class... Tensors>
edge_list collect_next_edges(const Tensors&... tensors) {
  edge_list edges;
  (detail::append_edges(edges, tensors), ...);
  return edges;
}

/// Makes `node` the grad_fn of a fresh output. Outputs that are not floating or complex, or undefined, get
/// none but still take an input number of the node.
LANEWISE_API void set_history(Tensor& output, std::shared_ptr<Node> node);
LANEWISE_API void set_history(const std::vector<Tensor>& outputs, const std::shared_ptr<Node>& node);

/// Makes `edge` the gradient edge of `t`.
LANEWISE_API void set_gradient_edge(const Tensor& t, Edge edge);

/// Makes `node`, the node of the in-place op that just ran on `self`, its new grad_fn; through CopySlices on
/// the base if `self` is a view.
LANEWISE_API void rebase_history(const Tensor& self, std::shared_ptr<Node> node);

/// After an in-place op that changed how `self` looks at its memory (t_, unsqueeze_), which no base notices:
/// `node`, if it is not null, becomes the grad_fn of `self` alone.
LANEWISE_API void set_view_history(const Tensor& self, std::shared_ptr<Node> node);

/// The door of an in-place op. Throws AutogradError if `self` is a leaf that requires a gradient, a view of
/// one, or a view that must not be modified, and a gradient is being recorded.
LANEWISE_API void check_inplace(const Tensor& self, bool any_requires_grad, const char* op);
/// The same of an op that writes elements. Throws StorageError besides if several elements of `self` share one memory location.
void check_written(const Tensor& self, bool any_requires_grad, const char* op);

/// Tells saved tensors that the memory of `t` has changed. Throws AutogradError for an inference tensor
/// outside of inference mode.
LANEWISE_API void increment_version(const Tensor& t);

/// Throws AutogradError if a gradient would be recorded, for out= forms are not differentiable, or if `out`, unless it is undefined,
/// is an inference tensor outside of inference mode.
LANEWISE_API void check_out(const char* op, const Tensor& out, bool any_requires_grad);
/// Throws AutogradError if an argument for which there is no derivative requires a gradient, where that is recorded.
LANEWISE_API void check_constant(const char* op, const char* argument, const Tensor& value);

namespace impl {

/// The node that adds gradients into the leaf's grad; null if `t` is no leaf that requires a gradient. What
/// is done to the node, such as adding hooks, lasts as long as a graph leads to it or the caller holds it.
LANEWISE_API std::shared_ptr<Node> grad_accumulator(const Tensor& t);
/// The same, null if no graph leads to it and nobody holds it.
LANEWISE_API std::shared_ptr<Node> try_get_grad_accumulator(const Tensor& t);
inline Edge gradient_edge(const Tensor& t) { return autograd::gradient_edge(t); }
inline void set_gradient_edge(const Tensor& t, Edge edge) { autograd::set_gradient_edge(t, std::move(edge)); }
inline void rebase_history(const Tensor& self, Edge edge) {
  autograd::rebase_history(self, std::move(edge.function));
}
inline void bump_version(const Tensor& t) { increment_version(t); }

using lanewise::VariableVersion;
inline VariableVersion version_counter(const Tensor& t) noexcept {
  return VariableVersion(t.unsafeGetTensorImpl());
}

/// The tensor's state, null if there is none; of views only.
inline AutogradMeta* get_autograd_meta(const Tensor& t) noexcept {
  return t.defined() ? autograd::get_autograd_meta(t) : nullptr;
}
inline AutogradMeta* get_view_autograd_meta(const Tensor& t) noexcept {
  AutogradMeta* meta = impl::get_autograd_meta(t);
  return meta != nullptr && meta->is_view() ? meta : nullptr;
}
/// Made if there is none.
inline AutogradMeta* materialize_autograd_meta(const Tensor& t) {
  return &autograd::materialize_autograd_meta(t);
}
/// Named for whoever looks: Tensor::name(). Throws AutogradError for an undefined tensor.
LANEWISE_API void set_name(const Tensor& t, const std::string& name);
inline const std::string& name(const Tensor& t) { return t.name(); }

}  // namespace impl

/// Adds an edge to `node` for a new output `t`: its gradient enters `node` at the returned number.
LANEWISE_API std::uint32_t create_gradient_edge(const Tensor& t, std::shared_ptr<Node> node);

}  // namespace lanewise::autograd
