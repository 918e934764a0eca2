#include "agent/core/stop/telling/witness.h"

#include <algorithm>
#include <set>

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kWindow{20};
constexpr seconds kShortest{3};  // /proc counts in hundredths of a second
constexpr seconds kOften{1}, kSeldom{10}, kEarly{60};
// Period for each process: a look costs some 40 µs for each of them, so it takes a thousandth of a core.
constexpr milliseconds kPeriodEach{40};

}  // namespace

std::vector<Process> Witness::take(std::vector<Process> processes, runtime::Instant now) {
  if (!began_) began_ = now;
  std::set<Identity> here;
  for (const Process& each : processes) {
    const Identity identity{each.pid, each.started};
    here.insert(identity);
    Known& known = known_[identity];
    if (known.samples.empty()) known.first = now;
    known.samples.push_back({.at = now, .cpu = each.cpu});
  }
  std::erase_if(known_, [&](const auto& each) { return !here.contains(each.first); });
  note_children(processes, now);
  for (Process& each : processes) {
    Known& known = known_[{each.pid, each.started}];
    auto& samples = known.samples;
    while (samples.size() > 1 && known.first_child && samples.front().at < *known.first_child) samples.pop_front();
    while (samples.size() > 2 && samples[1].at <= now - kWindow) samples.pop_front();
    const auto time = std::chrono::duration<double>(now - samples.front().at);
    if (time >= kShortest) each.burn = std::chrono::duration<double>(each.cpu - samples.front().cpu) / time;
  }
  const milliseconds period = now < *began_ + kEarly ? kOften : kSeldom;
  look_at_ = now + std::max(period, kPeriodEach * static_cast<std::int64_t>(processes.size()));
  return processes;
}

void Witness::note_children(const std::vector<Process>& processes, runtime::Instant now) {
  for (const Process& each : processes) {
    const Process* const parent = find_process(each.parent, processes);
    if (parent == nullptr) continue;
    const auto first = known_[{each.pid, each.started}].first;
    auto& first_child = known_[{parent->pid, parent->started}].first_child;
    if (now - first >= kShortest && (!first_child || first < *first_child)) first_child = first;
  }
}

}  // namespace reprise::agent
