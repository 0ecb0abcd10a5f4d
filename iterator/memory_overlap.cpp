#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/overlap_messages.h>
#include <lanewise/iterator/memory_overlap.h>
#include <lanewise/tensor/dim_vector.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/inline_vector.h>

namespace lanewise {
namespace {

// Note [Overlap as a bounded Diophantine equation]
// Two elements share a byte iff the difference of their addresses lies within an element. That difference is
// a sum of stride times index; each index has a range. So both questions are: do integers x_k in [0, range_k]
// exist with low <= sum step_k * x_k <= high (steps made positive by reversing an index)? Steps are searched
// from the largest down, and a branch is left as soon as the remaining steps cannot reach the window, so that
// operands from views of one array are decided in a few steps. The search gives up after kMaxWork branches.
constexpr int kMaxWork = 20000;

struct Term {
  std::int64_t step;   // > 0
  std::int64_t range;  // largest index, >= 1
};

class Search {
 public:
  void add(std::int64_t stride, std::int64_t range) {
    if (range > 0 && stride != 0) {
      terms_.push_back({std::abs(stride), range});
    }
  }

  /// Sorts, and merges terms of equal step.
  void prepare() {
    std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) { return a.step > b.step; });
    std::size_t kept = 0;
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      if (kept > 0 && terms_[kept - 1].step == terms_[k].step) {
        terms_[kept - 1].range += terms_[k].range;
      } else {
        terms_[kept++] = terms_[k];
      }
    }
    terms_.resize(kept, Term{});
    reach_.resize(kept + 1, 0);
    divisor_.resize(kept + 1, 0);
    for (std::size_t k = kept; k-- > 0;) {
      reach_[k] = reach_[k + 1] + terms_[k].step * terms_[k].range;
      divisor_[k] = std::gcd(divisor_[k + 1], terms_[k].step);
    }
  }

  /// 1: a solution exists, 0: none, -1: gave up.
  int solve(std::int64_t low, std::int64_t high) { return descend(0, low, high); }

 private:
  int descend(std::size_t k, std::int64_t low, std::int64_t high) {
    if (low > reach_[k] || high < 0) {
      return 0;
    }
    if (low <= 0) {
      return 1;  // zero for all that remains
    }
    if (k == terms_.size()) {
      return 0;
    }
    const std::int64_t d = divisor_[k];
    if (divup(low, d) * d > high) {
      return 0;  // no multiple of the common divisor in the window
    }
    if (++work_ > kMaxWork) {
      return -1;
    }
    const std::int64_t step = terms_[k].step;
    const std::int64_t rest = reach_[k + 1];
    const std::int64_t first = low > rest ? divup(low - rest, step) : 0;
    const std::int64_t last = std::min(terms_[k].range, high / step);
    for (std::int64_t x = last; x >= first; --x) {
      const int found = descend(k + 1, low - x * step, high - x * step);
      if (found != 0) {
        return found;
      }
    }
    return 0;
  }

  InlineVector<Term, 12> terms_;
  InlineVector<std::int64_t, 13> reach_;
  InlineVector<std::int64_t, 13> divisor_;
  int work_ = 0;
};

bool is_empty(const MemoryFootprint& a) {
  return std::any_of(a.sizes.begin(), a.sizes.end(), [](std::int64_t size) { return size == 0; });
}

struct Extent {
  std::int64_t low = 0;   // offset of the first byte from data, <= 0
  std::int64_t high = 0;  // offset of the first byte of the last element
};

Extent extent(const MemoryFootprint& a) {
  Extent e;
  for (std::size_t d = 0; d < a.sizes.size(); ++d) {
    const std::int64_t span = (a.sizes[d] - 1) * a.strides[d];
    (span < 0 ? e.low : e.high) += span;
  }
  return e;
}

bool same_elements(const MemoryFootprint& a, const MemoryFootprint& b) {
  if (a.data != b.data || a.element_size != b.element_size || a.sizes.size() != b.sizes.size()) {
    return false;
  }
  for (std::size_t d = 0; d < a.sizes.size(); ++d) {
    if (a.sizes[d] != b.sizes[d] || (a.sizes[d] > 1 && a.strides[d] != b.strides[d])) {
      return false;
    }
  }
  return true;
}

}  // namespace

MemoryOverlap internal_overlap(const MemoryFootprint& a) {
  if (is_empty(a)) {
    return MemoryOverlap::None;
  }
  InlineVector<Term, 8> dims;
  for (std::size_t d = 0; d < a.sizes.size(); ++d) {
    if (a.sizes[d] > 1) {
      if (a.strides[d] == 0) {
        return MemoryOverlap::Full;
      }
      dims.push_back({std::abs(a.strides[d]), a.sizes[d] - 1});
    }
  }
  std::sort(dims.begin(), dims.end(), [](const Term& x, const Term& y) { return x.step < y.step; });
  // Each dimension steps over everything inside it: the usual case, views of dense arrays.
  std::int64_t inside = a.element_size;
  bool nested = true;
  for (const Term& dim : dims) {
    nested = nested && dim.step >= inside;
    inside += dim.step * dim.range;
  }
  if (nested) {
    return MemoryOverlap::None;
  }
  // Two different elements whose addresses differ by less than an element. The dimension k is the first in
  // which they differ, by at least one; those before it are equal, and those after it differ by anything.
  for (std::size_t k = 0; k < dims.size(); ++k) {
    Search search;
    std::int64_t shift = dims[k].step;
    search.add(dims[k].step, dims[k].range - 1);
    for (std::size_t j = k + 1; j < dims.size(); ++j) {
      search.add(dims[j].step, 2 * dims[j].range);
      shift -= dims[j].step * dims[j].range;
    }
    search.prepare();
    const int found = search.solve(-shift - a.element_size + 1, -shift + a.element_size - 1);
    if (found != 0) {
      return found > 0 ? MemoryOverlap::Partial : MemoryOverlap::Unknown;
    }
  }
  return MemoryOverlap::None;
}

MemoryOverlap mutual_overlap(const MemoryFootprint& a, const MemoryFootprint& b) {
  if (is_empty(a) || is_empty(b)) {
    return MemoryOverlap::None;
  }
  const Extent ea = extent(a), eb = extent(b);
  const auto at = [](const MemoryFootprint& f, std::int64_t offset) {
    return reinterpret_cast<std::intptr_t>(f.data) + offset;
  };
  if (at(a, ea.high) + a.element_size <= at(b, eb.low) || at(b, eb.high) + b.element_size <= at(a, ea.low)) {
    return MemoryOverlap::None;
  }
  if (same_elements(a, b)) {
    return MemoryOverlap::Full;
  }
  // address(a) - address(b), with b's indices reversed, is a sum of non-negative terms over its smallest
  // value.
  Search search;
  for (std::size_t d = 0; d < a.sizes.size(); ++d) {
    search.add(a.strides[d], a.sizes[d] - 1);
  }
  for (std::size_t d = 0; d < b.sizes.size(); ++d) {
    search.add(b.strides[d], b.sizes[d] - 1);
  }
  search.prepare();
  const std::int64_t smallest = at(a, ea.low) - at(b, eb.high);
  const int found = search.solve(-smallest - a.element_size + 1, -smallest + b.element_size - 1);
  return found == 0 ? MemoryOverlap::None : found > 0 ? MemoryOverlap::Partial : MemoryOverlap::Unknown;
}

namespace {

/// The elements of a tensor in memory, with steps in bytes.
struct Elements {
  DimVector strides;
  MemoryFootprint footprint;

  explicit Elements(const Tensor& t) : strides(t.strides()) {
    const std::int64_t size = t.element_size();
    for (std::int64_t& stride : strides) {
      stride *= size;
    }
    const IntArrayRef sizes = t.sizes();
    footprint = {static_cast<const char*>(t.data_ptr()),
                 {sizes.data(), sizes.size()},
                 {strides.data(), strides.size()},
                 size};
  }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
};

/// Both dense and contiguous stretches that do not meet: what nearly all calls look like.
bool plainly_apart(const Tensor& a, const Tensor& b) {
  if (!a.is_contiguous() || !b.is_contiguous()) {
    return false;
  }
  const auto* p = static_cast<const char*>(a.data_ptr());
  const auto* q = static_cast<const char*>(b.data_ptr());
  return p + a.nbytes() <= q || q + b.nbytes() <= p;
}

}  // namespace

MemoryOverlap internal_overlap(const Tensor& t) {
  return t.is_contiguous() ? MemoryOverlap::None : internal_overlap(Elements(t).footprint);
}

MemoryOverlap mutual_overlap(const Tensor& a, const Tensor& b) {
  if (plainly_apart(a, b)) return MemoryOverlap::None;
  return mutual_overlap(Elements(a).footprint, Elements(b).footprint);
}

MemOverlap has_internal_overlap(const Tensor& t) {
  if (!t.defined() || t.is_non_overlapping_and_dense()) {
    return MemOverlap::No;
  }
  const IntArrayRef sizes = t.sizes(), strides = t.strides();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (strides[d] == 0 && sizes[d] > 1) {
      return MemOverlap::Yes;
    }
  }
  return MemOverlap::TooHard;
}

MemOverlapStatus get_overlap_status(const Tensor& a, const Tensor& b) {
  if (a.is_same(b)) {
    return MemOverlapStatus::Full;
  }
  if (!a.defined() || !b.defined() || a.numel() == 0 || b.numel() == 0) {
    return MemOverlapStatus::No;
  }
  if (!a.is_non_overlapping_and_dense() || !b.is_non_overlapping_and_dense()) {
    return MemOverlapStatus::TooHard;
  }
  const auto* p = static_cast<const char*>(a.data_ptr());
  const auto* q = static_cast<const char*>(b.data_ptr());
  if (p == q && a.nbytes() == b.nbytes()) {
    return a.strides().equals(b.strides()) ? MemOverlapStatus::Full : MemOverlapStatus::Partial;
  }
  return p < q + b.nbytes() && q < p + a.nbytes() ? MemOverlapStatus::Partial : MemOverlapStatus::No;
}

namespace {

void raise_if(bool overlaps, const char* op, const char* message) {
  LANEWISE_CHECK(StorageError, !overlaps, op, *op == '\0' ? "" : ": ", message);
}

}  // namespace

void assert_no_internal_overlap(const char* op, const Tensor& t) {
  raise_if(has_internal_overlap(t) == MemOverlap::Yes, op, detail::kOverlapsItself);
}
void assert_no_partial_overlap(const char* op, const Tensor& a, const Tensor& b) {
  raise_if(get_overlap_status(a, b) == MemOverlapStatus::Partial, op, detail::kOverlapsInput);
}
void assert_no_overlap(const char* op, const Tensor& a, const Tensor& b) {
  const MemOverlapStatus status = get_overlap_status(a, b);
  raise_if(status == MemOverlapStatus::Partial || status == MemOverlapStatus::Full, op,
           detail::kOverlapsInput);
}

void assert_no_internal_overlap(const Tensor& t) { assert_no_internal_overlap("", t); }
void assert_no_partial_overlap(const Tensor& a, const Tensor& b) { assert_no_partial_overlap("", a, b); }
void assert_no_overlap(const Tensor& a, const Tensor& b) { assert_no_overlap("", a, b); }

void assert_apart(const char* op, const Tensor& written, std::initializer_list<const Tensor*> read) {
  if (!written.defined()) return;
  for (const Tensor* t : read) {
    if (t->defined()) assert_no_overlap(op, written, *t);
  }
}

}  // namespace lanewise
