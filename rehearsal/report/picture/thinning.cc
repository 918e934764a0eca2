#include "rehearsal/report/picture/thinning.h"

#include <algorithm>
#include <map>
#include <span>

#include "rehearsal/report/words.h"

namespace reprise::rehearsal {
namespace {

// Marks `most` of `candidates` in `keep`, spread evenly.
void spread(const std::vector<std::size_t>& candidates, std::size_t most, std::vector<bool>& keep) {
  if (candidates.size() <= most) {
    for (const std::size_t index : candidates) keep[index] = true;
    return;
  }
  for (std::size_t i = 0; i < most; ++i)
    keep[candidates[most == 1 ? 0 : i * (candidates.size() - 1) / (most - 1)]] = true;
}

ReportSpan merged(std::span<const ReportSpan> spans) {
  ReportSpan whole = spans.front();
  if (spans.size() == 1) return whole;
  std::map<ReportSpan::State, runtime::Duration> lasted;
  for (const ReportSpan& span : spans) lasted[span.state] += span.to - span.from;
  whole.to = spans.back().to;
  whole.state = std::max_element(lasted.begin(), lasted.end(), [](const auto& a, const auto& b) {
                  return a.second < b.second;
                })->first;
  whole.label = count_text(static_cast<std::int64_t>(spans.size())) + " short spans drawn as one";
  return whole;
}

}  // namespace

Thinned<ReportMark> thinned(const std::vector<ReportMark>& marks, std::size_t most) {
  if (marks.size() <= most) return {.kept = marks};
  std::vector<std::size_t> checkpoints, telling;
  for (std::size_t i = 0; i < marks.size(); ++i)
    (marks[i].kind == ReportMark::Kind::Checkpoint ? checkpoints : telling).push_back(i);
  std::vector<bool> keep(marks.size());
  spread(telling, most, keep);
  spread(checkpoints, most - std::min(most, telling.size()), keep);
  Thinned<ReportMark> result;
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (keep[i]) result.kept.push_back(marks[i]);
  result.left_out = marks.size() - result.kept.size();
  return result;
}

Thinned<ReportSpan> thinned(const std::vector<ReportSpan>& spans, std::size_t most, runtime::Duration length) {
  if (spans.size() <= most) return {.kept = spans};
  // Two kept neighbours are together longer than this, so there are at most `most`.
  const runtime::Duration least = 2 * length / static_cast<std::int64_t>(std::max<std::size_t>(most, 2) - 1);
  Thinned<ReportSpan> result;
  for (std::size_t begin = 0; begin < spans.size();) {
    std::size_t end = begin + 1;
    while (end < spans.size() && spans[end].to - spans[begin].from <= least) ++end;
    result.kept.push_back(merged(std::span(spans).subspan(begin, end - begin)));
    begin = end;
  }
  result.left_out = spans.size() - result.kept.size();
  return result;
}

std::vector<std::string> ends_of(const std::vector<std::string>& lines, std::size_t most) {
  if (lines.size() <= most) return lines;
  const auto head = static_cast<std::ptrdiff_t>(most / 2), tail = static_cast<std::ptrdiff_t>(most - most / 2);
  std::vector<std::string> result(lines.begin(), lines.begin() + head);
  result.push_back("… " + count_text(static_cast<std::int64_t>(lines.size() - most), "line", "lines") +
                   " left out here …");
  result.insert(result.end(), lines.end() - tail, lines.end());
  return result;
}

}  // namespace reprise::rehearsal
