#include "rehearsal/report/picture/timeline_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "rehearsal/report/escape.h"
#include "rehearsal/report/picture/axis.h"
#include "rehearsal/report/picture/progress_curve.h"
#include "rehearsal/report/picture/thinning.h"
#include "rehearsal/report/picture/timeline_layout.h"
#include "rehearsal/report/words.h"

namespace reprise::rehearsal {
namespace {

constexpr int kAxisHeight = 30;
constexpr int kMostTicks = 13, kMostMajorTicks = 4;

constexpr std::array kStates = {ReportSpan::State::Available,   ReportSpan::State::Unavailable,
                                ReportSpan::State::Waiting,     ReportSpan::State::Starting,
                                ReportSpan::State::Training,    ReportSpan::State::Saving,
                                ReportSpan::State::Interrupted, ReportSpan::State::Stopped,
                                ReportSpan::State::Done,        ReportSpan::State::Failed};
constexpr std::array kKinds = {ReportMark::Kind::Checkpoint, ReportMark::Kind::TornCheckpoint, ReportMark::Kind::Notice,
                               ReportMark::Kind::Kill,       ReportMark::Kind::Loss,           ReportMark::Kind::Resume,
                               ReportMark::Kind::End};

// Glyphs around the point they mark; their look beyond their form is in page_style.h.
constexpr std::string_view kDefinitions =
    "<defs>"
    "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
    "<rect class=\"hatch-back\" width=\"6\" height=\"6\"/><rect class=\"hatch-line\" width=\"2\" "
    "height=\"6\"/></pattern>"
    "<circle id=\"m-checkpoint\" r=\"2.5\"/>"
    "<path id=\"m-torn-checkpoint\" d=\"M-4-4h8v8h-8zM-4 4l8-8\"/>"
    "<path id=\"m-notice\" d=\"M-5-11h10l-5 8z\"/>"
    "<path id=\"m-kill\" d=\"M-4-4l8 8M4-4l-8 8\"/>"
    "<path id=\"m-loss\" d=\"M0-6l6 6-6 6-6-6z\"/>"
    "<path id=\"m-resume\" d=\"M-4-5.500l8.500 5.500-8.500 5.500z\"/>"
    "<path id=\"m-end\" d=\"M-3.500 7v-14h9l-2.500 3.500 2.500 3.500h-7v7z\"/>"
    "</defs>\n";

// The look and name of a span: a ready node is something else than available spot capacity.
struct Look {
  std::string_view css, words;
  bool operator==(const Look&) const = default;
};

Look look_of(ReportSpan::State state, ReportLane::Kind of) {
  const bool ready = of == ReportLane::Kind::Node && state == ReportSpan::State::Available;
  return {.css = ready ? "ready" : name_of(state), .words = words_of(state, of)};
}

class Drawing {
 public:
  Drawing(const RunReport& report, const TimelineLayout& layout) : report_(report), layout_(layout) {
    for (const TimelineRow& row : layout_.rows) row.lane == nullptr ? heading(row) : lane(row);
  }

  [[nodiscard]] std::string figure() const {
    return fmt::format(
        "<figure class=\"timeline\">\n{}<div class=\"chart\">\n<div class=\"names\" aria-hidden=\"true\">\n{}"
        "<div class=\"unit\">{}</div></div>\n{}</div>\n{}</figure>\n",
        legend(), names_, axis_.unit, svg(), note());
  }

 private:
  std::back_insert_iterator<std::string> tracks() { return std::back_inserter(tracks_); }

  [[nodiscard]] double percent(runtime::Duration at) const {
    if (report_.length.count() <= 0) return 0;
    return std::clamp(100 * static_cast<double>(at.count()) / static_cast<double>(report_.length.count()), 0.0, 100.0);
  }

  void heading(const TimelineRow& row) {
    names_ += fmt::format("<div class=\"heading\" style=\"height:{}px\">{}<small>{}</small></div>\n", row.height,
                          row.heading, row.note);
    fmt::format_to(tracks(), "<line class=\"rule\" x2=\"100%\" y1=\"{0}\" y2=\"{0}\"/>\n", row.top + row.height - 6);
  }

  void lane(const TimelineRow& row) {
    const ReportLane& lane = *row.lane;
    const auto spans = thinned(lane.spans, layout_.most_spans, report_.length);
    const auto marks = thinned(lane.marks, layout_.most_marks);
    spans_left_out_ += spans.left_out;
    marks_left_out_ += marks.left_out;
    name(row);
    // The middle of the spans' bar; its height is that of the kind.
    const int bar = lane.kind == ReportLane::Kind::Job ? 14 : lane.kind == ReportLane::Kind::Rank ? 8 : 10;
    const int middle = lane.kind == ReportLane::Kind::Job ? 18 : row.height / 2;
    fmt::format_to(tracks(), "<g class=\"lane {}\" transform=\"translate(0 {})\"><g class=\"track\">\n",
                   name_of(lane.kind), row.top);
    for (const ReportSpan& one : spans.kept) span(one, lane.kind, middle - bar / 2, bar);
    ReportLane shown = lane;
    shown.marks = marks.kept;
    constexpr int kCurveGap = 8;
    const int curve_top = middle + bar / 2 + kCurveGap, curve = row.height - curve_top - 16;
    if (row.progress) tracks_ += progress_curve(shown, report_.length, curve_top, curve);
    std::int64_t most = 1;
    for (const ReportMark& one : lane.marks) most = std::max(most, one.step);
    for (const ReportMark& one : marks.kept) {
      const bool on_curve = row.progress && one.step >= 0 && one.kind == ReportMark::Kind::Checkpoint;
      const double share = static_cast<double>(one.step) / static_cast<double>(most);
      mark(one, on_curve ? curve_top + curve * (1 - share) : middle);
    }
    tracks_ += "</g></g>\n";
  }

  void name(const TimelineRow& row) {
    const ReportLane& lane = *row.lane;
    std::string below;
    if (lane.kind == ReportLane::Kind::Job) {
      const auto count = std::count_if(report_.interruptions.begin(), report_.interruptions.end(),
                                       [&](const ReportInterruption& one) { return one.job == lane.name; });
      below = "<small>" + count_text(count, "interruption", "interruptions") + "</small>";
      std::int64_t most = 0;
      for (const ReportMark& mark : lane.marks) most = std::max(most, mark.step);
      if (row.progress) below += "<small>last checkpoint " + count_text(most) + "</small>";
    }
    const std::string text = html_escaped(lane.name);
    names_ += fmt::format("<div class=\"name {0}\" style=\"height:{1}px\" title=\"{2}\"><span>{2}</span>{3}</div>\n",
                          name_of(lane.kind), row.height, text, below);
  }

  void span(const ReportSpan& one, ReportLane::Kind of, int top, int height) {
    constexpr double kLeastPercent = 0.12;  // can still be seen and pointed at
    const Look look = look_of(one.state, of);
    looks_.push_back(look);
    const double from = percent(one.from), width = std::max(kLeastPercent, percent(one.to) - from);
    const std::string label = one.label.empty() ? "" : ", " + html_escaped(one.label);
    fmt::format_to(tracks(),
                   "<rect class=\"s-{}\" x=\"{:.3f}%\" y=\"{}\" width=\"{:.3f}%\" height=\"{}\" rx=\"2\"><title>{}{}\n"
                   "{} to {}, {}</title></rect>\n",
                   look.css, from, top, width, height, look.words, label, clock_text(one.from), clock_text(one.to),
                   duration_text(one.to - one.from));
  }

  void mark(const ReportMark& one, double y) {
    kinds_.push_back(one.kind);
    const std::string label = one.label.empty() ? "" : ", " + html_escaped(one.label);
    fmt::format_to(tracks(),
                   "<use href=\"#m-{0}\" class=\"mark m-{0}\" x=\"{1:.3f}%\" y=\"{2:.1f}\"><title>{3}{4}\nat "
                   "{5}</title></use>\n",
                   name_of(one.kind), percent(one.at), y, words_of(one.kind), label, clock_text(one.at));
  }

  [[nodiscard]] std::string svg() const {
    std::string grid, labels;
    const double step = axis_.ticks.size() > 1 ? percent(axis_.ticks[1].at) : 100;
    for (const Tick& tick : axis_.ticks) {
      const double x = percent(tick.at);
      const char* weight = tick.major ? "major" : "minor";
      // Near the end a label would stand on its neighbour or outside.
      const bool room = x <= 97 || (x >= 99.5 && step >= 9);
      const char* anchor = x < 2 ? "start" : x > 97 ? "end" : "middle";
      fmt::format_to(std::back_inserter(grid), "<line class=\"{0}\" x1=\"{1:.3f}%\" x2=\"{1:.3f}%\" y2=\"{2}\"/>",
                     weight, x, layout_.height + 6);
      fmt::format_to(std::back_inserter(labels),
                     "<text class=\"{}\" x=\"{:.3f}%\" y=\"{}\" text-anchor=\"{}\">{}</text>", weight, x,
                     layout_.height + 22, anchor, room ? tick.label : "");
    }
    return fmt::format(
        "<svg class=\"tracks\" width=\"100%\" height=\"{}\" role=\"img\" aria-labelledby=\"timeline-title "
        "timeline-desc\"><title id=\"timeline-title\">Timeline of the run</title><desc id=\"timeline-desc\">{}</desc>\n"
        "{}<g class=\"grid\">{}</g>\n{}<g class=\"axis\">{}</g>\n</svg>\n",
        layout_.height + kAxisHeight, description(), kDefinitions, grid, tracks_, labels);
  }

  [[nodiscard]] std::string description() const {
    std::array<std::int64_t, 4> lanes{};
    for (const ReportLane& lane : report_.lanes) ++lanes.at(static_cast<std::size_t>(lane.kind));
    return fmt::format(
        "{} of {}, {} and {} over {}. {} happened; where there were any, the table below lists each.",
        count_text(lanes[0], "zone", "zones"), "spot capacity", count_text(lanes[1], "node", "nodes"),
        count_text(lanes[2], "job", "jobs"), duration_text(report_.length),
        count_text(static_cast<std::int64_t>(report_.interruptions.size()), "interruption", "interruptions"));
  }

  [[nodiscard]] std::string legend() const {
    std::string items;
    for (const ReportLane::Kind of : {ReportLane::Kind::Zone, ReportLane::Kind::Node, ReportLane::Kind::Job})
      for (const ReportSpan::State state : kStates) add_look(look_of(state, of), items);
    for (const ReportMark::Kind kind : kKinds)
      if (std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end())
        items += fmt::format(
            "<li><svg width=\"16\" height=\"16\" aria-hidden=\"true\"><use href=\"#m-{0}\" class=\"mark m-{0}\" "
            "x=\"8\" "
            "y=\"{1}\"/></svg>{2}</li>\n",
            name_of(kind), kind == ReportMark::Kind::Notice ? 15 : 8, words_of(kind));
    return "<ul class=\"legend\" aria-label=\"Legend\">\n" + items + "</ul>\n";
  }

  void add_look(const Look& look, std::string& items) const {
    const std::string item = fmt::format(
        "<li><svg width=\"18\" height=\"10\" aria-hidden=\"true\"><rect class=\"s-{}\" width=\"18\" height=\"10\" "
        "rx=\"2\"/></svg>{}</li>\n",
        look.css, look.words);
    const bool used = std::find(looks_.begin(), looks_.end(), look) != looks_.end();
    if (used && items.find(item) == std::string::npos) items += item;
  }

  [[nodiscard]] std::string note() const {
    std::string left_out;
    const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
      if (count > 0)
        left_out += (left_out.empty() ? "" : ", ") + count_text(static_cast<std::int64_t>(count), one, many);
    };
    add(layout_.lanes_left_out, "row", "rows");
    add(spans_left_out_, "short span", "short spans");
    add(marks_left_out_, "mark", "marks");
    if (left_out.empty()) return {};
    return "<figcaption>Not drawn, for there would be too much to see: " + left_out +
           ". The JSON beside this page has everything.</figcaption>\n";
  }

  const RunReport& report_;
  const TimelineLayout& layout_;
  Axis axis_ = axis_of(report_.length, kMostTicks, kMostMajorTicks);
  std::string names_, tracks_;
  std::vector<Look> looks_;
  std::vector<ReportMark::Kind> kinds_;
  std::size_t spans_left_out_ = 0, marks_left_out_ = 0;
};

}  // namespace

std::string timeline_picture(const RunReport& report) {
  const TimelineLayout layout = timeline_layout(report);
  return Drawing(report, layout).figure();
}

}  // namespace reprise::rehearsal
