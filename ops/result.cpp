#include <algorithm>

#include <lanewise/iterator/detail/overlap_messages.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/result.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise::ops {
namespace {

bool same_shape(const Tensor& a, const Tensor& b) { return a.is_same_size(b); }

void check_dtype(const char* op, const char* target, const Tensor& out, const Tensor& result) {
  LANEWISE_CHECK(DtypeError, can_cast(result.scalar_type(), out.scalar_type()), op, ": ", target, " is ",
                 to_string(out.scalar_type()), " and cannot hold the ", to_string(result.scalar_type()),
                 " result");
}

}  // namespace

void assign_result(const char* op, Tensor& self, const Tensor& result) {
  LANEWISE_CHECK(ShapeError, same_shape(self, result), op, ": the result has shape ", result.sizes(),
                 ", which does not match self of shape ", self.sizes());
  check_dtype(op, "self", self, result);
  copy_(self, result);
}

void resize_result(const char* op, Tensor& out, const Tensor& result) {
  if (!out.defined()) {
    out = result;
    return;
  }
  check_out_dtype(op, out, result);
  if (!same_shape(out, result)) lanewise::detail::resize_cpu(out, result.sizes());
  copy_(out, result);
}

void check_out_exact(const char* op, const Tensor& out, ScalarType result) {
  LANEWISE_CHECK(DtypeError, !out.defined() || out.scalar_type() == result, op,
                 ": Expected out tensor to have dtype ", result, ", but got ", out.scalar_type(), " instead");
}
void check_out_exact(const char* op, const Tensor& out, const Tensor& result) {
  check_out_exact(op, out, result.scalar_type());
  check_out_dtype(op, out, result);
}

void exact_result(const char* op, Tensor& out, const Tensor& result) {
  check_out_exact(op, out, result.scalar_type());
  resize_result(op, out, result);
}

void check_out_dtype(const char* op, const Tensor& out, const Tensor& result) {
  if (!out.defined()) return;
  check_dtype(op, "out", out, result);
  if (same_shape(out, result)) {
    assert_no_internal_overlap(op, out);
  } else {  // what grows over its own input
    LANEWISE_CHECK(StorageError, !out.is_alias_of(result), op, ": ", lanewise::detail::kOverlapsInput);
  }
}

namespace {

bool moves(const OutAndResult& o) { return !same_shape(o.out, o.result); }

bool meet(const OutAndResult& a, const OutAndResult& b) {
  if (!a.out.defined() || !b.out.defined()) return false;
  if ((moves(a) || moves(b)) && a.out.is_alias_of(b.out)) return true;  // they may meet when they have grown
  const MemoryOverlap overlap = mutual_overlap(a.out, b.out);
  return overlap == MemoryOverlap::Full || overlap == MemoryOverlap::Partial;
}

}  // namespace

void write_results(const char* op, std::initializer_list<OutAndResult> outs, bool exact) {
  for (auto a = outs.begin(); a != outs.end(); ++a) {
    exact ? check_out_exact(op, a->out, a->result) : check_out_dtype(op, a->out, a->result);
    if (!a->out.defined()) continue;
    if (moves(*a)) lanewise::detail::check_resizable(op, a->out, a->result.sizes());
    for (auto b = outs.begin(); b != a; ++b) {
      LANEWISE_CHECK(StorageError, !meet(*a, *b), op,
                     ": unsupported operation: two of the outputs share memory; give each its own");
    }
  }
  for (const OutAndResult& o : outs) {
    if (o.out.defined() && moves(o)) lanewise::detail::resize_cpu(o.out, o.result.sizes());
  }
  for (const auto& [out, result] : outs) resize_result(op, out, result);
}

namespace {

/// As far as their storages say, which may be two for one piece of memory.
bool share_memory(const Tensor& a, const Tensor& b) {
  const auto* x = static_cast<const char*>(a.storage().data());
  const auto* y = static_cast<const char*>(b.storage().data());
  return x < y + b.storage().nbytes() && y < x + a.storage().nbytes();
}

}  // namespace

bool fits_apart(const Destination& to, IntArrayRef sizes, ScalarType dtype,
                std::initializer_list<const Tensor*> inputs) {
  const Tensor& out = to.tensor;
  if (!out.defined() || out.scalar_type() != dtype || !out.sizes().equals(sizes)) return false;
  return std::none_of(inputs.begin(), inputs.end(), [&](const Tensor* t) { return share_memory(*t, out); });
}

bool takes_result(const Destination& to, IntArrayRef sizes, ScalarType dtype,
                  std::initializer_list<const Tensor*> inputs) {
  return fits_apart(to, sizes, dtype, inputs) && to.tensor.is_contiguous();
}

void prepare(const Destination& to, IntArrayRef sizes, ScalarType dtype) {
  Tensor& out = to.tensor;
  if (!out.defined()) {
    out = lanewise::detail::empty_cpu(sizes, dtype);
    return;
  }
  LANEWISE_CHECK(DtypeError, out.scalar_type() == dtype, to.op, ": Expected out tensor to have dtype ", dtype,
                 ", but got ", out.scalar_type(), " instead");
  if (out.sizes().equals(sizes)) {
    assert_no_internal_overlap(to.op, out);
    return;
  }
  LANEWISE_CHECK(ShapeError, to.resizable, to.op, ": Bad in-place call: input tensor size ", out.sizes(),
                 " and output tensor size ", sizes, " should match; use the form that returns its result");
  lanewise::detail::resize_cpu(out, sizes);
}

}  // namespace lanewise::ops
