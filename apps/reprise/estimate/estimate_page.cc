#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "apps/reprise/estimate/estimate_output.h"
#include "rehearsal/report/escape.h"

namespace reprise::apps {
namespace {

using rehearsal::html_escaped;
namespace placement = controllers::placement;

constexpr double kLeft = 110;
constexpr double kWidth = 860;
constexpr double kLane = 34;

std::string_view style_of(placement::Mode mode) {
  switch (mode) {
    case placement::Mode::Idle:
      return "idle";
    case placement::Mode::Spot:
      return "spot";
    case placement::Mode::OnDemand:
      return "paid";
  }
  return "idle";
}

std::string_view word_of(placement::Mode mode) {
  switch (mode) {
    case placement::Mode::Idle:
      return "waiting";
    case placement::Mode::Spot:
      return "on spot";
    case placement::Mode::OnDemand:
      return "on-demand";
  }
  return "waiting";
}

class Drawing {
 public:
  explicit Drawing(double hours) : hours_(hours) {}

  void lane(std::string_view label, std::string_view note, const std::vector<placement::TimelineSegment>& segments,
            bool market) {
    fmt::format_to(out(), "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y_ + 16,
                   html_escaped(label));
    for (const auto& segment : segments) {
      const std::string_view what =
          market ? (segment.mode == placement::Mode::Spot ? "spot up" : "no spot") : word_of(segment.mode);
      const std::string_view style = market && segment.mode == placement::Mode::Spot ? "up" : style_of(segment.mode);
      fmt::format_to(out(),
                     "<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"22\"><title>{} from {:.1f} h "
                     "to {:.1f} h</title></rect>\n",
                     style, x(segment.begin), y_, std::max(0.3, x(segment.end) - x(segment.begin)), what, segment.begin,
                     segment.end);
    }
    fmt::format_to(out(), "<text x=\"{}\" y=\"{}\">{}</text>\n", kLeft + kWidth + 8, y_ + 16, html_escaped(note));
    y_ += kLane;
  }

  void deadline(double hours) {
    fmt::format_to(out(),
                   "<line class=\"deadline\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1}\"/><text x=\"{0:.1f}\" "
                   "y=\"{2}\" text-anchor=\"end\">deadline</text>\n",
                   x(hours), y_, y_ + 30);
  }

  [[nodiscard]] std::string svg() {
    const double step = hours_between_labels();
    for (double hour = 0; hour <= hours_; hour += step)
      fmt::format_to(out(), "<text class=\"axis\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.4g} h</text>\n",
                     x(hour), y_ + 14, hour);
    return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"One run as a timeline\">\n{}</svg>\n",
                       kLeft + kWidth + 190, y_ + 36, body_);
  }

 private:
  std::back_insert_iterator<std::string> out() { return std::back_inserter(body_); }
  [[nodiscard]] double hours_between_labels() const {
    constexpr double kMostLabels = 12;
    constexpr std::array kSteps{0.1, 0.25, 0.5, 1.0, 2.0, 6.0, 12.0, 24.0, 48.0, 96.0, 168.0, 336.0, 672.0};
    const auto* const step = std::ranges::find_if(kSteps, [&](double hours) { return hours_ / hours <= kMostLabels; });
    return step == kSteps.end() ? hours_ / kMostLabels : *step;
  }
  [[nodiscard]] double x(double hours) const { return kLeft + kWidth * hours / hours_; }

  double hours_;
  double y_ = 6;
  std::string body_;
};

constexpr std::string_view kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1180px;margin:2em auto;padding:0 1em;color:#222}"
    "h1{font-size:1.5em}table{border-collapse:collapse;width:100%}td,th{padding:.25em .6em;text-align:right;"
    "border-bottom:1px solid #ddd}td:nth-child(-n+2),th:nth-child(-n+2){text-align:left}tr.mean{font-weight:600}"
    "svg{width:100%;font:12px system-ui,sans-serif}.idle{fill:#e6e6e6}.spot{fill:#2e8b57}.up{fill:#a9d8bd}"
    ".paid{fill:#d9822b}.deadline{stroke:#b00020;stroke-width:2;stroke-dasharray:4 3}.axis{fill:#666}"
    ".key span{display:inline-block;width:1em;height:1em;margin:0 .3em 0 1em;vertical-align:-.1em}";

}  // namespace

std::string estimate_page(const placement::Estimate& estimate, const placement::EstimateRequest& request) {
  const placement::Timeline& example = estimate.example;
  const double deadline = placement::deadline_of(request);
  double longest = std::isfinite(deadline) ? deadline : 1;
  for (const auto& lane : example.lanes) longest = std::max(longest, lane.run.finish);
  Drawing drawing(longest);
  drawing.lane("spot offered", "", example.market, true);
  for (const auto& lane : example.lanes)
    drawing.lane(placement::name(lane.policy), fmt::format("${:.2f}, done at {:.1f} h", lane.run.cost, lane.run.finish),
                 lane.segments, false);
  if (std::isfinite(deadline)) drawing.deadline(deadline);

  std::string rows;
  for (const auto& row : estimate.rows) {
    const std::string closed = row.gap_closed ? fmt::format("{:.2f}", *row.gap_closed) : "–";
    fmt::format_to(std::back_inserter(rows),
                   "<tr{}><td>{}</td><td>{}</td><td>{}</td><td>{:.2f}</td><td>{:.1f} %</td><td>{}</td><td>{}</td>"
                   "<td>{:.1f}</td><td>{:.1f}</td><td>{:.1f}</td><td>{:.1f}</td></tr>\n",
                   row.zone == "mean" ? " class=\"mean\"" : "", placement::name(row.policy), html_escaped(row.zone),
                   row.starts, row.cost, row.saving_percent, closed, row.deadline_misses, row.starts_per_job,
                   row.spot_hours, row.on_demand_hours, row.idle_hours);
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>What would this job have cost?</title>"
      "<style>{}</style></head><body>\n<h1>What would this job have cost?</h1>\n"
      "<p>{:.4g} hours of work on {} node{}, {}; {:.4g} minutes for each start.</p>\n"
      "<h2>One run, in zone {}</h2>\n<p class=\"key\"><span style=\"background:#a9d8bd\"></span>spot offered"
      "<span style=\"background:#2e8b57\"></span>runs on spot<span style=\"background:#d9822b\"></span>runs on-demand"
      "<span style=\"background:#e6e6e6\"></span>waits</p>\n{}"
      "<h2>All runs</h2>\n<table><tr><th>policy</th><th>zone</th><th>jobs</th><th>cost $</th><th>saving</th>"
      "<th>gap closed</th><th>misses</th><th>starts</th><th>spot h</th><th>on-demand h</th><th>idle "
      "h</th></tr>\n{}</table>\n"
      "<p>Saving is against on-demand for the work alone. Gap closed: how much of what lies between greedy (0) and the "
      "least possible cost, known afterwards (1), a policy gets.</p>\n</body></html>\n",
      kStyle, request.work, request.nodes, request.nodes == 1 ? "" : "s",
      std::isfinite(deadline) ? fmt::format("to be done within {:.4g} hours", deadline)
                              : std::string("without a deadline"),
      request.changeover * 60, html_escaped(example.zone), drawing.svg(), rows);
}

}  // namespace reprise::apps
