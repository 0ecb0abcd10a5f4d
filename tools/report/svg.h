#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanewise::tools {

/// Text as it stands in HTML and SVG.
std::string escaped(std::string_view text);

/// A drawing. Colours come from the page's style sheet by class, so that it follows light and dark.
class Svg {
 public:
  Svg(double width, double height, std::string_view title);
  void line(double x1, double y1, double x2, double y2, std::string_view css);
  /// `tip` is shown where a pointer rests.
  void rect(double x, double y, double width, double height, std::string_view css, std::string_view tip = "");
  void text(double x, double y, std::string_view text, std::string_view css = "",
            std::string_view anchor = "start");
  void path(const std::vector<std::pair<double, double>>& points, std::string_view css);
  /// A circle, square, triangle or diamond: series differ also without colour.
  void marker(double x, double y, int series, std::string_view css, std::string_view tip);
  std::string str() const { return text_ + "</svg>\n"; }

 private:
  std::string text_;
};

/// A logarithmic axis.
struct LogAxis {
  double low, high;  ///< of the values
  double from, to;   ///< of the drawing
  double at(double value) const;
  /// Powers of ten, with 2 and 5 where there are few.
  std::vector<double> ticks() const;
};

/// A plot with two logarithmic axes: grid, labels and legend; what is drawn into it belongs to a series 0 to
/// 3 or to the limits.
class LogPlot {
 public:
  struct Range {
    double low, high;
  };
  LogPlot(std::string_view title, std::string_view x_label, std::string_view y_label, Range x, Range y,
          std::string (*x_text)(double));
  void curve(int series, const std::vector<std::pair<double, double>>& points,
             const std::vector<std::string>& tips);
  void limit(int series, const std::vector<std::pair<double, double>>& points);
  void point(int series, double x, double y, std::string_view tip);
  void legend(int series, std::string_view text);
  std::string str() const { return svg_.str(); }

 private:
  Svg svg_;
  LogAxis x_, y_;
  double legend_at_;
};

}  // namespace lanewise::tools
