// The same bits: every op of the registry that can be called with made-up arguments, forward and backward,
// gives the same bits for every layout, alignment, number of threads and tier with fused multiply-add. The
// results of a plain call in one thread on the first tier are hashed, and those of every other way to run the
// same call are compared with them.

#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <lanewise/lanewise.h>

namespace lanewise {
namespace {

using Dims = std::vector<std::int64_t>;
using Hash = std::uint64_t;

/// What is left out, and why.
bool left_out(const std::string& name) {
  static const std::set<std::string> names = {
      "empty_like",   "new_empty",   "new_empty_strided", "empty_strided",  // memory as it comes
      "is_same_size", "result_type", "set_data",
  };
  return names.contains(name) || name.starts_with("empty") || name.starts_with("_");
}

// Arguments.

const char* const kLayoutNames[] = {"contiguous",     "one element further",
                                    "transposed",     "every second element",
                                    "rows with gaps", "first operand transposed"};

/// Numbers that repeat on no period of any tile: of either sign for floats, small for integers.
Tensor values(const Dims& sizes, ScalarType dtype, std::uint64_t seed) {
  const Tensor wide = empty(sizes, kDouble);
  std::uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1);
  for (std::int64_t e = 0; e < wide.numel(); ++e) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    wide.data_ptr<double>()[e] = static_cast<double>(state >> 40) / (1 << 24) * 1.8 - 0.85;
  }
  if (isIntegralType(dtype, true)) return (wide * 9).abs().add(1).to(dtype);
  if (dtype == kComplexFloat || dtype == kComplexDouble) {
    return view_as_complex(stack({wide, (wide * wide - 0.5) * 0.75}, -1)).to(dtype);
  }
  return wide.to(dtype);
}

/// The same elements in another layout.
Tensor laid_out(const Tensor& t, int layout, bool first) {
  const std::int64_t last = t.dim() - 1;
  if (layout == 0 || t.dim() == 0 || (layout == 5 && !first)) return t;
  Dims sizes = t.sizes().vec();
  Tensor room;
  switch (layout) {
    case 1: room = empty({t.numel() + 1}, t.scalar_type()).narrow(0, 1, t.numel()).view(sizes); break;
    case 2:
    case 5:
      if (t.dim() < 2) return t;
      std::swap(sizes[static_cast<std::size_t>(last)], sizes[0]);
      room = empty(sizes, t.scalar_type()).transpose(0, last);
      break;
    case 3:
      sizes.back() *= 2;
      room = empty(sizes, t.scalar_type()).slice(last, 0, sizes.back(), 2);
      break;
    default: sizes.back() += 5; room = empty(sizes, t.scalar_type()).slice(last, 3, sizes.back() - 2);
  }
  return room.copy_(t);
}

// Results.

/// Equal for equal bits; every NaN counts as one.
void mix(Hash& hash, const Tensor& result) {
  const Tensor t = result.detach().contiguous();
  const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3u + (hash >> 29); };
  add(static_cast<std::uint64_t>(t.scalar_type()));
  for (const std::int64_t size : t.sizes()) add(static_cast<std::uint64_t>(size));
  const Tensor real = t.is_complex() ? view_as_real(t) : t;
  const auto* bytes = static_cast<const unsigned char*>(real.data_ptr());
  const std::size_t size = real.itemsize();
  for (std::int64_t e = 0; e < real.numel(); ++e, bytes += size) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, size);
    switch (real.scalar_type()) {
      case kFloat: word = (word & 0x7fffffff) > 0x7f800000 ? 1 : word; break;
      case kDouble: word = (word & 0x7fffffffffffffff) > 0x7ff0000000000000 ? 1 : word; break;
      case kHalf: word = (word & 0x7fff) > 0x7c00 ? 1 : word; break;
      case kBFloat16: word = (word & 0x7fff) > 0x7f80 ? 1 : word; break;
      default: break;
    }
    add(word);
  }
}

/// A call of an op with made-up arguments.
class Call {
 public:
  Call(const Schema& schema, Dims sizes, ScalarType dtype)
      : name_(schema.full_name()), differentiable_(schema.differentiable) {
    std::uint64_t seed = 0;
    for (const SchemaArgument& argument : schema.arguments) {
      if (argument.has_default() || argument.kwarg_only) break;
      args_.push_back(made_up(argument, sizes, dtype, seed++));
      usable_ = usable_ && (!args_.back().is_none() || argument.parsed.optional);
      takes_tensor_ = takes_tensor_ || argument.parsed.base == SchemaType::Base::Tensor;
    }
    usable_ = usable_ && takes_tensor_;
  }
  bool usable() const { return usable_; }

  /// Hash of the results; with `backward` of the gradients, 0 if there are none.
  Hash run(int layout, bool backward) const {
    std::vector<Tensor> leaves;
    std::vector<Value> args;
    bool first = true;
    const auto operand = [&](const Tensor& t) {
      Tensor laid = laid_out(t, layout, first);
      first = false;
      if (backward && (isFloatingType(t.scalar_type()) || t.is_complex())) {
        laid = laid.detach().requires_grad_();
        leaves.push_back(laid);
      }
      return laid;
    };
    for (const Value& value : args_) {
      if (const auto* one = value.get_if<Tensor>()) {
        args.emplace_back(operand(*one));
      } else if (const auto* list = value.get_if<std::vector<Tensor>>()) {
        std::vector<Tensor> laid;
        for (const Tensor& t : *list) laid.push_back(operand(t));
        args.emplace_back(laid);
      } else {
        args.push_back(value);
      }
    }
    manual_seed(7);
    const std::vector<Tensor> results = call(name_, args);
    Hash hash = 14695981039346656037u;
    if (!backward) {
      for (const Tensor& t : results) {
        if (t.defined()) mix(hash, t);
      }
      return hash;
    }
    std::vector<Tensor> roots, seeds;
    for (const Tensor& t : results) {
      if (!t.defined() || !t.requires_grad()) continue;
      roots.push_back(t);
      seeds.push_back(values(t.sizes().vec(), t.scalar_type(), 99));
    }
    if (roots.empty() || leaves.empty()) return 0;
    for (const Tensor& gradient : autograd::grad(roots, leaves, seeds, false, false, true)) {
      if (gradient.defined()) mix(hash, gradient);
    }
    return hash;
  }
  bool differentiable() const { return differentiable_; }

  /// Elements of the results. Throws what the op throws.
  std::int64_t result_elements() const {
    std::int64_t n = 0;
    for (const Tensor& t : call(name_, args_)) n += t.defined() ? t.numel() : 0;
    return n;
  }

 private:
  static Value made_up(const SchemaArgument& argument, const Dims& sizes, ScalarType dtype,
                       std::uint64_t seed) {
    const bool list = argument.parsed.list;
    switch (argument.parsed.base) {
      case SchemaType::Base::Tensor:
        if (list) return std::vector<Tensor>{values(sizes, dtype, seed), values(sizes, dtype, seed + 50)};
        if (argument.name == "index" || argument.name == "indices" || argument.name == "target") {
          return values(sizes, kLong, seed).fmod(sizes.front());
        }
        if (argument.name == "condition" || argument.name == "mask")
          return values(sizes, kDouble, seed) > 0.1;
        return values(sizes, dtype, seed);
      case SchemaType::Base::Scalar: return isIntegralType(dtype, true) ? Value(3) : Value(0.75);
      case SchemaType::Base::Float: return 0.75;
      case SchemaType::Base::Int: return list ? Value(Dims{0}) : Value(1);
      case SchemaType::Base::Bool: return false;
      case SchemaType::Base::ScalarType: return dtype;
      default: return {};
    }
  }

  std::string name_;
  bool differentiable_;
  bool usable_ = true, takes_tensor_ = false;
  std::vector<Value> args_;
};

class ThreadCount {
 public:
  explicit ThreadCount(int threads) : previous_(get_num_threads()) { set_num_threads(threads); }
  ~ThreadCount() { set_num_threads(previous_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int previous_;
};

/// The tiers whose floating-point results are the same: sse4_2 has no fused multiply-add.
std::vector<Isa> tiers() {
  std::vector<Isa> list;
  for (const Isa isa : available_isas()) {
    if (isa != Isa::sse4_2) list.push_back(isa);
  }
  if (list.empty()) list.push_back(active_isa());
  return list;
}

struct Count {
  std::int64_t forward = 0, backward = 0, mismatches = 0;
  std::set<std::string> ops, refused;
};

/// Runs one call in every way and compares.
void check(const Schema& schema, const Dims& sizes, ScalarType dtype, const std::vector<int>& layouts,
           const std::vector<int>& threads, Count& count, bool& accepted) {
  const Call plain(schema, sizes, dtype);
  if (!plain.usable()) return;
  const std::vector<Isa> isas = tiers();
  Hash wanted[2] = {};
  for (const bool backward : {false, true}) {
    if (backward && (!plain.differentiable() || !accepted)) continue;
    try {
      const ThreadCount one(1);
      const IsaGuard tier(isas.front());
      wanted[backward] = plain.run(0, backward);
      accepted = true;
    } catch (const Error&) {
      if (backward) wanted[1] = 0;
      continue;  // not for this dtype or shape
    }
  }
  if (!accepted) return;
  count.ops.insert(schema.full_name());
  for (const Isa isa : isas) {
    const IsaGuard tier(isa);
    for (const int n : threads) {
      const ThreadCount some(n);
      for (const int layout : layouts) {
        for (const bool backward : {false, true}) {
          if (backward && wanted[1] == 0) continue;
          ++(backward ? count.backward : count.forward);
          const Hash found = plain.run(layout, backward);
          if (found != wanted[backward] && ++count.mismatches <= 40) {
            ADD_FAILURE() << schema.full_name() << (backward ? " backward" : "") << " of " << dtype << ", "
                          << kLayoutNames[layout] << ", " << n << " threads, " << name(isa)
                          << ": other bits than contiguous in one thread on " << name(isas.front());
          }
        }
      }
    }
  }
}

bool in_matrix(const Schema& schema) {
  return !schema.is_inplace && !schema.is_out && !schema.is_view && !left_out(std::string(schema.name));
}

// ThreadSanitizer looks for races, not for bits, and makes a case some fifty times slower: a few ways to run
// each op will do.
#ifdef LANEWISE_THREAD_SANITIZER
constexpr bool kFewWays = true;
#else
constexpr bool kFewWays = false;
#endif

/// The first `n` of a list if there are to be few ways, else all.
template <class T>
std::vector<T> few(std::vector<T> all, std::size_t n = 1) {
  if (kFewWays && all.size() > n) all.resize(n);
  return all;
}

TEST(HashMatrix, SmallOperands) {
  Count count;
  std::int64_t candidates = 0;
  for (const Schema& schema : registry()) {
    if (!in_matrix(schema)) continue;
    ++candidates;
    for (const ScalarType dtype : few<ScalarType>({kFloat, kDouble, kBFloat16, kInt, kComplexFloat})) {
      bool accepted = false;
      // The first shape that the op takes.
      for (const Dims& sizes : {Dims{19, 37}, Dims{21, 21}, Dims{3, 9, 9}, Dims{43}}) {
        if (!accepted) {
          check(schema, sizes, dtype, few<int>({0, 1, 2, 3, 4, 5}, 2), few<int>({3, 1, 2, 7}), count,
                accepted);
        }
      }
    }
    if (!count.ops.contains(schema.full_name())) count.refused.insert(schema.full_name());
  }
  std::string refused;
  for (const std::string& op : count.refused) refused += op + " ";
  std::cout << count.ops.size() << " of " << candidates << " ops, " << count.forward << " forward and "
            << count.backward << " backward cases; not called: " << refused << "\n";
  EXPECT_EQ(count.mismatches, 0);
  EXPECT_GE(count.forward + count.backward, kFewWays ? 500 : 10'000);
  EXPECT_GE(static_cast<double>(count.ops.size()), (kFewWays ? 0.4 : 0.6) * static_cast<double>(candidates));
}

/// Whether an op makes far more elements than it is given, as outer and kron do, or does so on the way.
bool grows(const Schema& schema) {
  const std::string_view op = schema.name;
  if (op.ends_with("cdist") || op.find("cdist_") != op.npos || op.find("pdist") != op.npos ||
      op.starts_with("multilabel_margin_loss")) {
    return true;
  }
  for (const Dims& sizes : {Dims{19, 37}, Dims{21, 21}, Dims{3, 9, 9}}) {
    const Call small(schema, sizes, kFloat);
    if (!small.usable()) return false;
    try {
      if (small.result_elements() > 8 * sizes[0] * sizes[1] * (sizes.size() > 2 ? sizes[2] : 1)) return true;
    } catch (const Error&) {
      // not for this shape
    }
  }
  return false;
}

TEST(HashMatrix, OperandsThatThreadsShare) {
  Count count;
  for (const Schema& schema : registry()) {
    if (!in_matrix(schema) || grows(schema)) continue;
    bool accepted = false;
    for (const Dims& sizes : {Dims{293, 1021}, Dims{223, 223}, Dims{5, 131, 131}}) {
      if (!accepted) check(schema, sizes, kFloat, few<int>({2, 0, 4}), few<int>({3, 2, 7}), count, accepted);
    }
  }
  std::cout << count.ops.size() << " ops, " << count.forward << " forward and " << count.backward
            << " backward cases\n";
  EXPECT_EQ(count.mismatches, 0);
  EXPECT_GE(count.forward + count.backward, kFewWays ? 100 : 1000);
}

}  // namespace
}  // namespace lanewise
