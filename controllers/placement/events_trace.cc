#include "controllers/placement/events_trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "api/time.h"
#include "controllers/placement/trace_table.h"
#include "controllers/placement/zones_replay.h"

namespace reprise::controllers::placement {
namespace {

constexpr std::array<std::string_view, 5> kUp{"Launched", "Registered", "Initialized", "NodeReady", "Ready"};
constexpr std::array<std::string_view, 12> kDown{"InsufficientCapacityError", "InsufficientCapacity",
                                                 "SpotInterrupted",           "SpotInterruption",
                                                 "TerminatingOnInterruption", "InstanceStopping",
                                                 "InstanceTerminating",       "InstanceUnhealthy",
                                                 "PreemptScheduled",          "ScheduledEvent",
                                                 "UnfulfillableCapacity",     "CapacityReservationInstanceInterrupted"};
constexpr std::size_t kMostTicks = 10'000'000;

struct Word {
  std::size_t line;
  api::Time time;
  bool up;
};

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBetween = " \t\r,;:()\"'=";
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = line.find_first_of(kBetween);
    words.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return words;
    line.remove_prefix(end);
  }
}

// "us-west-2a", "us-central1-a": at least one hyphen, letters first, and a region inside.
bool reads_like_a_zone(std::string_view word) {
  const std::string text(word);
  const std::string region = region_of(text);
  return region != text && region.contains('-') && region.back() >= '0' && region.back() <= '9' &&
         std::ranges::all_of(text,
                             [](char c) { return c == '-' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }) &&
         std::ranges::count(text, '-') <= 3;
}

}  // namespace

runtime::Result<Trace> trace_from_events(std::string_view file, std::string_view text, std::string_view zone,
                                         int gap_seconds) {
  std::map<std::string, std::vector<Word>, std::less<>> zones;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t blank = line.find_first_of(" \t");
    const std::string_view stamp = line.substr(0, blank);
    if (stamp.empty() || stamp == "TIME") continue;
    const auto time = api::parse_time(stamp);
    if (!time)
      return bad_line(file, number,
                      "found '" + std::string(stamp.substr(0, 40)) + "', must be a time such as 2026-11-21T14:10:00Z");
    const auto words = words_of(blank == std::string_view::npos ? std::string_view() : line.substr(blank));
    if (words.empty()) return bad_line(file, number, "no reason follows the time");
    const bool up = std::ranges::find(kUp, words[0]) != kUp.end();
    if (!up && std::ranges::find(kDown, words[0]) == kDown.end()) continue;
    const auto named = std::find_if(words.begin() + 1, words.end(), reads_like_a_zone);
    const std::string_view where = named == words.end() ? zone : *named;
    if (where.empty()) return bad_line(file, number, "names no zone; give --zone for Events that do not");
    zones[std::string(where)].push_back({.line = number, .time = *time, .up = up});
  }
  if (zones.empty())
    return bad_line(file, std::max<std::size_t>(number, 1),
                    "no Event tells of capacity (Launched, SpotInterrupted, InsufficientCapacityError, ...)");

  api::Time first = zones.begin()->second.front().time;
  api::Time last = first;
  for (auto& [name, words] : zones) {
    std::ranges::sort(words, {}, [](const Word& word) { return std::pair(word.time, word.line); });
    first = std::min(first, words.front().time);
    last = std::max(last, words.back().time);
  }
  const auto gap = std::chrono::seconds(gap_seconds);
  const auto ticks = static_cast<std::size_t>((last - first) / gap) + 1;
  if (ticks > kMostTicks)
    return bad_line(file, number, "the Events span more than " + std::to_string(kMostTicks) + " ticks");
  Trace trace{.file = std::string(file), .tick = gap_seconds / 3600.0, .nodes_probed = 1};
  for (const auto& [name, words] : zones) {
    ZoneTrace series{.name = name, .available = std::vector<int>(ticks, kUnknown)};
    auto next = words.begin();
    int state = kUnknown;
    for (std::size_t t = 0; t < ticks; ++t) {
      // A tick in which spot was taken and came back still lost what ran.
      bool lost = false;
      for (; next != words.end() && next->time < first + gap * (t + 1); ++next) {
        state = next->up ? 1 : 0;
        lost = lost || !next->up;
      }
      series.available[t] = lost ? 0 : state;
    }
    trace.zones.push_back(std::move(series));
  }
  return trace;
}

std::string write_trace(const Trace& trace) {
  std::string text = "# source=" + trace.file + "\n# gap_seconds=" + std::to_string(std::lround(trace.tick * 3600)) +
                     "\n# nodes_probed=" + std::to_string(trace.nodes_probed) +
                     "\n# value=nodes available; -1 = unknown\ntick";
  for (const ZoneTrace& zone : trace.zones) text += "," + zone.name;
  text += "\n";
  for (std::size_t t = 0; t < trace.zones.front().available.size(); ++t) {
    text += std::to_string(t);
    for (const ZoneTrace& zone : trace.zones) text += "," + std::to_string(zone.available[t]);
    text += "\n";
  }
  return text;
}

}  // namespace reprise::controllers::placement
