#include <algorithm>
#include <array>

#include <lanewise/kernels/detail/tunable.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::kernels {
namespace {

using Field = const ElementwiseKernel* KernelTable::*;

struct Named {
  std::string_view name;
  Field field;
};

#define LANEWISE_KERNEL(kernel) Named{#kernel, &KernelTable::kernel},
constexpr auto kFields = [] {
  std::array all = {
#include <lanewise/generated/kernel_names.inc>
  };
  std::sort(all.begin(), all.end(), [](const Named& a, const Named& b) { return a.name < b.name; });
  return all;
}();
#undef LANEWISE_KERNEL

constexpr auto kNames = [] {
  std::array<std::string_view, kFields.size()> names;
  std::transform(kFields.begin(), kFields.end(), names.begin(), [](const Named& n) { return n.name; });
  return names;
}();

}  // namespace

std::span<const std::string_view> tunable_kernels() noexcept { return kNames; }

std::span<const Isa> tunable_isas() noexcept {
  const std::span<const Isa> all = available_isas();
  // SSE4.2 has no fused multiply-add, so its bits are its own.
  std::size_t first = all.size() - 1;
  while (first > 0 && all[first - 1] != Isa::sse4_2) --first;
  return all.subspan(first);
}

Field tunable_field(std::string_view name) noexcept {
  const auto at = std::lower_bound(kFields.begin(), kFields.end(), name,
                                   [](const Named& n, std::string_view text) { return n.name < text; });
  return at != kFields.end() && at->name == name ? at->field : nullptr;
}

void check_tuning(const Tuning& t) {
  const Field field = tunable_field(t.kernel);
  LANEWISE_CHECK(ValueError, field != nullptr, "kernel '", t.kernel, "': unknown; docs/ops.md names kernels");
  const std::span<const Isa> isas = tunable_isas();
  if (std::find(isas.begin(), isas.end(), t.isa) == isas.end()) {
    std::string known;
    for (const Isa isa : isas) known += (known.empty() ? "" : ", ") + std::string(name(isa));
    lanewise::detail::raise<ValueError>(
        "tier ", name(t.isa), ": not one that this CPU runs with the bits of its best; these are: ", known);
  }
  LANEWISE_CHECK(
      ValueError,
      t.dtype != ScalarType::Undefined &&
          (kernels_of(t.isa).*field)->fn[static_cast<std::size_t>(compute_type(t.dtype))] != nullptr,
      "kernel '", t.kernel, "': does not compute in ", short_name(t.dtype));
  LANEWISE_CHECK(ValueError, t.grain >= 0, "grain ", t.grain, ": expected elements, 1 or more, or -");
  LANEWISE_CHECK(ValueError, t.block == 0 || (t.block >= 64 && t.block <= 2048 && t.block % 64 == 0),
                 "block ", t.block, ": expected a multiple of 64 from 64 to 2048, or -");
}

}  // namespace lanewise::kernels
