#include "rehearsal/report/picture/timeline_layout.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "rehearsal/report/words.h"

namespace reprise::rehearsal {
namespace {

constexpr std::size_t kMostLanes = 150;
constexpr std::size_t kMostElements = 24'000;
constexpr std::size_t kMostOwnRows = 8;
constexpr int kHeadingHeight = 34;

enum class Section { Zones, Nodes, Jobs };

Section section_of(const ReportLane& lane) {
  switch (lane.kind) {
    case ReportLane::Kind::Zone:
      return Section::Zones;
    case ReportLane::Kind::Node:
      return Section::Nodes;
    case ReportLane::Kind::Job:
    case ReportLane::Kind::Rank:
      return Section::Jobs;
  }
  return Section::Jobs;
}

const char* heading_of(Section section) {
  switch (section) {
    case Section::Zones:
      return "Spot capacity";
    case Section::Nodes:
      return "Nodes";
    case Section::Jobs:
      return "Jobs";
  }
  return "";
}

// Packs nodes into as few rows as possible, at most `most`, in order of their begin; counts those for which there is no
// room.
std::vector<ReportLane> packed(std::vector<const ReportLane*> nodes, std::size_t most, std::size_t& left_out) {
  std::erase_if(nodes, [](const ReportLane* lane) { return lane->spans.empty(); });
  std::sort(nodes.begin(), nodes.end(), [](const ReportLane* a, const ReportLane* b) {
    return std::tie(a->spans.front().from, a->name) < std::tie(b->spans.front().from, b->name);
  });
  std::vector<ReportLane> rows;
  for (const ReportLane* node : nodes) {
    auto row = std::find_if(rows.begin(), rows.end(), [&](const ReportLane& candidate) {
      return candidate.spans.back().to <= node->spans.front().from;
    });
    if (row == rows.end() && rows.size() == most) {
      ++left_out;
      continue;
    }
    if (row == rows.end()) row = rows.insert(rows.end(), {.kind = ReportLane::Kind::Node});
    const auto named = [&](const std::string& label) { return node->name + (label.empty() ? "" : ", ") + label; };
    for (ReportSpan span : node->spans) {
      span.label = named(span.label);
      row->spans.push_back(std::move(span));
    }
    for (ReportMark mark : node->marks) {
      mark.label = named(mark.label);
      row->marks.push_back(std::move(mark));
    }
  }
  return rows;
}

bool has_progress(const ReportLane& lane) {
  return lane.kind == ReportLane::Kind::Job &&
         std::count_if(lane.marks.begin(), lane.marks.end(), [](const ReportMark& mark) { return mark.step >= 0; }) > 1;
}

int height_of(const ReportLane& lane, bool progress) {
  switch (lane.kind) {
    case ReportLane::Kind::Zone:
      return 30;
    case ReportLane::Kind::Node:
      return lane.name.empty() ? 21 : 30;
    case ReportLane::Kind::Job:
      return progress ? 94 : 44;
    case ReportLane::Kind::Rank:
      return 28;
  }
  return 30;
}

}  // namespace

TimelineLayout timeline_layout(const RunReport& report) {
  TimelineLayout layout;
  std::size_t lanes = 0;
  const auto add = [&](TimelineRow row) {
    row.top = layout.height;
    layout.height += row.height;
    layout.rows.push_back(std::move(row));
  };
  std::array<std::vector<const ReportLane*>, 3> sections;
  const auto of = [&](Section section) -> auto& {
    return sections.at(static_cast<std::size_t>(section));
  };
  for (const ReportLane& lane : report.lanes) of(section_of(lane)).push_back(&lane);
  std::vector<const ReportLane*>& nodes = of(Section::Nodes);
  std::string note;
  if (nodes.size() > kMostOwnRows) {
    note = count_text(static_cast<std::int64_t>(nodes.size()), "node", "nodes");
    layout.packed = packed(nodes, kMostLanes / 2, layout.lanes_left_out);
    nodes.clear();
    for (const ReportLane& row : layout.packed) nodes.push_back(&row);
  }
  for (const Section section : {Section::Zones, Section::Nodes, Section::Jobs}) {
    const auto& of_this = of(section);
    if (of_this.empty()) continue;
    add({.heading = heading_of(section), .note = section == Section::Nodes ? note : "", .height = kHeadingHeight});
    for (const ReportLane* lane : of_this) {
      // Nodes leave half of the room to the jobs, which the timeline is about.
      if (lanes >= (section == Section::Jobs ? kMostLanes : kMostLanes / 2)) {
        ++layout.lanes_left_out;
        continue;
      }
      const bool progress = has_progress(*lane);
      add({.lane = lane, .progress = progress, .height = height_of(*lane, progress)});
      ++lanes;
    }
  }
  layout.most_spans = layout.most_marks =
      std::clamp<std::size_t>(kMostElements / 2 / std::max<std::size_t>(lanes, 1), 60, 1000);
  return layout;
}

}  // namespace reprise::rehearsal
