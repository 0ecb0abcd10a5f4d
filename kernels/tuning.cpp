#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

#include <lanewise/kernels/detail/tunable.h>
#include <lanewise/kernels/kernel_table.h>
#include <lanewise/kernels/tuning.h>
#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::kernels {
namespace {

using lanewise::detail::kIsaNotChosen;
using lanewise::detail::kIsaTuned;

std::size_t index(ScalarType t) { return static_cast<std::size_t>(t); }

/// A kernel of its own, so that its address leads to what was tuned.
struct TunedKernel {
  ElementwiseKernel kernel;
  std::array<std::array<TunedRun, kSizeClasses>, kNumScalarTypes> runs;

  /// The defaults everywhere.
  explicit TunedKernel(const ElementwiseKernel& best) : kernel(best) {
    for (std::size_t i = 0; i < runs.size(); ++i)
      runs[i].fill(
          {best.fn[index(compute_type(static_cast<ScalarType>(i)))], available_isas().back(), 0, 0, false});
  }
};

/// The table of the best tier with some of its kernels replaced.
class TunedTable {
 public:
  explicit TunedTable(std::span<const Tuning> tunings) : table_(kernels_of(available_isas().back())) {
    kernels_.reserve(tunings.size());  // addresses stay
    for (const Tuning& tuning : tunings) add(tuning);
  }
  TunedTable(const TunedTable&) = delete;
  TunedTable& operator=(const TunedTable&) = delete;

  const KernelTable& table() const noexcept { return table_; }

  const TunedRun* find(const ElementwiseKernel& kernel, ScalarType dtype, SizeClass size) const noexcept {
    const auto* at = reinterpret_cast<const TunedKernel*>(&kernel);
    if (std::less<>()(at, kernels_.data()) || !std::less<>()(at, kernels_.data() + kernels_.size()))
      return nullptr;
    return &at->runs[index(dtype)][static_cast<std::size_t>(size)];
  }

 private:
  void add(const Tuning& t) {
    check_tuning(t);
    const ElementwiseKernel* KernelTable::*field = tunable_field(t.kernel);
    const ElementwiseKernel& source = *(kernels_of(t.isa).*field);
    if (find_any(table_.*field) == nullptr) {
      kernels_.push_back(TunedKernel(*(table_.*field)));
      table_.*field = &kernels_.back().kernel;
    }
    TunedKernel& mine = *find_any(table_.*field);
    const std::size_t compute = index(compute_type(t.dtype));
    const ElementwiseFn fn = source.fn[compute];
    const bool rows = (source.rows >> compute & 1) != 0;
    mine.runs[index(t.dtype)][static_cast<std::size_t>(t.size)] = {fn, t.isa, t.grain, t.block, rows};
    // Small calls of plain types take what is in the table, without asking.
    if (t.size == SizeClass::Small && compute_type(t.dtype) == t.dtype) {
      const auto bit = static_cast<std::uint16_t>(1u << compute);
      mine.kernel.fn[compute] = fn;
      mine.kernel.rows = static_cast<std::uint16_t>(rows ? mine.kernel.rows | bit : mine.kernel.rows & ~bit);
    }
  }
  TunedKernel* find_any(const ElementwiseKernel* kernel) {
    for (TunedKernel& k : kernels_) {
      if (&k.kernel == kernel) return &k;
    }
    return nullptr;
  }

  KernelTable table_;
  std::vector<TunedKernel> kernels_;
};
static_assert(offsetof(TunedKernel, kernel) == 0);  // find() goes from one to the other

std::mutex mutex;
/// What kIsaTuned stands for. That of LANEWISE_TUNE stays when the process ends: static destructors may compute.
const TunedTable* current = nullptr;

void install(std::unique_ptr<const TunedTable> tuned) {
  current = tuned.release();
  detail::tables[kIsaTuned] = &current->table();
}

std::string text_of_file(const std::string& path, const std::string& source) {
  constexpr std::size_t kMost = std::size_t{4} << 20;  // every kernel, dtype and size, several times over
  std::string text;
  std::ifstream file(path);
  LANEWISE_CHECK(ValueError, file.good(), source, ": cannot be read; `lanewise bench --tune ", path,
                 "` writes it");
  try {
    for (std::istreambuf_iterator<char> at(file), end; at != end && text.size() <= kMost; ++at)
      text.push_back(*at);
  } catch (const std::ios_base::failure&) {  // a folder opens, but has no text
    lanewise::detail::raise<ValueError>(source, ": cannot be read: not a file, or one with errors");
  }
  LANEWISE_CHECK(ValueError, text.size() <= kMost, source,
                 ": no file of `lanewise bench --tune`: longer than ", kMost, " bytes");
  return text;
}

/// Whether LANEWISE_TUNE's file is there to be used; reads it once.
bool read_environment() {
  const char* path = std::getenv("LANEWISE_TUNE");
  const char* fixed = std::getenv("LANEWISE_ISA");  // names one tier for all, and wins
  if (path == nullptr || *path == '\0' || (fixed != nullptr && *fixed != '\0')) return false;
  const std::lock_guard lock(mutex);
  if (current != nullptr) return true;
  const std::string source = std::string("LANEWISE_TUNE=") + path;
  const TuneFile file = TuneFile::parse(text_of_file(path, source), source);
  if (file.cpu != cpu_model()) {
    static std::once_flag said;
    std::call_once(said, [&] {
      std::fprintf(stderr, "lanewise: %s: not used, it is of another CPU: %s; this one is %s\n",
                   source.c_str(), file.cpu.c_str(), cpu_model().c_str());
    });
    return false;
  }
  install(std::make_unique<const TunedTable>(file.tunings));
  return true;
}

}  // namespace

namespace detail {

const KernelTable& choose_kernels() {
  const auto chosen =
      read_environment() ? kIsaTuned : static_cast<std::uint8_t>(lanewise::detail::choose_isa());
  std::uint8_t active = kIsaNotChosen;
  // Keeps the choice of a guard that another thread has just set.
  return *tables[lanewise::detail::active_isa.compare_exchange_strong(active, chosen) ? chosen : active];
}

const TunedRun* find_tuned_run(const ElementwiseKernel& kernel, ScalarType dtype,
                               std::int64_t elements) noexcept {
  return current->find(kernel, dtype, size_class(elements));
}

}  // namespace detail

TuneGuard::TuneGuard(std::span<const Tuning> tunings) : previous_(kIsaNotChosen) {
  auto tuned = std::make_unique<const TunedTable>(tunings);
  const std::lock_guard lock(mutex);
  LANEWISE_CHECK(ValueError, current == nullptr,
                 "TuneGuard: the process is tuned already, by another guard or LANEWISE_TUNE");
  install(std::move(tuned));
  previous_ = lanewise::detail::active_isa.exchange(kIsaTuned);
}

TuneGuard::~TuneGuard() {
  lanewise::detail::active_isa.store(previous_);
  const std::lock_guard lock(mutex);
  delete std::exchange(current, nullptr);
}

}  // namespace lanewise::kernels
