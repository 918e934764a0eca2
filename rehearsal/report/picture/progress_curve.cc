#include "rehearsal/report/picture/progress_curve.h"

#include <fmt/format.h>

#include <algorithm>

namespace reprise::rehearsal {
namespace {

constexpr double kWidth = 1000, kHeight = 100;

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0) : 0.0;
}

std::string at(const ProgressPoint& point) {
  return fmt::format("{:.1f} {:.1f}", point.x * kWidth, (1 - point.y) * kHeight);
}

std::string through(const ProgressLine& line) {
  std::string path;
  for (const ProgressPoint& point : line) path += (path.empty() ? "M" : "L") + at(point);
  return path;
}

}  // namespace

std::vector<ProgressLine> progress_lines(const ReportLane& lane, runtime::Duration length) {
  std::int64_t most = 0;
  for (const ReportMark& mark : lane.marks) most = std::max(most, mark.step);
  std::vector<ProgressLine> lines;
  for (const ReportSpan& span : lane.spans) {
    if (span.state != ReportSpan::State::Training) continue;
    lines.push_back({{.x = share(span.from.count(), length.count()), .y = 0}});
    break;
  }
  for (const ReportMark& mark : lane.marks) {
    if (mark.step < 0) continue;
    if (lines.empty() || mark.kind == ReportMark::Kind::Resume) lines.emplace_back();
    lines.back().push_back({.x = share(mark.at.count(), length.count()), .y = share(mark.step, most)});
  }
  std::erase_if(lines, [](const ProgressLine& line) { return line.size() < 2; });
  return lines;
}

std::string progress_curve(const ReportLane& lane, runtime::Duration length, int top, int height) {
  const std::vector<ProgressLine> lines = progress_lines(lane, length);
  std::string areas, strokes, gaps;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const ProgressLine& line = lines[i];
    areas += fmt::format("{}L{:.1f} {}L{:.1f} {}Z", through(line), line.back().x * kWidth, kHeight,
                         line.front().x * kWidth, kHeight);
    strokes += through(line);
    if (i > 0) gaps += "M" + at(lines[i - 1].back()) + "L" + at(line.front());
  }
  return fmt::format(
      "<svg class=\"progress\" y=\"{}\" width=\"100%\" height=\"{}\" viewBox=\"0 0 {} {}\" "
      "preserveAspectRatio=\"none\"><path class=\"area\" d=\"{}\"/><path class=\"gap\" d=\"{}\"/>"
      "<path class=\"line\" d=\"{}\"/></svg>\n",
      top, height, kWidth, kHeight, areas, gaps, strokes);
}

}  // namespace reprise::rehearsal
