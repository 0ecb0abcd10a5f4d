#include <optional>

#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/extent.h>
#include <lanewise/ops/scan.h>
#include <lanewise/ops/scanner.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

using kernels::ScanTable;

class Scan {
 public:
  Scan(const char* op, const kernels::ScanKernel* ScanTable::*field, const Tensor& self, std::int64_t dim,
       ScalarType result, bool reverse = false)
      : self_(self),
        dim_(wrap_dim(op, dim, self.dim())),
        extent_(op, self, dim),
        kernel_(*(kernels::active_kernels().scans->*field)),
        result_(result),
        compute_(is_integral(result, true) ? kLong : kernels::compute_type(result)),
        reverse_(reverse) {
    LANEWISE_CHECK(DtypeError, kernel_.fn[static_cast<std::size_t>(compute_)] != nullptr, op,
                   ": not defined for ", result, " elements");
  }
  Tensor fresh() const {
    const Tensor out = detail::empty_cpu(self_.sizes(), result_);
    run(out);
    return out;
  }
  void into(const Destination& to) const {
    write_result(to, self_.sizes(), result_, suits(to), [&](const Tensor& out) { run(out); });
  }

 private:
  /// Whether results may go straight to the destination. In place every element is read before its place is written.
  bool suits(const Destination& to) const {
    const Tensor& out = to.tensor;
    if (!fits_apart(to, self_.sizes(), result_, {}) || !has_steps(out, dim_)) return false;
    if (internal_overlap(out) != MemoryOverlap::None) return false;
    if (out.is_same(self_)) return true;
    const MemoryOverlap shared = mutual_overlap(out, self_);
    return shared == MemoryOverlap::None || shared == MemoryOverlap::Full;
  }
  void run(const Tensor& out) const {
    if (out.numel() > 0) run_scan(kernel_, compute_, self_, out, dim_, extent_, reverse_);
  }

  Tensor self_;
  std::int64_t dim_;
  Extent extent_;
  const kernels::ScanKernel& kernel_;
  ScalarType result_, compute_;
  bool reverse_;
};

ScalarType accumulated(const Tensor& self, std::optional<ScalarType> dtype) {
  return dtype.value_or(is_integral(self.scalar_type(), true) ? kLong : self.scalar_type());
}
/// The same for a destination, which decides where no dtype is asked for: integers are carried in int64 and narrowed as they
/// are written.
ScalarType accumulated_into(const Destination& to, const Tensor& self, std::optional<ScalarType> dtype) {
  if (to.tensor.defined() && dtype) {
    LANEWISE_CHECK(DtypeError, to.tensor.scalar_type() == *dtype, to.op,
                   to.resizable ? ": out is " : ": Bad in-place call: input tensor is ",
                   to.tensor.scalar_type(), ", the dtype asked for is ", *dtype, "; they should match");
  }
  if (to.tensor.defined() && to.resizable && !dtype) return to.tensor.scalar_type();
  const ScalarType type = accumulated(self, dtype);
  return type == kLong && to.tensor.defined() && is_integral(to.tensor.scalar_type(), false)
             ? to.tensor.scalar_type()
             : type;
}

/// What is added or multiplied: of a result in bool whether it is zero.
Tensor operand(const Tensor& self, ScalarType result) {
  return result == kBool && self.scalar_type() != kBool ? to_copy(self, kBool) : self;
}

Scan scan_into(const Destination& to, const kernels::ScanKernel* ScanTable::*kernel, const Tensor& self,
               std::int64_t dim, std::optional<ScalarType> dtype) {
  const ScalarType type = accumulated_into(to, self, dtype);
  return Scan(to.op, kernel, operand(self, type), dim, type);
}
Tensor fresh_scan(const char* op, const kernels::ScanKernel* ScanTable::*kernel, const Tensor& self,
                  std::int64_t dim, std::optional<ScalarType> dtype) {
  const ScalarType type = accumulated(self, dtype);
  return Scan(op, kernel, operand(self, type), dim, type).fresh();
}

void check_floating(const char* op, const Tensor& self) {
  LANEWISE_CHECK(DtypeError, self.is_floating_point(), op, ": not defined for ", self.scalar_type(),
                 " elements; convert to a floating type");
}

}  // namespace

Tensor cumsum(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  return fresh_scan("cumsum", &ScanTable::sum, self, dim, dtype);
}
void cumsum_into(const Destination& to, const Tensor& self, std::int64_t dim,
                 std::optional<ScalarType> dtype) {
  scan_into(to, &ScanTable::sum, self, dim, dtype).into(to);
}
Tensor cumprod(const Tensor& self, std::int64_t dim, std::optional<ScalarType> dtype) {
  return fresh_scan("cumprod", &ScanTable::product, self, dim, dtype);
}
void cumprod_into(const Destination& to, const Tensor& self, std::int64_t dim,
                  std::optional<ScalarType> dtype) {
  scan_into(to, &ScanTable::product, self, dim, dtype).into(to);
}
Tensor logcumsumexp(const Tensor& self, std::int64_t dim) {
  check_floating("logcumsumexp", self);
  return Scan("logcumsumexp", &ScanTable::logsumexp, self, dim, self.scalar_type()).fresh();
}
Tensor reverse_cumsum(const Tensor& self, std::int64_t dim) {
  return Scan("cumsum", &ScanTable::sum, self, dim, accumulated(self, std::nullopt), true).fresh();
}
Tensor reverse_logcumsumexp(const Tensor& self, std::int64_t dim) {
  check_floating("logcumsumexp", self);
  return Scan("logcumsumexp", &ScanTable::logsumexp, self, dim, self.scalar_type(), true).fresh();
}

}  // namespace lanewise::ops
