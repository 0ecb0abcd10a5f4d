#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>

#include <lanewise/autograd/detail/cost_model.h>
#include <lanewise/autograd/explain.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/iterator/detail/walk_record.h>
#include <lanewise/profiler/profile.h>
#include <lanewise/tensor/detail/category.h>
#include <lanewise/tensor/promotion.h>

namespace lanewise {
namespace {

using detail::WalkRecord;
using profiler::Event;
using profiler::TensorRecord;

[[gnu::format(printf, 1, 2)]] std::string format(const char* text, ...) {
  char buffer[160];
  std::va_list list;
  va_start(list, text);
  std::vsnprintf(buffer, sizeof(buffer), text, list);
  va_end(list);
  return buffer;
}

std::string time_text(double ns) {
  return ns < 1e3   ? format("%.0f ns", ns)
         : ns < 1e6 ? format("%.2f us", ns / 1e3)
                    : format("%.2f ms", ns / 1e6);
}

template <class List>
std::string joined(const List& list, const char* between) {
  std::string text;
  for (const std::int64_t n : list) text += (text.empty() ? "" : between) + std::to_string(n);
  return text;
}

std::vector<TensorRecord> tensors_of(const Event& op, bool results) {
  std::vector<TensorRecord> list;
  for (const TensorRecord& t : op.tensors) {
    if (t.is_result == results && t.dtype != ScalarType::Undefined) list.push_back(t);
  }
  return list;
}

std::string shape_text(const TensorRecord& t) {
  return std::string(short_name(t.dtype)) + "[" + joined(t.sizes, ",") + "]";
}

/// What promotion did with operands of several dtypes.
std::string promotion(const std::vector<TensorRecord>& operands, ScalarType promoted) {
  std::string names;
  bool widened_by_0_dim = true, one_category = true;
  for (const TensorRecord& t : operands) {
    names +=
        (names.empty() ? "" : ", ") + std::string(short_name(t.dtype)) + (t.sizes.empty() ? " (0-dim)" : "");
    one_category &= detail::category(t.dtype) == detail::category(promoted);
    if (!t.sizes.empty() && t.dtype != promoted) widened_by_0_dim = false;
  }
  const char* const rule = !one_category ? "the highest of bool, integral, floating, complex decides"
                           : widened_by_0_dim
                               ? "a 0-dim tensor does not widen tensors of its category that have dimensions"
                               : "the type that holds both of one category";
  return names + " promote to " + short_name(promoted) + ": " + rule;
}

std::string dtype_reason(const Event& op, const std::vector<const WalkRecord*>& walks) {
  const std::vector<TensorRecord> operands = tensors_of(op, false), results = tensors_of(op, true);
  if (results.empty()) return "no tensor";
  const ScalarType result = results[0].dtype;
  std::string text = std::string(short_name(result)) + ": ";
  if (operands.empty()) return text + "no tensor operand, so as asked for or the default";
  ResultType type;
  bool all_one = true;
  for (const TensorRecord& t : operands) {
    type.add_tensor(t.dtype, static_cast<std::int64_t>(t.sizes.size()));
    all_one &= t.dtype == operands[0].dtype;
  }
  const ScalarType promoted = type.get();
  text += all_one ? std::string("operands are ") + short_name(promoted) : promotion(operands, promoted);
  if (result != promoted) {
    text += result == ScalarType::Bool ? "; the op answers in bool"
            : is_integral(promoted, true) && is_floating_point(result)
                ? "; integers compute in the default floating type, or a number made it floating"
                : "; the op gives another type";
  }
  if (!walks.empty() && !walks[0]->operands.empty()) {
    const ScalarType tile = walks[0]->operands.back().tile;
    if (is_floating_point(promoted) && tile != promoted && tile == ScalarType::Float)
      text += "; computed in f32 and rounded once";
  }
  return text;
}

std::string layout_reason(const Event& op) {
  const std::vector<TensorRecord> operands = tensors_of(op, false), results = tensors_of(op, true);
  if (results.empty()) return "-";
  const TensorRecord& result = results[0];
  std::string text = result.is_contiguous() ? "contiguous" : "strides (" + joined(result.strides, ",") + ")";
  if (op.path == "-" && op.bytes == 0) return text + ": a view, no element moves";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].sizes != result.sizes) continue;
    if (operands[i].strides == result.strides)
      return text + ", as operand " + std::to_string(i) + ", the first of full size";
    return text + "; operand " + std::to_string(i) + ", the first of full size, has strides (" +
           joined(operands[i].strides, ",") + ")";
  }
  return text;
}

std::string loop_text(const Event& op, const WalkRecord& walk) {
  std::size_t dims = 0;
  for (const TensorRecord& t : op.tensors) dims = std::max(dims, t.sizes.size());
  std::string text = walk.shape.empty() ? "one element" : joined(walk.shape, " x ");
  if (walk.shape.size() > 1) text += " (fastest first)";
  if (walk.shape.size() < dims) text += format(", coalesced from %zu dimensions", dims);
  text += "; bytes per step:";
  for (std::size_t k = 0; k < walk.operands.size(); ++k) {
    const WalkRecord::Operand& o = walk.operands[k];
    text += (k == 0 ? " " : ", ") + std::string(k < static_cast<std::size_t>(walk.outputs) ? "out " : "") +
            short_name(o.memory) + (o.tile != o.memory ? std::string(" as ") + short_name(o.tile) : "") +
            " (" + joined(o.strides, ",") + ")";
  }
  return text;
}

const char* path_reason(std::string_view path) {
  static const std::map<std::string_view, const char*> reasons = {
      {"contiguous", "the kernel runs on the tensors' own memory, nothing is copied"},
      {"small", "few elements: one tile for each operand"},
      {"staged", "runs pass through small tiles: another dtype, or operands that repeat"},
      {"rows", "strided operands are gathered row by row, contiguous rows are used as they lie"},
      {"blocked",
       "operands disagree about the fastest dimension: two-dimensional blocks use whole cache lines"},
      {"reduction", "a tree of fixed shape, the same for any tier and number of threads"},
      {"product", "packed blocks, summed in a fixed order"},
      {"own", "a loop of the op's own, or ops that it calls"},
      {"-", "nothing was looped over"}};
  const auto at = reasons.find(path);
  return at == reasons.end() ? "" : at->second;
}

std::string thread_reason(const Event& op, const std::vector<const WalkRecord*>& walks) {
  std::string text = format("%d of %d", op.threads, get_num_threads());
  if (walks.empty()) return text;
  const WalkRecord& walk = *walks[0];
  std::int64_t elements = 1;
  for (const std::int64_t size : walk.shape) elements *= size;
  if (walk.grain == INT64_MAX)
    return text + format(": %lld elements, all in the calling thread", static_cast<long long>(elements));
  return text + format(": %lld elements of cost %.2f (f32 additions), a thread gets %lld or more",
                       static_cast<long long>(elements), walk.cost, static_cast<long long>(walk.grain));
}

std::string op_text(const Event& op, const std::vector<const WalkRecord*>& walks, detail::CostModel& model) {
  std::string text(static_cast<std::size_t>(2 * op.depth), ' ');
  const std::string indent = text + "  ";
  text += op.name + " " + describe_arguments(op);
  for (const TensorRecord& t : tensors_of(op, true)) text += " -> " + shape_text(t);
  const auto line = [&](const char* what, const std::string& value) {
    text += "\n" + indent + format("%-8s", what) + value;
  };
  line("dtype", dtype_reason(op, walks));
  line("layout", layout_reason(op));
  for (const WalkRecord* walk : walks) line("loop", loop_text(op, *walk));
  line("path",
       std::string(op.path) + ": " + path_reason(op.path) +
           (walks.empty() ? ""
                          : format("; %lld elements at a time", static_cast<long long>(walks[0]->piece))));
  if (op.path != "-") {
    line("tier", name(walks.empty() ? op.isa : walks[0]->isa));
    line("threads", thread_reason(op, walks));
  }
  const double predicted = model.predict(op, walks);
  line("time", (predicted > 0 ? "predicted " + time_text(predicted) + ", " : std::string()) + "measured " +
                   time_text(static_cast<double>(op.self)));
  return text + "\n";
}

struct LogScope {
  explicit LogScope(detail::WalkLog& log) { detail::walk_log = &log; }
  ~LogScope() { detail::walk_log = nullptr; }
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;
};

}  // namespace

std::string explain(const std::function<void()>& f) {
  detail::CostModel model;
  detail::WalkLog log;
  profiler::Profile profile;
  {
    const LogScope scope(log);
    f();
  }
  profile.stop();
  // Each walk belongs to the innermost op around it.
  std::map<const Event*, std::vector<const WalkRecord*>> walks;
  for (const WalkRecord& walk : log.records) {
    const Event* inner = nullptr;
    for (const Event& e : profile.events()) {
      const bool around = e.kind == profiler::Kind::Op && e.begin <= walk.time && walk.time <= e.end;
      if (around && (inner == nullptr || e.depth > inner->depth)) inner = &e;
    }
    if (inner != nullptr) walks[inner].push_back(&walk);
  }
  std::string text;
  for (const Event& e : profile.events()) {
    if (e.kind == profiler::Kind::Op) text += op_text(e, walks[&e], model);
  }
  return text.empty() ? "no op ran\n" : text;
}

}  // namespace lanewise
