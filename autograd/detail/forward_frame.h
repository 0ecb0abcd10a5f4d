#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include <lanewise/autograd/node.h>
#include <lanewise/autograd/transforms.h>
#include <lanewise/tensor/tensor.h>

/// What generated tangent code is made of.
namespace lanewise::autograd::forward_ad {

/// The call of one op whose arguments may be dual. The shape of a generated function:
///
///   Frame frame({&self, &other});
///   if (!frame.active()) return false;
///   Frame::skip_next();
///   out = lanewise::mul(self, other);                  // the usual op: records, saves the dual arguments
///   while (frame.next()) frame.set(out, jvp_mul(frame.p(0), frame.t(0), frame.p(1), frame.t(1), frame.primal(out)));
class Frame {
 public:
  /// Arguments may be undefined. A list of tensors comes last. They must outlive the frame.
  Frame(std::initializer_list<const Tensor*> tensors, ArrayRef<Tensor> list = {});

  /// Whether an argument is dual, and this is not the call after skip_next().
  bool active() const noexcept { return !levels_.empty(); }
  /// The next op that asks, in this thread, is told that nothing is dual.
  static void skip_next() noexcept;
  /// Goes to the next level.
  bool next();
  /// The same for an op that writes to the tensors `written`. Where a graph records the tangent's formula, it
  /// gets a copy of what set_inplace() overwrites: the tangent itself, saved by its own history, would keep
  /// itself alive.
  bool next_inplace(ArrayRef<Tensor> written);

  /// Argument i without the tangents of this level and those inside it.
  const Tensor& p(std::size_t i) const noexcept { return primals_[i]; }
  /// Its tangent, maybe undefined.
  const Tensor& t(std::size_t i) const noexcept { return tangents_[i]; }
  /// Its tangent, zeros if there is none. Undefined for an undefined argument.
  Tensor z(std::size_t i) const;
  /// The list at the end.
  std::vector<Tensor> list_p() const { return {primals_.begin() + count_, primals_.end()}; }
  std::vector<Tensor> list_t() const { return {tangents_.begin() + count_, tangents_.end()}; }
  std::vector<Tensor> list_z() const;
  /// A result as formulas see it.
  Tensor primal(const Tensor& t) const;

  /// Gives `result` its tangent of this level. A view's tangent is a view of the base's.
  void set(const Tensor& result, const Tensor& tangent, bool is_view = false) const;
  void set(const std::vector<Tensor>& results, const std::vector<Tensor>& tangents,
           bool is_view = false) const;
  /// Writes the tangent of what an in-place op modified; into the tangent of the base where `self` is a view.
  void set_inplace(const Tensor& self, const Tensor& tangent) const;
  /// Whether the tangent of this level is the tensor's own, not a view of its base's.
  bool owns_tangent(const Tensor& self) const noexcept;
  /// For an op that changed the strides of `self`: its own tangent becomes `tangent`.
  void replace_tangent(const Tensor& self, const Tensor& tangent) const;

 private:
  void add(const Tensor& t);

  std::vector<Tensor> arguments_, primals_, tangents_;
  std::ptrdiff_t count_ = 0;
  std::vector<std::shared_ptr<ForwardLevel>> levels_;
  std::size_t position_ = 0;
  bool started_ = false;
};

/// `t`, or a copy of it where an in-place op on `self` may change it: self, and what shares its memory.
Tensor before_write(const Tensor& self, const Tensor& t);

/// After an in-place op without a derivative.
void zero_tangents(const Tensor& self);

/// Throws NotImplementedError if an argument of an out= form is dual.
void check_out(const char* op, std::initializer_list<const Tensor*> tensors, ArrayRef<Tensor> list = {});
[[noreturn]] void raise_not_implemented(const char* op, const char* reason);

/// conj(tangent) in the shape and dtype of the result: what an elementwise derivative is applied to.
Tensor elementwise_start(const Tensor& tangent, const Tensor& result);
/// Adds conj(grad) to `sum`.
void elementwise_add(Tensor& sum, const Tensor& grad);
/// `t` in the dtype of a complex result, so that no derivative takes real parts.
Tensor elementwise_primal(const Tensor& t, const Tensor& result);
void add_to(Tensor& sum, const Tensor& term);

/// Tangents of the results from the backward alone: `vjp` is linear in the gradients of the results, and the
/// derivative of that map, transposed, is the one wanted.
variable_list transposed(const variable_list& results, const std::vector<bool>& differentiable,
                         const std::function<variable_list(const variable_list&)>& vjp,
                         const variable_list& tangents);

/// Of a tensor with history: an alias that carries history and batch but no tangents from `level` inwards.
Tensor strip(const Tensor& t, const ForwardLevel& level);
/// An alias without history that has the tangents and the batch of `t`.
Tensor detached(const Tensor& t);
/// The tangent of `t` at `level`, also through its base; undefined if there is none.
Tensor tangent_of(const Tensor& t, const ForwardLevel& level);

/// What SavedVariable does with a result of an op whose tangents are attached later: `alias` shares them.
void share_state(const Tensor& variable, const Tensor& alias);
/// `copy` gets the state of `alias`.
void copy_state(const Tensor& alias, const Tensor& copy);

}  // namespace lanewise::autograd::forward_ad
