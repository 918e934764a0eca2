#include "controllers/gpupool/attempts.h"

#include <algorithm>
#include <utility>

namespace reprise::controllers::gpupool {
namespace {

constexpr std::chrono::seconds kFirstHold(60), kLongestHold(900);
constexpr std::chrono::minutes kMessageStands(5);
constexpr int kReportedAfterFailures = 3;
constexpr const char* kFailedCreate = "FailedCreate";

}  // namespace

void Attempts::begin(std::int64_t generation) {
  if (std::exchange(generation_, generation) != generation) entries_.clear();
  for (auto& [what, entry] : entries_) entry.wanted = false;
}

void Attempts::end(runtime::Instant now) {
  std::erase_if(entries_, [&](const auto& each) { return !each.second.wanted && each.second.due <= now; });
}

std::optional<Obstacle> Attempts::held(const std::string& what, runtime::Instant now) {
  const auto found = entries_.find(what);
  if (found == entries_.end()) return std::nullopt;
  found->second.wanted = true;
  if (found->second.due <= now) return std::nullopt;
  return found->second.obstacle;
}

Obstacle Attempts::rejected(const std::string& what, const std::string& message, runtime::Instant now) {
  Entry& entry = entries_[what];
  report(entry, kFailedCreate, message, now);
  hold(entry, now);
  return entry.obstacle;
}

std::optional<Obstacle> Attempts::failed(const std::string& what, const std::string& message, runtime::Instant now) {
  Entry& entry = entries_[what];
  entry.wanted = true;
  entry.due = now;
  if (++entry.failures < kReportedAfterFailures) return std::nullopt;
  report(entry, kFailedCreate, message, now);
  return entry.obstacle;
}

void Attempts::made(const std::string& what) {
  entries_.erase(what);
}

void Attempts::changed(const std::string& what, runtime::Instant now) {
  Entry& entry = entries_[what];
  entry.failures = 0;
  entry.obstacle = {"ChangedBack", what +
                                       ": it was done and is not so again; somebody in the cluster, a webhook, a "
                                       "policy or a person, changes it back"};
  hold(entry, now);
}

std::optional<runtime::Instant> Attempts::next() const {
  std::optional<runtime::Instant> next;
  for (const auto& [what, entry] : entries_) {
    if (entry.wanted && entry.hold.count() > 0 && (!next || entry.due < *next)) next = entry.due;
  }
  return next;
}

void Attempts::hold(Entry& entry, runtime::Instant now) {
  entry.wanted = true;
  entry.hold = entry.hold.count() == 0 ? kFirstHold : std::min(entry.hold * 2, kLongestHold);
  entry.due = now + entry.hold;
}

void Attempts::report(Entry& entry, std::string reason, const std::string& message, runtime::Instant now) {
  const bool stands =
      entry.obstacle.reason == reason && !entry.obstacle.message.empty() && now < entry.reported + kMessageStands;
  if (stands) return;
  entry.obstacle = {std::move(reason), message};
  entry.reported = now;
}

}  // namespace reprise::controllers::gpupool
