#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace lanewise::tools {

/// A table that becomes HTML or Markdown. Columns marked with a trailing '>' in the head are numbers and
/// stand right.
struct Table {
  std::vector<std::string> head;
  struct Cell {
    std::string text;
    double heat = 0;  ///< -1 (bad) to 1 (good): background in HTML
    double bar = 0;   ///< 0 to 1: a bar behind the text
  };
  std::vector<std::vector<Cell>> rows = {};

  std::string html() const;
  std::string markdown() const;
};

/// A part of a report, in all its forms.
struct Section {
  std::string title;
  std::string html = {};
  std::string markdown = {};
  nlohmann::json data = nullptr;  ///< the numbers behind it, for --json

  void paragraph(const std::string& text);
  void table(const Table& table);
  /// Only in HTML.
  void drawing(const std::string& svg, const std::string& caption);
};

struct Document {
  std::string title, subtitle;
  std::vector<Section> sections;

  /// One file that needs nothing else: style and drawings inside, light or dark as the reader's system asks.
  std::string html() const;
  std::string markdown() const;
  /// The sections' numbers by their titles, "speed_up_by_tier"; docs/schemas/report.json.
  nlohmann::json json() const;
};

}  // namespace lanewise::tools
