#include "controllers/gpupool/attempts.h"

#include <algorithm>
#include <utility>

namespace reprise::controllers::gpupool {
namespace {

constexpr std::chrono::seconds kFirstHold(60), kLongestHold(900);
constexpr std::chrono::minutes kWordsStand(5);
constexpr int kToldAfterFailures = 3;

}  // namespace

std::string_view reason_of(Obstacle::Cause cause) {
  switch (cause) {
    case Obstacle::Cause::Refused:
      return "FailedCreate";
    case Obstacle::Cause::ChangedBack:
      return "ChangedBack";
  }
  return {};
}

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

Obstacle Attempts::refused(const std::string& what, const std::string& words, runtime::Instant now) {
  Entry& entry = entries_[what];
  tell_refusal(entry, words, now);
  hold(entry, now);
  return entry.obstacle;
}

std::optional<Obstacle> Attempts::failed(const std::string& what, const std::string& words, runtime::Instant now) {
  Entry& entry = entries_[what];
  entry.wanted = true;
  entry.due = now;
  if (++entry.failures < kToldAfterFailures) return std::nullopt;
  tell_refusal(entry, words, now);
  return entry.obstacle;
}

void Attempts::made(const std::string& what) {
  entries_.erase(what);
}

void Attempts::changed(const std::string& what, runtime::Instant now) {
  Entry& entry = entries_[what];
  entry.failures = 0;
  entry.obstacle = {Obstacle::Cause::ChangedBack,
                    what +
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

void Attempts::tell_refusal(Entry& entry, const std::string& words, runtime::Instant now) {
  const bool told = entry.obstacle.cause == Obstacle::Cause::Refused && !entry.obstacle.words.empty();
  if (told && now < entry.told + kWordsStand) return;
  entry.obstacle = {Obstacle::Cause::Refused, words};
  entry.told = now;
}

}  // namespace reprise::controllers::gpupool
