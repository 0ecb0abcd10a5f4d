#include <algorithm>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/dense.h>
#include <lanewise/ops/extent.h>
#include <lanewise/ops/scan.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::ops {
namespace {

/// Elements that make it worth waking another thread.
constexpr std::int64_t kParallelElements = 1 << 15;
/// Columns that are walked down together: what came before them stays in L1.
constexpr std::int64_t kColumns = 512;

std::tuple<Tensor, Tensor> running(const char* op,
                                   const kernels::RunningExtremeKernel* kernels::ScanTable::*kernel,
                                   const Tensor& self, std::int64_t dim) {
  const Extent extent(op, self, dim);
  LANEWISE_CHECK(DtypeError, !self.is_complex(), op, ": complex numbers have no order, found ",
                 self.scalar_type());
  const bool narrow = isIntegralType(self.scalar_type(), true) && element_size(self.scalar_type()) < 4;
  const ScalarType compute = narrow ? kInt : kernels::compute_type(self.scalar_type());
  const Tensor x = dense(self, compute);
  const Tensor values = detail::empty_cpu(self.sizes(), compute);
  const Tensor indices = detail::empty_cpu(self.sizes(), kLong);
  const auto [batches, n, columns] = extent;
  if (self.numel() == 0) return {to_copy(values, self.scalar_type()), indices};
  const std::int64_t blocks = divup(columns, kColumns), width = divup(columns, blocks);
  const auto element = static_cast<std::int64_t>(element_size(compute));
  const auto fn = (*(kernels::active_kernels().scans->*kernel))[static_cast<std::size_t>(compute)];
  const char* const from = static_cast<const char*>(x.const_data_ptr());
  char* const to = static_cast<char*>(values.data_ptr());
  std::int64_t* const places = indices.data_ptr<std::int64_t>();
  parallel_for(0, batches * blocks, std::max<std::int64_t>(1, kParallelElements / (n * width)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t batch = blocks == 1 ? i : i / blocks;  // a division for each short line
                   const std::int64_t column = (i - batch * blocks) * width;
                   const std::int64_t first = batch * n * columns + column;
                   fn(from + first * element, n, columns, std::min(width, columns - column),
                      to + first * element, places + first);
                 }
               });
  return {compute == self.scalar_type() ? values : to_copy(values, self.scalar_type()), indices};
}

}  // namespace

std::tuple<Tensor, Tensor> cummax(const Tensor& self, std::int64_t dim) {
  return running("cummax", &kernels::ScanTable::maximum, self, dim);
}
std::tuple<Tensor, Tensor> cummin(const Tensor& self, std::int64_t dim) {
  return running("cummin", &kernels::ScanTable::minimum, self, dim);
}

}  // namespace lanewise::ops
