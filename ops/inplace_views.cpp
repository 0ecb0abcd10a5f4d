#include <utility>

#include <lanewise/ops/inplace_views.h>
#include <lanewise/ops/views.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>
#include <lanewise/tensor/memory_format.h>

namespace lanewise::ops {
namespace {

void look_as(Tensor& self, const Tensor& view) {
  const DimVector sizes(view.sizes()), strides(view.strides());
  self.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
}

}  // namespace

void squeeze_(Tensor& self) { look_as(self, squeeze(self)); }
void squeeze_(Tensor& self, std::int64_t dim) { look_as(self, squeeze(self, dim)); }
void squeeze_(Tensor& self, IntArrayRef dims) { look_as(self, squeeze(self, dims)); }
void unsqueeze_(Tensor& self, std::int64_t dim) { look_as(self, unsqueeze(self, dim)); }
void transpose_(Tensor& self, std::int64_t dim0, std::int64_t dim1) {
  look_as(self, transpose(self, dim0, dim1));
}
void t_(Tensor& self) { look_as(self, t(self)); }

void as_strided_(Tensor& self, IntArrayRef size, IntArrayRef stride,
                 std::optional<std::int64_t> storage_offset) {
  const Tensor view = as_strided(self, size, stride, storage_offset);
  look_as(self, view);
  self.unsafeGetTensorImpl()->set_storage_offset(view.storage_offset());
}

void check_resizable(const char* op, const Tensor& self) {
  LANEWISE_CHECK(AutogradError, !self.requires_grad(), op,
                 ": cannot resize variables that require grad; resize detach() or a copy");
}

void resize_(Tensor& self, IntArrayRef size, std::optional<MemoryFormat> memory_format) {
  if (!memory_format) return lanewise::detail::resize_cpu(self, size);
  lanewise::detail::resize_cpu(self, size, strides_in("resize_", size, *memory_format));
}

void resize_as_(Tensor& self, const Tensor& like, std::optional<MemoryFormat> memory_format) {
  resize_(self, like.sizes(),
          memory_format == MemoryFormat::Preserve ? like.suggest_memory_format() : memory_format);
}

void set_(Tensor& self, const Tensor& source) {
  LANEWISE_CHECK(ValueError, self.defined() && source.defined(), "set_: a tensor is undefined");
  LANEWISE_CHECK(DtypeError, self.scalar_type() == source.scalar_type(),
                 "set_: Could not set tensor of type ", source.scalar_type(), " to a tensor of type ",
                 self.scalar_type());
  self.unsafeGetTensorImpl()->set_data_from(*source.unsafeGetTensorImpl());
}

void set_(Tensor& self) { set_(self, lanewise::detail::empty_cpu({0}, self.scalar_type())); }

}  // namespace lanewise::ops
