#include "made_up_call.h"

#include <cstring>
#include <set>

#include "made_up_arguments.h"

namespace lanewise::testing {
namespace {

/// What is left out, and why.
bool left_out(const std::string& name) {
  static const std::set<std::string> names = {
      "empty_like",   "new_empty",   "new_empty_strided", "empty_strided",  // memory as it comes
      "is_same_size", "result_type", "set_data",
  };
  return names.contains(name) || name.starts_with("empty") || name.starts_with("_");
}

constexpr const char* kLayoutNames[kLayouts] = {"contiguous",     "one element further",
                                                "transposed",     "every second element",
                                                "rows with gaps", "first operand transposed"};

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

Value made_up(const SchemaArgument& argument, const Dims& sizes, ScalarType dtype, std::uint64_t seed) {
  const bool list = argument.parsed.list;
  switch (argument.parsed.base) {
    case SchemaType::Base::Tensor:
      if (list)
        return std::vector<Tensor>{made_up_numbers(sizes, dtype, seed),
                                   made_up_numbers(sizes, dtype, seed + 50)};
      if (argument.name == "index" || argument.name == "indices" || argument.name == "target") {
        return made_up_numbers(sizes, kLong, seed).fmod(sizes.front());
      }
      if (argument.name == "condition" || argument.name == "mask")
        return made_up_numbers(sizes, kDouble, seed) > 0.1;
      return made_up_numbers(sizes, dtype, seed);
    case SchemaType::Base::Scalar: return isIntegralType(dtype, true) ? Value(3) : Value(0.75);
    case SchemaType::Base::Float: return 0.75;
    case SchemaType::Base::Int: return list ? Value(Dims{0}) : Value(1);
    case SchemaType::Base::Bool: return false;
    case SchemaType::Base::ScalarType: return dtype;
    default: return {};
  }
}

}  // namespace

bool has_hash(const Schema& schema) {
  return !schema.is_inplace && !schema.is_out && !schema.is_view && !left_out(std::string(schema.name));
}

const char* layout_name(int layout) { return kLayoutNames[layout]; }

MadeUpCall::MadeUpCall(const Schema& schema, Dims sizes, ScalarType dtype)
    : name_(schema.full_name()), differentiable_(schema.differentiable) {
  if (Arguments own = own_arguments(name_, dtype); !own.args.empty()) {
    args_ = std::move(own.args);
    kwargs_ = std::move(own.kwargs);
    own_ = true;
    return;
  }
  std::uint64_t seed = 0;
  for (const SchemaArgument& argument : schema.arguments) {
    if (argument.has_default() || argument.kwarg_only) break;
    args_.push_back(made_up(argument, sizes, dtype, seed++));
    usable_ = usable_ && (!args_.back().is_none() || argument.parsed.optional);
    takes_tensor_ = takes_tensor_ || argument.parsed.base == SchemaType::Base::Tensor;
  }
  usable_ = usable_ && takes_tensor_;
}

Hash MadeUpCall::run(int layout, bool backward) const {
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
  const std::vector<Tensor> results = call(name_, args, kwargs_);
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
    seeds.push_back(made_up_numbers(t.sizes(), t.scalar_type(), 99));
  }
  if (roots.empty() || leaves.empty()) return 0;
  for (const Tensor& gradient : autograd::grad(roots, leaves, seeds, false, false, true)) {
    if (gradient.defined()) mix(hash, gradient);
  }
  return hash;
}

std::int64_t MadeUpCall::result_elements() const {
  std::int64_t n = 0;
  for (const Tensor& t : call(name_, args_, kwargs_)) n += t.defined() ? t.numel() : 0;
  return n;
}

}  // namespace lanewise::testing
