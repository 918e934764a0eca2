#include "controllers/placement/evaluation/events_trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "controllers/placement/evaluation/trace_table.h"
#include "controllers/placement/evaluation/zones_replay.h"
#include "runtime/kube/time.h"

namespace reprise::controllers::placement {
namespace {

constexpr std::array<std::string_view, 5> kUp{"Launched", "Registered", "Initialized", "NodeReady", "Ready"};
constexpr std::array<std::string_view, 12> kDown{"InsufficientCapacityError", "InsufficientCapacity",
                                                 "SpotInterrupted",           "SpotInterruption",
                                                 "TerminatingOnInterruption", "InstanceStopping",
                                                 "InstanceTerminating",       "InstanceUnhealthy",
                                                 "PreemptScheduled",          "ScheduledEvent",
                                                 "UnfulfillableCapacity",     "CapacityReservationInstanceInterrupted"};
constexpr std::size_t kMostCells = 10'000'000;  // ticks times zones
constexpr std::string_view kNone = "<none>";
constexpr std::string_view kBlank = " \t\r";

struct Change {  // a zone's capacity changes
  std::size_t line;
  kube::Time time;
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

// "Type: Ready, Status: True -> False": the Event of a condition that ceased to hold, under the condition's name.
bool ceased(const std::vector<std::string_view>& words) {
  const auto arrow = std::ranges::find(words, "->");
  return arrow != words.end() && arrow + 1 != words.end() && *(arrow + 1) != "True";
}

struct Sighting {  // an Event that tells of capacity
  std::size_t line;
  kube::Time time;
  bool up;
  std::string object;
  std::string zone;  // empty: the line names none
};

// Reads one line; empty for Events that are not about capacity.
runtime::Result<std::optional<Sighting>> sighting_of(std::string_view file, std::size_t number, std::string_view line) {
  std::optional<kube::Time> time;
  std::size_t stamps = 0;
  for (;; ++stamps) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    const std::string_view stamp = line.substr(0, line.find_first_of(kBlank));
    const auto parsed = kube::parse_time(stamp);
    if (!parsed && stamp != kNone) {
      if (stamps > 0) break;
      if (stamp.empty() || stamp == "TIME") return std::nullopt;
      return bad_line(file, number,
                      "found '" + std::string(stamp.substr(0, 40)) + "', must be a time such as 2026-11-21T14:10:00Z");
    }
    if (parsed) time = time ? std::max(*time, *parsed) : *parsed;
    line.remove_prefix(stamp.size());
  }
  const auto words = words_of(line);
  if (words.empty()) return bad_line(file, number, "no reason follows the time");
  const bool up = std::ranges::find(kUp, words[0]) != kUp.end();
  if (!up && std::ranges::find(kDown, words[0]) == kDown.end()) return std::nullopt;
  if (up && ceased(words)) return std::nullopt;
  if (!time) return bad_line(file, number, "tells of capacity but has no time; print .eventTime beside .lastTimestamp");
  const auto named = std::find_if(words.begin() + 1, words.end(), reads_like_a_zone);
  return Sighting{.line = number,
                  .time = *time,
                  .up = up,
                  .object = words.size() > 1 ? std::string(words[1]) : std::string(),
                  .zone = named == words.end() ? std::string() : std::string(*named)};
}

// The changes of spot alone, in the order of time.
runtime::Result<std::map<std::string, std::vector<Change>, std::less<>>> by_zone(
    std::string_view file, const std::vector<Sighting>& sightings,
    const std::map<std::string, EventObject, std::less<>>& objects, const std::string& otherwise) {
  std::map<std::string, std::vector<Change>, std::less<>> zones;
  for (const Sighting& sighting : sightings) {
    const EventObject& object = objects.at(sighting.object);
    if (!object.spot) continue;
    const std::string& where = !sighting.zone.empty() ? sighting.zone : (object.zone.empty() ? otherwise : object.zone);
    if (where.empty())
      return bad_line(file, sighting.line,
                      "names no zone; give --objects with the zone of " + sighting.object.substr(0, 80) +
                          ", or --zone for Events that tell of none");
    zones[where].push_back({.line = sighting.line, .time = sighting.time, .up = sighting.up});
  }
  for (auto& [name, changes] : zones)
    std::ranges::sort(changes, {}, [](const Change& change) { return std::pair(change.time, change.line); });
  return zones;
}

std::vector<int> series_of(const std::vector<Change>& changes, kube::Time first, std::chrono::seconds gap,
                           std::size_t ticks) {
  std::vector<int> available(ticks, kUnknown);
  auto next = changes.begin();
  int state = kUnknown;
  for (std::size_t t = 0; t < ticks; ++t) {
    // A tick in which spot was taken and came back still lost what ran.
    bool lost = false;
    for (; next != changes.end() && next->time < first + gap * (t + 1); ++next) {
      state = next->up ? 1 : 0;
      lost = lost || !next->up;
    }
    available[t] = lost ? 0 : state;
  }
  return available;
}

}  // namespace

runtime::Result<std::map<std::string, EventObject, std::less<>>> read_event_objects(std::string_view file,
                                                                                    std::string_view text) {
  std::map<std::string, EventObject, std::less<>> objects;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const auto words = words_of(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (words.empty()) continue;
    const std::string_view name = words[0].substr(words[0].find('/') + 1);
    if (name == "NAME") continue;
    if (words.size() < 2 || words.size() > 3)
      return bad_line(file, number, "found " + std::to_string(words.size()) + " words, must be NAME ZONE CAPACITY");
    const std::string_view zone = words[1] == kNone ? std::string_view() : words[1];
    // The same object may be listed by its NodeClaim and its Node.
    const bool spot = words.size() < 3 || words[2] == kNone || words[2] == "spot";
    objects.insert_or_assign(std::string(name), EventObject{.zone = std::string(zone), .spot = spot});
  }
  return objects;
}

runtime::Result<Trace> trace_from_events(std::string_view file, std::string_view text, const EventPlaces& places,
                                         int gap_seconds) {
  std::vector<Sighting> sightings;
  std::map<std::string, EventObject, std::less<>> objects = places.objects;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    auto sighting = sighting_of(file, number, text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!sighting) return std::unexpected(std::move(sighting).error());
    if (!*sighting) continue;
    // A zone that one line names holds for what other lines tell of the same object.
    EventObject& object = objects[(*sighting)->object];
    if (object.zone.empty()) object.zone = (*sighting)->zone;
    sightings.push_back(std::move(**sighting));
  }
  auto zones = by_zone(file, sightings, objects, places.otherwise);
  if (!zones) return std::unexpected(std::move(zones).error());
  if (zones->empty())
    return bad_line(file, std::max<std::size_t>(number, 1),
                    "no Event tells of capacity (Launched, SpotInterrupted, InsufficientCapacityError, ...)");

  kube::Time first = zones->begin()->second.front().time;
  kube::Time last = first;
  for (const auto& [name, changes] : *zones) {
    first = std::min(first, changes.front().time);
    last = std::max(last, changes.back().time);
  }
  const auto gap = std::chrono::seconds(gap_seconds);
  const auto ticks = static_cast<std::size_t>((last - first) / gap) + 1;
  if (ticks > kMostCells / zones->size())
    return bad_line(
        file, number,
        "the Events span more than " + std::to_string(kMostCells) + " ticks of all zones; give longer ones");
  Trace trace{.file = std::string(file), .tick = gap_seconds / 3600.0, .nodes_probed = 1};
  for (const auto& [name, changes] : *zones)
    trace.zones.push_back({.name = name, .available = series_of(changes, first, gap, ticks)});
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
