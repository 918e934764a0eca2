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

// Those that only some control planes or only some providers have are left out (memory pressure, consistency checks).
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
  if (simulator::being_deleted(object)) facts.emplace_back("deleting");
  return facts;
}

}  // namespace

void Milestones::see(std::string_view kind, std::string_view type, const Value& object) {
  ++write_;
  if (type == "DELETED") {
    all_.push_back({write_, std::string(kind), "gone"});
    return;
  }
  note(kind, facts_of(kind, object));
}

void Milestones::note(std::string_view kind, const std::vector<std::string>& facts) {
  auto known = std::ranges::find_if(last_, [&](const auto& each) { return each.first == kind; });
  if (known == last_.end()) known = last_.insert(last_.end(), {std::string(kind), {}});
  for (const std::string& fact : facts)
    if (std::ranges::find(known->second, fact) == known->second.end())
      all_.push_back({write_, std::string(kind), fact});
  for (const std::string& fact : known->second)
    if (fact.starts_with("taint ") && std::ranges::find(facts, fact) == facts.end())
      all_.push_back({write_, std::string(kind), "no " + fact});
  known->second = facts;
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
