#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace lanewise::testing {

/// Reverse-mode differentiation of single numbers, nothing else: what the graph of tensors is compared with.
/// A value never changes; memory that does is a list of value numbers.
class ScalarTape {
 public:
  using Id = std::size_t;

  Id constant(double value) { return push({.value = value}); }
  Id unary(double value, Id x, double slope) { return push({value, {x, kNone}, {slope, 0}}); }
  Id binary(double value, Id x, double dx, Id y, double dy) { return push({value, {x, y}, {dx, dy}}); }

  double value(Id id) const { return entries_[id].value; }
  std::size_t size() const { return entries_.size(); }

  /// The derivatives of sum(seeds[i].second * seeds[i].first) with respect to every value.
  std::vector<double> adjoints(const std::vector<std::pair<Id, double>>& seeds) const {
    std::vector<double> adjoint(entries_.size(), 0.0);
    for (const auto& [id, weight] : seeds) adjoint[id] += weight;
    for (std::size_t i = entries_.size(); i-- > 0;) {
      for (int k = 0; k < 2; ++k) {
        if (entries_[i].from[k] != kNone) adjoint[entries_[i].from[k]] += adjoint[i] * entries_[i].slope[k];
      }
    }
    return adjoint;
  }

 private:
  static constexpr Id kNone = ~Id{0};
  struct Entry {
    double value;
    Id from[2] = {kNone, kNone};
    double slope[2] = {0, 0};
  };
  Id push(Entry entry) {
    entries_.push_back(entry);
    return entries_.size() - 1;
  }

  std::vector<Entry> entries_;
};

}  // namespace lanewise::testing
