#include "report/svg.h"

#include <algorithm>
#include <cmath>

#include "text.h"

namespace lanewise::tools {
namespace {

constexpr double kWidth = 480, kHeight = 320;
// Room for text that the style sheet draws half as large again on a phone.
constexpr double kLeft = 56, kRight = 14, kTop = 46, kBottom = 46;
constexpr double kLineHeight = 22, kHalfLetter = 5;

std::string number(double x) { return format("%.1f", x); }

std::string tip_of(std::string_view tip) {
  return tip.empty() ? "/>" : "><title>" + escaped(tip) + "</title>";
}

std::string series_class(int series, const char* what) { return format("%s t%d", what, series); }

std::string plain(double value) {
  return value >= 1e4 || value < 1e-3 ? format("%.0e", value) : format("%g", value);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '&': result += "&amp;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

Svg::Svg(double width, double height, std::string_view title) {
  text_ = "<svg viewBox=\"0 0 " + number(width) + " " + number(height) + "\" role=\"img\" aria-label=\"" +
          escaped(title) + "\" style=\"max-width:" + number(std::max(width, 480.0) * 1.35) + "px\">\n";
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css) {
  text_ += "<line class=\"" + std::string(css) + "\" x1=\"" + number(x1) + "\" y1=\"" + number(y1) +
           "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) + "\"/>\n";
}

void Svg::rect(double x, double y, double width, double height, std::string_view css, std::string_view tip) {
  text_ += "<rect class=\"" + std::string(css) + "\" x=\"" + number(x) + "\" y=\"" + number(y) +
           "\" width=\"" + number(width) + "\" height=\"" + number(height) + "\" rx=\"3\"" + tip_of(tip) +
           (tip.empty() ? "\n" : "</rect>\n");
}

void Svg::text(double x, double y, std::string_view text, std::string_view css, std::string_view anchor) {
  text_ += "<text class=\"" + std::string(css) + "\" x=\"" + number(x) + "\" y=\"" + number(y) +
           "\" text-anchor=\"" + std::string(anchor) + "\">" + escaped(text) + "</text>\n";
}

void Svg::path(const std::vector<std::pair<double, double>>& points, std::string_view css) {
  if (points.empty()) return;
  text_ += "<polyline class=\"" + std::string(css) + "\" points=\"";
  for (const auto& [x, y] : points) text_ += number(x) + "," + number(y) + " ";
  text_ += "\"/>\n";
}

void Svg::marker(double x, double y, int series, std::string_view css, std::string_view tip) {
  const std::string head = " class=\"" + std::string(css) + "\"";
  const auto polygon = [&](const char* points) {
    return "<path" + head + format(" transform=\"translate(%.1f %.1f)\" d=\"%s\"", x, y, points);
  };
  switch (series) {
    case 0: text_ += "<circle" + head + format(" cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\"", x, y); break;
    case 1: text_ += polygon("M-3.3-3.3h6.6v6.6h-6.6z"); break;
    case 2: text_ += polygon("M0-4.6L4.2 3.2H-4.2z"); break;
    default: text_ += polygon("M0-4.8L4.8 0L0 4.8L-4.8 0z"); break;
  }
  text_ += tip_of(tip) + (tip.empty() ? "\n" : series == 0 ? "</circle>\n" : "</path>\n");
}

double LogAxis::at(double value) const {
  const double share =
      (std::log(std::clamp(value, low, high)) - std::log(low)) / (std::log(high) - std::log(low));
  return from + share * (to - from);
}

std::vector<double> LogAxis::ticks() const {
  const double decades = std::log10(high / low);
  std::vector<double> result;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && decades > 2.5) break;
      if (power * factor >= low * 0.999 && power * factor <= high * 1.001) result.push_back(power * factor);
    }
  }
  // At most as many as can be read.
  while (result.size() > 8) {
    std::vector<double> fewer;
    for (std::size_t i = 0; i < result.size(); i += 2) fewer.push_back(result[i]);
    result = fewer;
  }
  return result;
}

LogPlot::LogPlot(std::string_view title, std::string_view x_label, std::string_view y_label, Range x, Range y,
                 std::string (*x_text)(double))
    : svg_(kWidth, kHeight, title),
      x_{x.low, x.high, kLeft, kWidth - kRight},
      y_{y.low, y.high, kHeight - kBottom, kTop},
      legend_at_(kLeft) {
  // A label is left out where it would touch the one before it or stick out, also in the large text of a phone.
  double free_y = kHeight - kBottom - 8;  // above the labels of the other axis
  for (const double tick : y_.ticks()) {
    const double y_at = y_.at(tick);
    svg_.line(kLeft, y_at, kWidth - kRight, y_at, "grid");
    if (y_at > free_y) continue;
    svg_.text(kLeft - 6, y_at + 4, plain(tick), "tick", "end");
    free_y = y_at - kLineHeight;
  }
  double free_x = 0;
  for (const double tick : x_.ticks()) {
    const std::string text = x_text == nullptr ? plain(tick) : x_text(tick);
    const double x_at = x_.at(tick), half = kHalfLetter * static_cast<double>(text.size());
    svg_.line(x_at, kTop, x_at, kHeight - kBottom, "grid");
    if (x_at - half < free_x || x_at + half > kWidth) continue;
    svg_.text(x_at, kHeight - kBottom + 17, text, "tick", "middle");
    free_x = x_at + half + kHalfLetter;
  }
  svg_.text((kLeft + kWidth - kRight) / 2, kHeight - 7, x_label, "label", "middle");
  svg_.text(6, 15, y_label, "label");
}

void LogPlot::curve(int series, const std::vector<std::pair<double, double>>& points,
                    const std::vector<std::string>& tips) {
  std::vector<std::pair<double, double>> drawn;
  for (const auto& [x, y] : points) drawn.emplace_back(x_.at(x), y_.at(y));
  svg_.path(drawn, series_class(series, "curve"));
  for (std::size_t i = 0; i < drawn.size(); ++i)
    svg_.marker(drawn[i].first, drawn[i].second, series, series_class(series, "mark"), tips[i]);
}

void LogPlot::limit(int series, const std::vector<std::pair<double, double>>& points) {
  std::vector<std::pair<double, double>> drawn;
  for (const auto& [x, y] : points) drawn.emplace_back(x_.at(x), y_.at(y));
  svg_.path(drawn, series_class(series, "limit"));
}

void LogPlot::point(int series, double x, double y, std::string_view tip) {
  svg_.marker(x_.at(x), y_.at(y), series, series_class(series, "mark"), tip);
}

void LogPlot::legend(int series, std::string_view text) {
  svg_.marker(legend_at_ + 4, 31, series, series_class(series, "mark"), "");
  svg_.text(legend_at_ + 13, 36, text, "tick");
  legend_at_ += 28 + 9 * static_cast<double>(text.size());
}

}  // namespace lanewise::tools
