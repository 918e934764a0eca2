#include "controllers/gpupool/shell/attempts.h"

#include <algorithm>
#include <utility>

namespace reprise::controllers::gpupool {
namespace {

constexpr std::chrono::seconds kFirstHold(60), kLongestHold(900);
constexpr std::chrono::minutes kMessageStands(5);
constexpr int kReportedAfterFailures = 3;

bool reports_rejection(const Obstacle& obstacle) {
  return obstacle.cause == Obstacle::Cause::Rejected && !obstacle.message.empty();
}

}  // namespace

std::string_view reason_of(Obstacle::Cause cause) {
  switch (cause) {
    case Obstacle::Cause::Rejected:
      return "FailedCreate";
    case Obstacle::Cause::ChangedBack:
      return "ChangedBack";
  }
  return {};
}

void Attempts::begin(std::int64_t generation) {
  if (std::exchange(generation_, generation) != generation) entries_.clear();
  for (auto& [what, entry] : entries_) entry.wanted = entry.waits_for_more = false;
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
  report_rejection(entry, message, now);
  hold(entry, now);
  return entry.obstacle;
}

std::optional<Obstacle> Attempts::failed(const std::string& what, const std::string& message, runtime::Instant now) {
  Entry& entry = entries_[what];
  entry.wanted = true;
  entry.due = now;
  if (++entry.failures < kReportedAfterFailures)
    return reports_rejection(entry.obstacle) ? std::optional(entry.obstacle) : std::nullopt;
  report_rejection(entry, message, now);
  return entry.obstacle;
}

std::optional<Obstacle> Attempts::still_rejected(const std::string& what, runtime::Instant now) {
  const auto found = entries_.find(what);
  if (found == entries_.end() || found->second.obstacle.cause != Obstacle::Cause::Rejected) return std::nullopt;
  found->second.wanted = true;
  found->second.waits_for_more = found->second.due <= now;
  return found->second.obstacle;
}

std::map<std::string, bool, std::less<>> Attempts::rejected(std::string_view beginning, runtime::Instant now) const {
  std::map<std::string, bool, std::less<>> found;
  for (const auto& [what, entry] : entries_) {
    const bool is_rejected = entry.obstacle.cause == Obstacle::Cause::Rejected && entry.hold.count() > 0;
    if (is_rejected && what.starts_with(beginning)) found.emplace(what.substr(beginning.size()), entry.due <= now);
  }
  return found;
}

void Attempts::made(const std::string& what) {
  entries_.erase(what);
}

void Attempts::changed(const std::string& what, const std::string& name, runtime::Instant now) {
  Entry& entry = entries_[what];
  entry.failures = 0;
  entry.obstacle = {Obstacle::Cause::ChangedBack,
                    name +
                        ": it was done and is not so again; somebody in the cluster, a webhook, a "
                        "policy or a person, changes it back"};
  hold(entry, now);
}

void Attempts::forget_others(const std::string& beginning, const std::string& than) {
  std::erase_if(entries_, [&](const auto& each) { return each.first != than && each.first.starts_with(beginning); });
}

std::optional<runtime::Instant> Attempts::next() const {
  std::optional<runtime::Instant> next;
  for (const auto& [what, entry] : entries_) {
    if (entry.wanted && !entry.waits_for_more && entry.hold.count() > 0 && (!next || entry.due < *next))
      next = entry.due;
  }
  return next;
}

void Attempts::hold(Entry& entry, runtime::Instant now) {
  entry.wanted = true;
  entry.hold = entry.hold.count() == 0 ? kFirstHold : std::min(entry.hold * 2, kLongestHold);
  entry.due = now + entry.hold;
}

void Attempts::report_rejection(Entry& entry, const std::string& message, runtime::Instant now) {
  if (reports_rejection(entry.obstacle) && now < entry.reported + kMessageStands) return;
  entry.obstacle = {Obstacle::Cause::Rejected, message};
  entry.reported = now;
}

}  // namespace reprise::controllers::gpupool
