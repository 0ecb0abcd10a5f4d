#include <algorithm>
#include <utility>

#include <lanewise/dispatch_isa/detail/observe.h>
#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/iterator/detail/chosen_run.h>
#include <lanewise/iterator/detail/dense.h>
#include <lanewise/iterator/detail/direct_call.h>
#include <lanewise/iterator/detail/halves.h>
#include <lanewise/iterator/detail/sawtooth.h>
#include <lanewise/iterator/detail/stream.h>
#include <lanewise/iterator/detail/tile_plan.h>
#include <lanewise/iterator/detail/walk_record.h>

namespace lanewise::detail {

namespace {

using kernels::ElementwiseKernel;
using kernels::KernelScalar;
using kernels::kMaxOperands;

bool is_single(const DirectCall& call, std::size_t k) { return (call.broadcast >> k & 1) != 0; }

/// Of an operand that is one run.
ScalarType memory_type(const DirectCall& call, const ElementwiseKernel& kernel, std::size_t k) {
  if (k < kernel.num_outputs) return role_type(kernel.roles[k], call.result);
  return kernel.roles[k] == kernels::Role::Bool ? kBool : call.dtype;
}

/// A call as its threads see it: runs of the operands by pointer, or in short pieces through tiles where some are converted.
class DirectRuns {
 public:
  DirectRuns(const DirectCall& call, const ElementwiseKernel& kernel, const KernelScalar* params,
             const ChosenRun& chosen)
      : outputs_(kernel.num_outputs),
        operands_(outputs_ + kernel.num_inputs),
        fn_(chosen.fn),
        params_(params),
        broadcast_(call.broadcast) {
    const std::int64_t n = call.like->numel();
    for (std::size_t k = 0; k < operands_; ++k) add(call, kernel, k);
    cost_ = element_cost(kernel.cost, staged_, bytes_);
    lay_out(chosen.block > 0 ? chosen.block : kMaxRun);
    streams_ =
        outputs_ == 1 && lanes_[0].convert == nullptr && passes_caches(n * lanes_[0].memory_size, n * bytes_);
    for (std::size_t k = 1; k < operands_; ++k) streams_ = streams_ && lanes_[k].data != lanes_[0].data;
    if (streams_) broadcast_ |= kernels::kStreamOutput;
  }

  bool converts() const { return tile_bytes_ > 0; }
  bool streams() const { return streams_; }
  double cost() const { return cost_; }          ///< of an element
  std::int64_t bytes() const { return bytes_; }  ///< of an element of all operands
  std::int64_t piece() const { return piece_; }  ///< elements converted at a time

  /// Elements [first, first + n).
  void run(std::int64_t first, std::int64_t n) const {
    if (converts()) return run_converted(first, n);
    std::array<char*, kMaxOperands> at;
    for (std::size_t k = 0; k < operands_; ++k) at[k] = lanes_[k].data + first * lanes_[k].memory_size;
    fn_(at.data(), broadcast_, n, params_);
  }

 private:
  /// How one operand gets from memory to the kernel and back.
  struct Lane {
    char* data = nullptr;
    std::int64_t memory_size = 0;  // 0: one element for all
    std::int64_t tile_size = 0;
    kernels::ConvertFn convert = nullptr;  // to the tile for inputs, from it for outputs; null: by pointer
    std::int64_t offset = 0;
  };

  void add(const DirectCall& call, const ElementwiseKernel& kernel, std::size_t k) {
    Lane& lane = lanes_[k];
    lane.data = call.data[k];
    if (is_single(call, k)) return;
    const ScalarType memory = memory_type(call, kernel, k), tile = role_type(kernel.roles[k], call.compute);
    lane.memory_size = static_cast<std::int64_t>(element_size(memory));
    bytes_ += lane.memory_size;
    if (memory == tile) return;
    const auto from = static_cast<std::size_t>(k < outputs_ ? tile : memory);
    const auto to = static_cast<std::size_t>(k < outputs_ ? memory : tile);
    lane.convert = kernels::active_kernels().movers->convert[from][to];
    lane.tile_size = static_cast<std::int64_t>(element_size(tile));
    tile_bytes_ += lane.tile_size;
    ++staged_;
  }

  void lay_out(std::int64_t most) {
    if (!converts()) return;
    // Tiles of all operands together stay within half of a usual first-level cache.
    piece_ = std::clamp<std::int64_t>(kArenaBytes / 2 / tile_bytes_ / 64 * 64, 64, most);
    std::int64_t at = 0;
    for (Lane& lane : lanes_) {
      lane.offset = at;
      at += piece_ * lane.tile_size;
    }
  }

  void run_converted(std::int64_t first, std::int64_t n) const {
    alignas(64) char arena[kArenaBytes];
    std::array<char*, kMaxOperands> at;
    for (std::int64_t done = 0; done < n; done += piece_) {
      const std::int64_t count = std::min(piece_, n - done);
      for (std::size_t k = 0; k < operands_; ++k) {
        const Lane& lane = lanes_[k];
        at[k] = lane.data + (first + done) * lane.memory_size;
        if (lane.convert != nullptr) {
          char* tile = arena + lane.offset;
          if (k >= outputs_) lane.convert(at[k], tile, count);
          at[k] = tile;
        }
      }
      fn_(at.data(), broadcast_, count, params_);
      for (std::size_t k = 0; k < outputs_; ++k) {
        const Lane& lane = lanes_[k];
        if (lane.convert != nullptr)
          lane.convert(at[k], lane.data + (first + done) * lane.memory_size, count);
      }
    }
  }

  std::size_t outputs_, operands_;
  kernels::ElementwiseFn fn_;
  const KernelScalar* params_;
  std::uint32_t broadcast_;
  std::array<Lane, kMaxOperands> lanes_;
  std::int64_t bytes_ = 0, tile_bytes_ = 0;
  int staged_ = 0;
  double cost_ = 0;
  std::int64_t piece_ = kChunk;
  bool streams_ = false;
};

/// Of a call without an iterator: every operand is one run, or a single element.
[[gnu::cold]] void record_direct(const DirectCall& call, const ElementwiseKernel& kernel,
                                 const DirectRuns& runs, std::int64_t grain) {
  WalkRecord record;
  record.shape.push_back(call.like->numel());
  record.outputs = kernel.num_outputs;
  for (std::size_t k = 0; k < std::size_t{kernel.num_outputs} + kernel.num_inputs; ++k) {
    const bool single = is_single(call, k);
    const ScalarType tile = role_type(kernel.roles[k], call.compute);
    const ScalarType memory = single ? tile : memory_type(call, kernel, k);
    DimVector strides;
    strides.push_back(single ? 0 : static_cast<std::int64_t>(element_size(memory)));
    record.operands.push_back({memory, tile, std::move(strides)});
  }
  record.cost = runs.cost();
  record.piece = runs.piece();
  record.grain = grain;
  record_walk(std::move(record));
}

}  // namespace

bool DirectCall::set_up_any(bool promote_integers_to_float, const kernels::ElementwiseKernel& kernel,
                            std::initializer_list<PointwiseInput> inputs) {
  using kernels::Role;
  const std::size_t outputs = kernel.num_outputs;
  // The tensor that decides: the first with dimensions, or the first that is no wrapped number, or the first.
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const PointwiseInput& input = inputs.begin()[i];
    if (input.is_scalar() || kernel.roles[outputs + i] != Role::Compute) {
      continue;
    }
    const TensorImpl* t = input.tensor().unsafeGetTensorImpl();
    if (t == nullptr) {
      return false;
    }
    if (like == nullptr ||
        (like->dim() == 0 && (t->dim() != 0 || (like->is_wrapped_number() && !t->is_wrapped_number())))) {
      like = t;
    }
  }
  if (like == nullptr || like->is_wrapped_number() || !has_dense_layout(*like)) {
    return false;
  }
  dtype = result = like->dtype();
  if (promote_integers_to_float && category(dtype) < Category::Floating) {
    result = get_default_dtype();
  }
  compute = kernels::compute_type(result);
  fn = kernel.fn[static_cast<std::size_t>(compute)];
  // Integers that become halves by default are rounded to them.
  if (fn == nullptr || (dtype != result && rounds_to_half(*like, result))) {
    return false;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const PointwiseInput& input = inputs.begin()[i];
    const std::size_t k = outputs + i;
    if (input.is_scalar()) {
      const Scalar& number = input.scalar();
      if (kernel.roles[k] != Role::Compute || category(number.type()) > category(dtype)) {
        return false;
      }
      write_number(number, result, compute, elements[k]);
      data[k] = elements[k];
      broadcast |= 1u << k;
      continue;
    }
    const TensorImpl* t = input.tensor().unsafeGetTensorImpl();
    if (t == nullptr) {
      return false;
    }
    data[k] = static_cast<char*>(t->data());
    const bool is_bool = kernel.roles[k] == Role::Bool;
    if (!is_bool && kernel.roles[k] != Role::Compute) {
      return false;
    }
    if (t == like && !is_bool) {
      continue;
    }
    const ScalarType wanted = is_bool ? ScalarType::Bool : dtype;
    if (t->dtype() == wanted && same_layout(*t)) {
      continue;
    }
    if (is_bool || t->dim() != 0 || (like->dim() == 0 && !t->is_wrapped_number()) ||
        category(t->dtype()) > category(dtype)) {
      return false;
    }
    const auto convert = [&](ScalarType from, ScalarType to) {
      const kernels::Movers& movers = *kernels::active_kernels().movers;
      movers.convert[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)](data[k], elements[k], 1);
      data[k] = elements[k];
    };
    ScalarType from = t->dtype();
    if (rounds_to_half(*t, result)) convert(std::exchange(from, result), result);
    if (from != compute) convert(from, compute);
    broadcast |= 1u << k;
  }
  return broadcast == 0 || order_is_plain();
}

void DirectCall::run_parallel(const ElementwiseKernel& kernel, const KernelScalar* params) const {
  const std::int64_t n = like->numel();
  const ChosenRun chosen = choose_run(kernel, result, n, compute != kernels::compute_type(result));
  const DirectRuns runs(*this, kernel, params, chosen);
  if (runs.converts()) note_path(Path::Staged);
  if (n <= kAlwaysHere) {
    if (records_walks()) [[unlikely]]
      record_direct(*this, kernel, runs, INT64_MAX);
    runs.run(0, n);
    return;
  }
  const std::int64_t grain =
      chosen.grain > 0
          ? std::max<std::int64_t>(1, chosen.grain / kChunk)
          : std::max<std::int64_t>(4, static_cast<std::int64_t>(kGrainCost / runs.cost() / kChunk));
  if (records_walks()) [[unlikely]]
    record_direct(*this, kernel, runs, grain * kChunk);
  parallel_walk(divup(n, kChunk), kChunk * runs.bytes(), grain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * kChunk;
    runs.run(first, std::min(end * kChunk, n) - first);
    if (runs.streams()) stream_fence();
  });
}

}  // namespace lanewise::detail
