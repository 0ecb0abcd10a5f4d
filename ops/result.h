#pragma once

#include <initializer_list>

#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/tensor.h>

/// In-place and out= forms of ops whose forward makes a fresh tensor.
namespace lanewise::ops {

/// Copies `result` into `self`. Throws ShapeError if the shapes differ, DtypeError if self cannot hold its
/// dtype.
void assign_result(const char* op, Tensor& self, const Tensor& result);

/// Copies `result` into `out`, which is resized if its shape differs. Throws as check_out_dtype().
/// An undefined `out` becomes the result.
void resize_result(const char* op, Tensor& out, const Tensor& result);

/// Throws, unless `out` is undefined, DtypeError if it cannot hold the dtype of `result`, StorageError if elements of it share memory
/// or it would have to grow over `result`.
void check_out_dtype(const char* op, const Tensor& out, const Tensor& result);
/// The same where libtorch takes no other dtype than the result's, and resize_result() after it.
void check_out_exact(const char* op, const Tensor& out, ScalarType result);
void check_out_exact(const char* op, const Tensor& out, const Tensor& result);
void exact_result(const char* op, Tensor& out, const Tensor& result);

/// One of several results of an op, and where it goes.
struct OutAndResult {
  Tensor& out;
  const Tensor& result;
};
/// resize_result() of each, or exact_result(), once all of them are known to succeed. Throws StorageError besides if outputs share
/// memory, or one must grow whose memory was given from outside.
void write_results(const char* op, std::initializer_list<OutAndResult> outs, bool exact);

/// Where an in-place or out= form writes, for ops that do so without a fresh tensor.
struct Destination {
  const char* op;  ///< begins every error
  Tensor& tensor;
  bool resizable;  ///< out=, which takes the result's shape, and may be undefined; else in place
};

/// Makes the destination ready for a result. Throws DtypeError unless it has this dtype, ShapeError if it has
/// another shape and keeps it, StorageError if its elements overlap.
void prepare(const Destination& to, IntArrayRef sizes, ScalarType dtype);

/// Whether the destination is a tensor of that shape and dtype, of any layout, that shares no memory with the inputs.
bool fits_apart(const Destination& to, IntArrayRef sizes, ScalarType dtype,
                std::initializer_list<const Tensor*> inputs);
/// Whether besides it is contiguous: then a form may write its result straight into it.
bool takes_result(const Destination& to, IntArrayRef sizes, ScalarType dtype,
                  std::initializer_list<const Tensor*> inputs);

/// Calls fill(out), with the destination itself if `direct`, else with a fresh tensor that is then copied to it. `fill` must not
/// throw once it has begun to write.
template <class Fill>
void write_result(const Destination& to, IntArrayRef sizes, ScalarType dtype, bool direct, Fill&& fill) {
  if (direct) return fill(to.tensor);
  Tensor fresh = lanewise::detail::empty_cpu(sizes, dtype);
  fill(fresh);
  to.resizable ? resize_result(to.op, to.tensor, fresh) : assign_result(to.op, to.tensor, fresh);
}
/// The same, into the destination itself where that takes_result().
template <class Fill>
void write_result(const Destination& to, IntArrayRef sizes, ScalarType dtype,
                  std::initializer_list<const Tensor*> inputs, Fill&& fill) {
  write_result(to, sizes, dtype, takes_result(to, sizes, dtype, inputs), fill);
}

}  // namespace lanewise::ops
