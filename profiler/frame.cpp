#include <algorithm>
#include <utility>

#include <lanewise/profiler/detail/frame.h>
#include <lanewise/profiler/detail/probes.h>
#include <lanewise/profiler/detail/recorder.h>
#include <lanewise/tensor/tensor_impl.h>

namespace lanewise::profiler::detail {

bool enters_slow() noexcept {
  ThreadLog& log = this_log();
  return !std::exchange(log.skip, false);
}

Frame::Frame(const OpInfo& op, std::uint64_t sequence) : Frame(Kind::Op, op.name, sequence) {
  work_ = op.work;
  notes_.path = work_ == Work::Pointwise ? Path::Contiguous : work_ == Work::View ? Path::None : Path::Own;
}

Frame::Frame(Kind kind, std::string_view name, std::uint64_t sequence)
    : log_(this_log()),
      name_(name),
      kind_(kind),
      work_(Work::Other),
      sequence_(sequence),
      sequence_end_(sequence) {
  const Recorder& recorder = Recorder::instance();
  id_ = ++log_.last_id;
  generation_ = recorder.generation();
  outer_ = log_.innermost;
  depth_ = outer_ == nullptr ? 0 : outer_->depth_ + 1;
  words_ = log_.scratch.size();
}

void Frame::start(bool skip) {
  log_.innermost = this;
  notes_.op = name_;
  outer_notes_ = lanewise::detail::op_notes;
  if (kind_ != Kind::Loop) lanewise::detail::op_notes = &notes_;  // a loop is a part of its op
  Recorder& recorder = Recorder::instance();
  if (depth_ == 0 && kind_ != Kind::Loop && recorder.is_running() && recorder.counts()) {
    const auto counts = recorder.read_counters();
    std::copy_n(counts.begin(), std::min(counts.size(), counters_.size()), counters_.begin());
  }
  log_.skip = skip;
  probe_begin(kind_, name_);
  begin_ = now();
}

namespace {

// Where elements repeat, those of a dimension with stride 0 count once.
std::int64_t touched_bytes(const TensorImpl& t) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < t.sizes().size(); ++d) {
    if (t.strides()[d] != 0 || t.sizes()[d] == 0) count *= t.sizes()[d];
  }
  return count * static_cast<std::int64_t>(t.itemsize());
}

}  // namespace

void Frame::tensor(const Tensor& t, bool is_result) {
  std::vector<std::int64_t>& words = log_.scratch;
  if (!t.defined()) {
    words.insert(words.end(), {static_cast<std::int64_t>(ScalarType::Undefined), is_result, 0});
    return;
  }
  const TensorImpl& impl = *t.unsafeGetTensorImpl();
  if (work_ != Work::View) bytes_ += touched_bytes(impl);
  words.insert(words.end(), {static_cast<std::int64_t>(impl.dtype()), is_result, impl.dim()});
  words.insert(words.end(), impl.sizes().begin(), impl.sizes().end());
  words.insert(words.end(), impl.strides().begin(), impl.strides().end());
}

Frame::~Frame() {
  const std::int64_t end = now();
  probe_end(kind_, name_, end - begin_, bytes_);
  lanewise::detail::op_notes = outer_notes_;
  log_.innermost = outer_;
  log_.skip = false;
  if (outer_ != nullptr && kind_ != Kind::Loop) outer_->inside_ += end - begin_;
  const std::uint32_t observed = lanewise::detail::observed.load(std::memory_order_relaxed);
  try {
    if ((observed & kRecords) != 0) Recorder::instance().add(log_, *this, end);
    if ((observed & kPrints) != 0 && kind_ != Kind::Loop) print_verbose(*this, end);
    if (depth_ == 0) dump_if_asked();
  } catch (...) {  // out of memory: the event is lost, the op's result is not
  }
  log_.scratch.resize(words_);
}

}  // namespace lanewise::profiler::detail
