#include "tests/calibration/milestones.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace reprise::calibration {
namespace {

using simulator::array;
using simulator::find;
using simulator::text;
using simulator::Value;

// Leaves out conditions that only some control planes or only some providers have (memory pressure, consistency
// checks).
constexpr std::array<std::string_view, 11> kConditions{
    "PodScheduled", "Initialized",    "ContainersReady", "Ready",           "Launched",           "Registered",
    "Drained",      "Consolidatable", "Drifted",         "VolumesDetached", "InstanceTerminating"};

std::vector<std::string> facts_of(std::string_view kind, const Value& object) {
  std::vector<std::string> facts{"exists"};
  for (const Value& each : array(object, {"status", "conditions"})) {
    const std::string_view type = text(each, {"type"});
    if (std::ranges::find(kConditions, type) == kConditions.end()) continue;
    facts.push_back(std::string(type) + "=" + std::string(text(each, {"status"})) + "/" +
                    std::string(text(each, {"reason"})));
  }
  if (kind == "nodes") {
    for (const Value& each : array(object, {"spec", "taints"}))
      facts.push_back("taint " + std::string(text(each, {"key"})) + ":" + std::string(text(each, {"effect"})));
    for (const char* label : {"karpenter.sh/registered", "karpenter.sh/initialized"})
      if (!text(object, {"metadata", "labels", label}).empty()) facts.push_back(std::string("label ") + label);
  }
  if (kind == "pods") {
    facts.push_back("phase " + std::string(text(object, {"status", "phase"})));
    if (!text(object, {"spec", "nodeName"}).empty()) facts.emplace_back("bound");
    for (const Value& each : array(object, {"status", "containerStatuses"})) {
      if (find(each, {"state", "running"}) != nullptr) facts.emplace_back("container running");
      if (find(each, {"state", "terminated"}) != nullptr)
        facts.push_back("container ended " +
                        std::to_string(simulator::number(each, {"state", "terminated", "exitCode"})));
    }
  }
  if (kind == "volumeattachments") {
    if (simulator::flag(object, {"status", "attached"})) facts.emplace_back("attached");
    if (!array(object, {"metadata", "finalizers"}).empty()) facts.emplace_back("held");
  }
  if (simulator::being_deleted(object)) facts.emplace_back("deleting");
  return facts;
}

}  // namespace

void Milestones::see(std::string_view kind, std::string_view type, const Value& object) {
  ++write_;
  Seen& which = seen(kind, simulator::name_of(object));
  if (type == "DELETED") {
    all_.push_back({write_, which.as, "gone"});
    return;
  }
  note(which, facts_of(kind, object));
}

Milestones::Seen& Milestones::seen(std::string_view kind, std::string_view name) {
  const auto known =
      std::ranges::find_if(seen_, [&](const Seen& each) { return each.kind == kind && each.name == name; });
  if (known != seen_.end()) return *known;
  const auto before = std::ranges::count(seen_, kind, &Seen::kind);
  const std::string as = std::string(kind) + (before == 0 ? "" : "-" + std::to_string(before + 1));
  seen_.push_back({std::string(kind), std::string(name), as, {}});
  return seen_.back();
}

void Milestones::note(Seen& object, const std::vector<std::string>& facts) {
  for (const std::string& fact : facts)
    if (std::ranges::find(object.last, fact) == object.last.end()) all_.push_back({write_, object.as, fact});
  for (const std::string& fact : object.last)
    if ((fact.starts_with("taint ") || fact == "attached") && std::ranges::find(facts, fact) == facts.end())
      all_.push_back({write_, object.as, "no " + fact});
  object.last = facts;
}

std::string to_line(const Milestone& milestone) {
  return std::to_string(milestone.write) + " " + milestone.kind + " " + milestone.fact;
}

Milestone parse_line(const std::string& line) {
  std::istringstream in(line);
  Milestone out;
  in >> out.write >> out.kind >> std::ws;
  std::getline(in, out.fact);
  return out;
}

}  // namespace reprise::calibration
