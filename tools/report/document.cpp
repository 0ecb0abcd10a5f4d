#include "report/document.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "report/svg.h"
#include "text.h"

namespace lanewise::tools {
namespace {

// Four tiers by colour and by marker; checked for contrast on both grounds.
constexpr const char* kStyle = R"css(
:root{color-scheme:light dark;--bg:#fcfcfd;--card:#fff;--fg:#1a1d23;--soft:#5b6472;--line:#dfe3ea;--t0:#6b7280;--t1:#2563eb;--t2:#c2410c;--t3:#7c3aed;--good:#15803d;--bad:#b91c1c;--bar:#dbe7ff;--box:#f1f4f9}
@media(prefers-color-scheme:dark){:root{--bg:#12151b;--card:#191d25;--fg:#e6e9ef;--soft:#9aa4b3;--line:#2d3440;--t0:#9ca3af;--t1:#60a5fa;--t2:#fb923c;--t3:#a78bfa;--good:#4ade80;--bad:#f87171;--bar:#20365c;--box:#222833}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1080px;margin:0 auto;padding:20px 16px 60px}
h1{font-size:1.5rem;margin:.2em 0 0}h2{font-size:1.15rem;margin:1.8em 0 .5em;padding-bottom:.25em;border-bottom:1px solid var(--line)}
p{margin:.4em 0 .8em;max-width:75ch}.sub{color:var(--soft);margin:0 0 1em}
nav{display:flex;flex-wrap:wrap;gap:.2em 1em;font-size:.9rem}a{color:var(--t1)}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:14px}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:10px}
figcaption{font-size:.85rem;color:var(--soft);margin-top:.3em}
svg{display:block;width:100%;height:auto;margin:0 auto}
svg text{fill:var(--fg);font:11.5px system-ui,sans-serif}svg .tick,svg .label{fill:var(--soft)}svg .strong{font-weight:600}
.grid{stroke:var(--line);stroke-width:1}.curve{fill:none;stroke-width:2}.limit{fill:none;stroke-width:1.4;stroke-dasharray:5 4;opacity:.8}
.mark{stroke:var(--card);stroke-width:.8}.box{fill:var(--box);stroke:var(--soft);stroke-width:1}.core{fill:var(--bar);stroke:var(--t1);stroke-width:1}
.t0{stroke:var(--t0)}.t1{stroke:var(--t1)}.t2{stroke:var(--t2)}.t3{stroke:var(--t3)}
.mark.t0{fill:var(--t0)}.mark.t1{fill:var(--t1)}.mark.t2{fill:var(--t2)}.mark.t3{fill:var(--t3)}.mark{stroke:none}
.wide{overflow-x:auto;border:1px solid var(--line);border-radius:8px;background:var(--card)}
table{border-collapse:collapse;width:100%;font-size:.87rem;font-variant-numeric:tabular-nums}
th,td{padding:.32em .7em;text-align:left;white-space:nowrap;border-bottom:1px solid var(--line)}tr:last-child td{border-bottom:0}
th{color:var(--soft);font-weight:600}.n{text-align:right}
td.g{background:color-mix(in srgb,var(--good) calc(var(--h)*1%),transparent)}td.b{background:color-mix(in srgb,var(--bad) calc(var(--h)*1%),transparent)}
td.r{background:linear-gradient(90deg,var(--bar) var(--w),transparent var(--w))}
figure+.wide{margin-top:14px}.plots>figure+.wide{margin-top:0;align-self:start}code{font:.92em ui-monospace,monospace}h3{font-size:1rem;margin:1.2em 0 .4em}
@media(max-width:640px){main{padding:14px 10px 40px}figure{padding:6px}svg text{font-size:17px}table{font-size:.78rem}th,td{padding:.3em .45em}th,.facts td{white-space:normal}td:first-child,th:first-child{position:sticky;left:0;background:var(--card);max-width:44vw;overflow-x:hidden;text-overflow:ellipsis}}
footer{margin-top:3em;color:var(--soft);font-size:.85rem}
)css";

std::string markdown_text(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.insert(at, "\\");
  return text;
}

std::string identifier(const std::string& title, char space) {
  std::string id;
  for (const char c : title)
    id += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(c)) : space;
  return id;
}

std::string anchor(const std::string& title) { return identifier(title, '-'); }

bool is_number_column(const std::string& head) { return !head.empty() && head.back() == '>'; }
std::string column_name(const std::string& head) {
  return is_number_column(head) ? head.substr(0, head.size() - 1) : head;
}

}  // namespace

std::string Table::html() const {
  const bool has_head =
      std::any_of(head.begin(), head.end(), [](const std::string& h) { return !h.empty(); });
  std::string text = has_head ? "<div class=\"wide\"><table>" : "<div class=\"wide facts\"><table>";
  if (has_head) {
    text += "<thead><tr>";
    for (const std::string& h : head)
      text += (is_number_column(h) ? "<th class=\"n\">" : "<th>") + escaped(column_name(h)) + "</th>";
    text += "</tr></thead>";
  }
  text += "<tbody>\n";
  for (const auto& row : rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string css = i < head.size() && is_number_column(head[i]) ? "n" : "";
      std::string style;
      if (const double heat = std::clamp(row[i].heat, -1.0, 1.0); heat != 0) {
        css += heat > 0 ? " g" : " b";
        style = format("--h:%.0f", 6 + 40 * std::fabs(heat));
      } else if (row[i].bar > 0) {
        css += " r";
        style = format("--w:%.1f%%", 100 * std::min(row[i].bar, 1.0));
      }
      text += "<td" + (css.empty() ? "" : " class=\"" + css + "\"") +
              (style.empty() ? "" : " style=\"" + style + "\"") + ">" + escaped(row[i].text) + "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string Table::markdown() const {
  std::string text = "|", rule = "|";
  for (const std::string& h : head) {
    text += " " + markdown_text(column_name(h)) + " |";
    rule += is_number_column(h) ? "---:|" : "---|";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : rows) {
    text += "|";
    for (const Cell& cell : row) text += " " + markdown_text(cell.text) + " |";
    text += "\n";
  }
  return text + "\n";
}

namespace {

/// Escaped; `code` between backticks, as Markdown has it.
std::string with_code(const std::string& text) {
  std::string result;
  bool inside = false;
  for (std::size_t at = 0, end = 0; at <= text.size(); at = end + 1) {
    end = std::min(text.find('`', at), text.size());
    result += escaped(text.substr(at, end - at));
    if (end == text.size()) break;
    inside = !inside;
    result += inside ? "<code>" : "</code>";
  }
  return result + (inside ? "</code>" : "");
}

}  // namespace

void Section::paragraph(const std::string& text) {
  html += "<p>" + with_code(text) + "</p>\n";
  markdown += text + "\n\n";
}

void Section::table(const Table& table) {
  html += table.html();
  markdown += table.markdown();
}

void Section::drawing(const std::string& svg, const std::string& caption) {
  html += "<figure>" + svg + "<figcaption>" + escaped(caption) + "</figcaption></figure>\n";
}

std::string Document::html() const {
  std::string text =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<title>" +
      escaped(title) + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<main>\n<h1>" +
      escaped(title) + "</h1>\n<p class=\"sub\">" + escaped(subtitle) + "</p>\n<nav>";
  for (const Section& s : sections)
    text += "<a href=\"#" + anchor(s.title) + "\">" + escaped(s.title) + "</a>";
  text += "</nav>\n";
  for (const Section& s : sections)
    text += "<section id=\"" + anchor(s.title) + "\">\n<h2>" + escaped(s.title) + "</h2>\n" + s.html +
            "</section>\n";
  return text + "<footer>Written by lanewise report.</footer>\n</main>\n</body>\n</html>\n";
}

std::string Document::markdown() const {
  std::string text = "# " + title + "\n\n" + subtitle + "\n\n";
  for (const Section& s : sections) text += "## " + s.title + "\n\n" + s.markdown;
  return text;
}

nlohmann::json Document::json() const {
  nlohmann::json parts = nlohmann::json::object();
  for (const Section& s : sections) parts[identifier(s.title, '_')] = s.data;
  return {{"format", "lanewise-report"},
          {"version", 1},
          {"title", title},
          {"subtitle", subtitle},
          {"sections", parts}};
}

}  // namespace lanewise::tools
