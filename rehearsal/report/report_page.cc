#include "rehearsal/report/report_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "rehearsal/report/escape.h"
#include "rehearsal/report/page_style.h"
#include "rehearsal/report/picture/thinning.h"
#include "rehearsal/report/picture/timeline_picture.h"
#include "rehearsal/report/summary.h"
#include "rehearsal/report/words.h"

namespace reprise::rehearsal {
namespace {

constexpr std::size_t kMostInterruptions = 500;
constexpr std::size_t kMostLines = 4000;

std::string sign(bool good, std::string_view css) {
  return fmt::format(
      "<svg class=\"{} {}\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><circle cx=\"12\" cy=\"12\" "
      "r=\"12\"/><path d=\"{}\"/></svg>",
      css, good ? "good" : "bad", good ? "M6.500 12.500l3.700 3.700 7.300-8" : "M8 8l8 8M16 8l-8 8");
}

std::string header(const RunReport& report) {
  std::string reasons;
  for (const std::string& reason : report.reasons) reasons += "<li>" + html_escaped(reason) + "</li>\n";
  if (!reasons.empty()) reasons = "<ul class=\"reasons\">\n" + reasons + "</ul>\n";
  const std::string subtitle =
      report.subtitle.empty() ? "" : "<p class=\"subtitle\">" + html_escaped(report.subtitle) + "</p>\n";
  return fmt::format("<header>\n<p class=\"title\">{}</p>\n<div class=\"verdict\">{}<h1>{}</h1></div>\n{}{}</header>\n",
                     html_escaped(report.title), report.shown ? sign(report.survived, "seal") : "", verdict_of(report),
                     subtitle, reasons);
}

std::string judged(bool judgement, bool good) {
  if (!judgement) return {};
  return sign(good, "sign") + "<span class=\"unseen\">" + (good ? "good: " : "bad: ") + "</span>";
}

std::string tiles(const RunReport& report) {
  std::string items;
  for (const Tile& tile : tiles_of(report)) {
    const std::string note = tile.note.empty() ? "" : "<dd class=\"note\">" + html_escaped(tile.note) + "</dd>";
    items += fmt::format("<div class=\"tile\"><dt>{}</dt><dd>{}{}</dd>{}</div>\n", html_escaped(tile.label),
                         judged(tile.judgement, tile.good), html_escaped(tile.value), note);
  }
  return "<section aria-label=\"Figures\">\n<dl class=\"tiles\">\n" + items + "</dl>\n</section>\n";
}

std::string row(const ReportInterruption& one) {
  const std::string save = one.saved ? duration_text(one.save_took) : "<span class=\"bad\">not saved</span>";
  const std::string resumed = one.step_resumed ? count_text(*one.step_resumed) : "–";
  const std::string lost = one.steps_lost ? count_text(*one.steps_lost) : "–";
  const std::string never = one.survived ? "–" : "<span class=\"bad\">never</span>";
  const std::string after = one.resumed_after ? duration_text(*one.resumed_after) : never;
  return fmt::format(
      "<tr><td class=\"number\">{}</td><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td "
      "class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
      "class=\"number\">{}</td></tr>\n",
      clock_text(one.at), html_escaped(one.job), html_escaped(one.node), duration_text(one.notice), save,
      count_text(one.step_at_notice), resumed, lost, after);
}

std::string table(const RunReport& report) {
  if (report.interruptions.empty()) return {};
  std::string rows;
  const std::size_t shown = std::min(report.interruptions.size(), kMostInterruptions);
  for (std::size_t i = 0; i < shown; ++i) rows += row(report.interruptions[i]);
  const std::size_t left_out = report.interruptions.size() - shown;
  const std::string more = left_out == 0 ? ""
                                         : "<p class=\"note\">" +
                                               count_text(static_cast<std::int64_t>(left_out), "more", "more") +
                                               " are not shown here; the JSON beside this page has all.</p>\n";
  return fmt::format(
      "<section>\n<h2 id=\"interruptions\">Interruptions</h2>\n<div class=\"scroll\" role=\"region\" "
      "aria-labelledby=\"interruptions\" tabindex=\"0\">\n<table>\n<thead><tr><th scope=\"col\" "
      "class=\"number\">At</th><th scope=\"col\">Job</th><th scope=\"col\">Node</th><th scope=\"col\" "
      "class=\"number\">Notice</th><th scope=\"col\" class=\"number\">Saved in</th><th scope=\"col\" class=\"number\">"
      "Step at notice</th><th scope=\"col\" class=\"number\">Resumed from</th><th scope=\"col\" class=\"number\">Steps "
      "lost</th><th scope=\"col\" class=\"number\">Training again after</th></tr></thead>\n<tbody>\n{}</tbody>\n"
      "</table>\n</div>\n{}</section>\n",
      rows, more);
}

std::string last_lines(const RunReport& report) {
  std::string all;
  const std::size_t shown = std::min(report.interruptions.size(), kMostInterruptions);
  for (std::size_t i = 0; i < shown; ++i) {
    const ReportInterruption& one = report.interruptions[i];
    std::string text;
    for (const std::string& line : one.last_lines) text += html_escaped(line) + "\n";
    if (text.empty()) continue;
    all += fmt::format(
        "<details>\n<summary>The last lines of {} at {}</summary>\n<pre tabindex=\"0\" role=\"region\" "
        "aria-label=\"Last lines at {}\">{}</pre>\n</details>\n",
        html_escaped(one.job), clock_text(one.at), clock_text(one.at), text);
  }
  return all.empty() ? "" : "<section>\n" + all + "</section>\n";
}

std::string findings(const RunReport& report) {
  std::string rows;
  for (const ReportFact& fact : report.facts)
    if (!fact.headline)
      rows += fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>\n", html_escaped(fact.label),
                          judged(fact.judgement, fact.good), html_escaped(fact.value));
  if (rows.empty()) return {};
  return "<section>\n<h2>Findings</h2>\n<dl class=\"findings\">\n" + rows + "</dl>\n</section>\n";
}

std::string log(const RunReport& report) {
  if (report.lines.empty()) return {};
  std::string text;
  for (const std::string& line : ends_of(report.lines, kMostLines)) text += html_escaped(line) + "\n";
  return fmt::format(
      "<section>\n<details>\n<summary>Event log <span>{}</span></summary>\n<pre tabindex=\"0\" role=\"region\" "
      "aria-label=\"Event log\">{}</pre>\n</details>\n</section>\n",
      count_text(static_cast<std::int64_t>(report.lines.size()), "line", "lines"), text);
}

std::string footer(const RunReport& report) {
  std::string speed;
  if (report.speed > 0 && report.speed != 1)
    speed = fmt::format(" Times are those of the cluster, whose clock ran {:.4g} times as fast as ours.", report.speed);
  return "<footer><p>Made by Reprise: a real operator and real trainer processes on an embedded cluster." + speed +
         "</p></footer>\n";
}

}  // namespace

std::string report_page(const RunReport& report) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}: {}</title>\n<link rel=\"icon\" "
      "href=\"data:,\">\n<style>{}</style>\n</head>\n<body>\n<main>\n{}{}<section "
      "aria-labelledby=\"timeline\">\n<h2 "
      "id=\"timeline\">Timeline</h2>\n{}</section>\n{}{}{}</main>\n{}</body>\n</html>\n",
      verdict_of(report), html_escaped(report.title), kPageStyle, header(report), tiles(report),
      timeline_picture(report), table(report) + last_lines(report), findings(report), log(report), footer(report));
}

}  // namespace reprise::rehearsal
