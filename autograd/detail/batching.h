#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/transforms.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

// Note [Batched tensors]
// A batched tensor shows the shape of one slice; it shares memory with `value`, the tensor of all slices, and
// carries history and tangents like any other. Only where an op would compute does it look at the value:
// generated code calls a batching rule there, in which nothing is recorded. The value of a tensor of an inner
// vmap may be batched by an outer one; rules are made of public ops, so that those go on from there. Without
// a rule an op runs once a slice.

/// What makes a tensor batched.
struct BatchInfo {
  BatchInfo(Tensor all, std::int64_t d, std::uint64_t number) : value(std::move(all)), dim(d), level(number) {
    transforms_open.fetch_add(1);
  }
  ~BatchInfo() { transforms_open.fetch_sub(1); }
  BatchInfo(const BatchInfo&) = delete;
  BatchInfo& operator=(const BatchInfo&) = delete;

  const Tensor value;
  const std::int64_t dim;     ///< of the slices in value
  const std::uint64_t level;  ///< an inner vmap has a higher number
};

namespace batching {

/// Null for a tensor without a batch.
const BatchInfo* info(const Tensor& t) noexcept;
inline bool is_batched(const Tensor& t) noexcept { return info(t) != nullptr; }
bool any(std::initializer_list<const Tensor*> tensors, ArrayRef<Tensor> list = {}) noexcept;

/// The slices of `value` along `dim` as one tensor. Raw: without history.
Tensor make(const Tensor& value, std::int64_t dim, std::uint64_t level);
/// The same, differentiable in both modes, and its inverse: slices along dimension `dim` of the result. A
/// tensor without a batch of this level is repeated.
Tensor add_dim(const Tensor& t, std::int64_t dim, std::uint64_t level);
Tensor remove_dim(const Tensor& t, std::int64_t dim, std::uint64_t level, std::int64_t size);
/// `alias` becomes as batched as `t`.
void copy_batch(const Tensor& t, const Tensor& alias);

/// A vmap that runs in this thread.
class ActiveVmap {
 public:
  ActiveVmap(std::uint64_t level, std::int64_t size);
  ~ActiveVmap();
  ActiveVmap(const ActiveVmap&) = delete;
  ActiveVmap& operator=(const ActiveVmap&) = delete;
};
/// `t` with a batch of every running vmap: what is differentiated by inside of a vmap has a gradient per
/// slice.
Tensor lift_to_active(const Tensor& t);

/// The arguments of an op that is recorded, those that require a gradient with every batch that another
/// argument has: the gradient of what the slices share is the sum over them, which the backward of the added
/// batch takes.
class Lifted {
 public:
  Lifted(std::initializer_list<const Tensor*> tensors, ArrayRef<Tensor> list = {});
  bool changed() const noexcept { return changed_; }
  const Tensor& operator[](std::size_t i) const noexcept { return tensors_[i]; }
  std::vector<Tensor> list() const { return {tensors_.begin() + list_begin_, tensors_.end()}; }

 private:
  std::vector<Tensor> tensors_;
  std::ptrdiff_t list_begin_;
  bool changed_ = false;
};

/// The arguments of one op as a rule sees them, at the innermost level among them.
class Batch {
 public:
  /// Tensors may be undefined; a list comes last. They must outlive the batch.
  Batch(std::initializer_list<const Tensor*> tensors, ArrayRef<Tensor> list = {});

  std::int64_t size() const noexcept { return size_; }
  bool is_batched(std::size_t i) const noexcept;
  /// Argument i with the slices along dimension 0; as it is without a batch.
  Tensor front(std::size_t i) const;
  /// The same, repeated where there is no batch.
  Tensor expanded(std::size_t i) const;
  /// So that pointwise ops broadcast it with the other arguments, in the dtype that they give it.
  Tensor aligned(std::size_t i) const;
  /// Slice b of argument i.
  Tensor slice(std::size_t i, std::int64_t b) const;
  std::vector<Tensor> list_slice(std::int64_t b) const;
  std::size_t count() const noexcept { return tensors_.size(); }
  std::size_t list_begin() const noexcept { return list_begin_; }

  /// A result with the slices along dimension 0.
  Tensor wrap(const Tensor& value) const { return make(value, 0, level_); }
  /// Results of the slices.
  Tensor join(const char* op, const std::vector<Tensor>& slices) const;
  void check_not_empty(const char* op) const;

 private:
  const BatchInfo* info_of(std::size_t i) const noexcept;

  std::vector<const Tensor*> tensors_;
  std::size_t list_begin_ = 0;
  std::uint64_t level_ = 0;
  std::int64_t size_ = 0;
  std::int64_t rank_ = 0;                      ///< largest of the slices
  ScalarType common_ = ScalarType::Undefined;  ///< set where dtypes depend on which argument is a number
  NoGradGuard no_grad_;
  AutoFwGradMode no_forward_{false};
};

/// Writes the result of an op into the batched `self`.
void write_back(const char* op, const Tensor& self, const Tensor& result);
/// Throws unless `self` is batched wherever another argument is.
void check_writable(const char* op, const Tensor& self, std::initializer_list<const Tensor*> tensors,
                    ArrayRef<Tensor> list = {});
[[noreturn]] void raise_no_rule(const char* op);

}  // namespace batching
}  // namespace lanewise::autograd
