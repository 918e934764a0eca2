// Saves as a look finds them, and what was written down of them, for tests of the rules that hold them against each
// other.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/generations/halves/half_saves.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent::testing_support {

// "rank#/step_@" with the rank and the step.
inline std::string in_layout(const std::string& layout, int step, int rank) {
  std::string name;
  for (const char each : layout)
    name += each == '#' ? std::to_string(rank) : each == '@' ? std::to_string(step) : std::string(1, each);
  return name;
}

// Saved one after the other.
class OnVolume {
 public:
  OnVolume& save(const std::vector<std::string>& names, std::int32_t attempt = 1, bool complete = true) {
    for (const std::string& name : names) {
      ++clock_;
      found.insert(found.begin(),
                   {.name = name,
                    .step = read_save_name(name).likely.value_or(0),
                    .complete = complete,
                    .time = complete ? runtime::WallTime(std::chrono::seconds(clock_)) : runtime::WallTime{},
                    .format = complete ? "Plain" : std::string(kMarkerFormat)});
      if (attempt > 0) made.push_back({.order = clock_, .name = name, .job_uid = "job", .attempt = attempt});
    }
    return *this;
  }
  OnVolume& save_ranks(const std::string& layout, int step, const std::vector<int>& ranks, std::int32_t attempt = 1) {
    for (const int rank : ranks) save({in_layout(layout, step, rank)}, attempt);
    return *this;
  }
  OnVolume& tear(const std::string& name, std::int32_t attempt = 1) { return save({name}, attempt, false); }
  [[nodiscard]] std::vector<HalfSave> halves() const { return find_half_saves(found, made); }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const HalfSave& each : halves()) all.insert(all.end(), each.halves.begin(), each.halves.end());
    return all;
  }

  Checkpoints found;
  MadeCheckpoints made;

 private:
  std::int64_t clock_ = 0;
};

}  // namespace reprise::agent::testing_support
