#include "simulator/report/timeline_layout.h"

#include <algorithm>
#include <utility>

namespace reprise::simulator {
namespace {

constexpr std::size_t kMostLanes = 150;
constexpr std::size_t kMostElements = 24'000;
constexpr int kHeadingHeight = 34;

enum class Section { Zones, Machines, Jobs };

Section section_of(const StoryLane& lane) {
  switch (lane.kind) {
    case StoryLane::Kind::Zone:
      return Section::Zones;
    case StoryLane::Kind::Node:
      return Section::Machines;
    case StoryLane::Kind::Job:
    case StoryLane::Kind::Rank:
      return Section::Jobs;
  }
  return Section::Jobs;
}

const char* heading_of(Section section) {
  switch (section) {
    case Section::Zones:
      return "Spot capacity";
    case Section::Machines:
      return "Machines";
    case Section::Jobs:
      return "Jobs";
  }
  return "";
}

bool has_progress(const StoryLane& lane) {
  return lane.kind == StoryLane::Kind::Job &&
         std::count_if(lane.marks.begin(), lane.marks.end(), [](const StoryMark& mark) { return mark.step >= 0; }) > 1;
}

int height_of(const StoryLane& lane, bool progress) {
  switch (lane.kind) {
    case StoryLane::Kind::Zone:
    case StoryLane::Kind::Node:
      return 30;
    case StoryLane::Kind::Job:
      return progress ? 94 : 44;
    case StoryLane::Kind::Rank:
      return 28;
  }
  return 30;
}

}  // namespace

TimelineLayout timeline_layout(const Story& story) {
  TimelineLayout layout;
  std::size_t lanes = 0;
  const auto add = [&](TimelineRow row) {
    row.top = layout.height;
    layout.height += row.height;
    layout.rows.push_back(std::move(row));
  };
  for (const Section section : {Section::Zones, Section::Machines, Section::Jobs}) {
    bool first = true;
    for (const StoryLane& lane : story.lanes) {
      if (section_of(lane) != section) continue;
      // Jobs are what it is about: machines leave half of the room to them.
      const bool full = lanes >= (section == Section::Jobs ? kMostLanes : kMostLanes / 2);
      if (full) {
        ++layout.lanes_left_out;
        continue;
      }
      if (std::exchange(first, false)) add({.heading = heading_of(section), .height = kHeadingHeight});
      const bool progress = has_progress(lane);
      add({.lane = &lane, .progress = progress, .height = height_of(lane, progress)});
      ++lanes;
    }
  }
  layout.most_spans = layout.most_marks =
      std::clamp<std::size_t>(kMostElements / 2 / std::max<std::size_t>(lanes, 1), 60, 1000);
  return layout;
}

}  // namespace reprise::simulator
