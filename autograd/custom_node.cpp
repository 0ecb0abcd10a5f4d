#include <algorithm>
#include <mutex>
#include <utility>

#include <lanewise/autograd/accumulate_grad.h>
#include <lanewise/autograd/custom_node.h>
#include <lanewise/autograd/detail/batching.h>
#include <lanewise/autograd/detail/forward_frame.h>
#include <lanewise/autograd/record.h>
#include <lanewise/autograd/type_name.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

namespace {

/// What a function returns for an input that it hands back.
Tensor view_of_input(const Tensor& input) {
  const Tensor alias = lanewise::detail::make_alias(input);
  if (transforms_on()) batching::copy_batch(input, alias);
  return as_view(input, alias, CreationMeta::InCustomFunction);
}

bool contains(const variable_list& list, const Tensor& t) {
  return std::any_of(list.begin(), list.end(), [&](const Tensor& other) { return other.is_same(t); });
}

}  // namespace

AutogradContext::AutogradContext() = default;
AutogradContext::~AutogradContext() = default;

variable_list AutogradContext::get_saved_variables() const {
  if (for_jvp_ != nullptr) return *for_jvp_;
  variable_list list;
  list.reserve(saved_.size());
  for (const SavedVariable& saved : saved_)
    list.push_back(saved.unpack(node_->getptr(), /*with_history=*/true));
  return list;
}

void AutogradContext::mark_dirty(const variable_list& inputs) { dirty_ = inputs; }

void AutogradContext::mark_non_differentiable(const variable_list& outputs) { non_differentiable_ = outputs; }

bool AutogradContext::needs_input_grad(std::size_t i) const {
  return node_ != nullptr && node_->task_should_compute_output(i);
}

bool AutogradContext::needs_input_grad(std::initializer_list<IndexRange> ranges) const {
  return std::any_of(ranges.begin(), ranges.end(), [this](const IndexRange& range) {
    return node_ != nullptr && node_->task_should_compute_output(range.first, range.second);
  });
}

CustomNodeBase::CustomNodeBase() { context_.node_ = this; }
CustomNodeBase::~CustomNodeBase() = default;

void CustomNodeBase::add_argument(variable_list& inputs, const Tensor& t) {
  inputs.push_back(t);
  is_tensor_.push_back(true);
}
void CustomNodeBase::add_argument(variable_list& inputs, const std::optional<Tensor>& t) {
  add_argument(inputs, t.value_or(Tensor()));
}
void CustomNodeBase::add_argument(variable_list& inputs, const std::vector<Tensor>& list) {
  add_argument(inputs, TensorList(list));
}
void CustomNodeBase::add_argument(variable_list& inputs, TensorList list) {
  for (const Tensor& t : list) add_argument(inputs, t);
}
void CustomNodeBase::add_other_argument() { is_tensor_.push_back(false); }

variable_list CustomNodeBase::saved_for_jvp() const {
  return context_.to_save_for_jvp_.value_or(context_.to_save_);
}

void CustomNodeBase::release_variables() {
  const std::lock_guard<NodeMutex> lock(mutex_);
  for (SavedVariable& saved : context_.saved_) saved.reset_data();
}

bool CustomNodeBase::begin(const variable_list& inputs) {
  const ArrayRef<Tensor> list(inputs);
  const bool records = compute_requires_grad(list);
  edge_list edges;  // one for each input, also where none leads on: needs_input_grad() asks for it
  if (records) {
    edges = collect_next_edges(list);
  } else {
    edges.resize(list.size());
  }
  set_next_edges(std::move(edges));
  return records;
}

void CustomNodeBase::finish_output(Tensor& output, bool is_input, bool is_dirty, bool differentiable,
                                   std::size_t num_outputs, bool records) {
  if (is_dirty && is_input && records && differentiable) {
    LANEWISE_CHECK(AutogradError, !(output.requires_grad() && output.is_leaf()), name(),
                   ": a leaf Variable that requires grad has been used in an in-place operation");
    LANEWISE_CHECK(AutogradError, !output._is_view() || num_outputs == 1, name(),
                   ": a function that modifies inplace an input that is a view of another tensor cannot "
                   "return more than "
                   "one tensor");
    check_inplace(output, true, name().c_str());
    output.mutable_grad() = Tensor();  // that of what it was
    rebase_history(output, getptr());
    return;
  }
  if (!differentiable) {
    add_input_metadata(undefined_input());
    if (!output.requires_grad()) {
      if (is_input && !is_dirty) output = view_of_input(output);  // its state is not the input's
    } else if (is_input || !output._is_view()) {
      output = output.detach();
    }
    return;
  }
  if (is_input) output = view_of_input(output);
  const std::uint32_t input_nr = add_input_metadata(output);
  AutogradMeta& meta = materialize_autograd_meta(output);
  if (meta.is_view())
    meta.creation_ = num_outputs > 1 ? CreationMeta::MultiOutputNode : CreationMeta::InCustomFunction;
  set_gradient_edge(output, {getptr(), input_nr});
}

bool CustomNodeBase::any_dual(const variable_list& inputs) { return forward_ad::Frame({}, inputs).active(); }

variable_list CustomNodeBase::run_jvp(variable_list&&) {
  lanewise::detail::raise<NotImplementedError>(
      name(),
      ": forward mode needs a `static variable_list jvp(AutogradContext* ctx, variable_list "
      "tangents)` in the function; it has none");
}

void CustomNodeBase::propagate(const variable_list& inputs, const variable_list& saved,
                               const variable_list& outputs) {
  forward_ad::Frame frame({}, inputs);
  variable_list written;
  for (const Tensor& output : outputs) {
    if (contains(inputs, output)) written.push_back(output);
  }
  while (frame.next_inplace(written)) {
    const variable_list found = context_.materialize_grads_ ? frame.list_z() : frame.list_t();
    variable_list tangents;
    std::size_t next = 0;
    for (const bool is_tensor : is_tensor_) tangents.push_back(is_tensor ? found[next++] : Tensor());
    variable_list kept;
    for (const Tensor& t : saved) kept.push_back(frame.primal(t));
    context_.for_jvp_ = &kept;
    variable_list results;
    try {
      results = run_jvp(std::move(tangents));
    } catch (...) {
      context_.for_jvp_ = nullptr;
      throw;
    }
    context_.for_jvp_ = nullptr;
    LANEWISE_CHECK(AutogradError, results.size() == outputs.size(), name(), ": jvp() returned ",
                   results.size(),
                   " tangents; expected one per "
                   "output, ",
                   outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (contains(inputs, outputs[i])) {
        frame.set_inplace(outputs[i], results[i]);
      } else {
        frame.set(outputs[i], results[i]);
      }
    }
  }
}

void CustomNodeBase::finish(const variable_list& inputs, variable_list& outputs, bool records) {
  // A node that kept them would keep itself alive, since outputs lead to it.
  const variable_list dirty = std::exchange(context_.dirty_, {}),
                      non_differentiable = std::exchange(context_.non_differentiable_, {}),
                      to_save = std::exchange(context_.to_save_, {});
  std::size_t dirty_returned = 0;
  for (const Tensor& output : outputs) {
    if (output.defined() && contains(dirty, output)) ++dirty_returned;
  }
  LANEWISE_CHECK(AutogradError, dirty_returned >= dirty.size(), name(),
                 ": some elements marked as dirty during the forward method were not returned as output");
  for (Tensor& output : outputs) {
    if (!output.defined()) {
      add_input_metadata(undefined_input());
      output_info_.emplace_back();
      continue;
    }
    output_info_.emplace_back(output);
    const bool is_input = contains(inputs, output);
    const bool is_dirty = contains(dirty, output);
    const bool differentiable =
        records && is_differentiable(output.scalar_type()) && !contains(non_differentiable, output);
    if (is_dirty) increment_version(output);
    finish_output(output, is_input, is_dirty, differentiable, outputs.size(), records);
  }
  if (records) {
    for (const Tensor& t : to_save) {
      const bool is_output = t.defined() && t.grad_fn().get() == this;
      context_.saved_.emplace_back(t, is_output);
    }
  }
}

variable_list CustomNodeBase::apply(variable_list&& grads) {
  if (context_.materialize_grads_) {
    for (std::size_t i = 0; i < grads.size(); ++i) {
      if (!grads[i].defined() && output_info_[i].is_defined()) grads[i] = output_info_[i].zeros_like();
    }
  }
  const std::lock_guard<NodeMutex> lock(mutex_);
  variable_list outputs = run_backward(std::move(grads));
  const std::size_t expected = is_tensor_.size();
  while (outputs.size() > expected && !outputs.back().defined()) outputs.pop_back();
  LANEWISE_CHECK(AutogradError, outputs.size() == expected, name(),
                 ": returned an incorrect number of gradients (expected ", expected, ", got ", outputs.size(),
                 ")");
  std::size_t kept = 0;
  for (std::size_t i = 0; i < expected; ++i) {
    if (is_tensor_[i]) {
      if (kept != i) outputs[kept] = std::move(outputs[i]);
      ++kept;
      continue;
    }
    LANEWISE_CHECK(
        AutogradError, !outputs[i].defined(), name(),
        ": returned a gradient different that is defined at position ", i + 1,
        ", but the corresponding forward input was not a Variable; return an undefined Tensor there");
  }
  outputs.resize(kept);
  return outputs;
}

std::string CustomNodeBase::type_name(const std::type_info& type) { return autograd::type_name(type); }

}  // namespace lanewise::autograd
