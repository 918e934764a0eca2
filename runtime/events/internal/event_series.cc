#include "runtime/events/internal/event_series.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace reprise::runtime {
namespace {

std::string bucket_of(const EventRecord& event) {
  const std::string object =
      event.regarding_uid.empty() ? event.regarding_namespace + "/" + event.regarding_name : event.regarding_uid;
  return object + " " + event.reason;
}

// The entries of least rank, so many that seven eighths of `most` are left. Finding them means looking at all: done for
// one at a time, each new key of a full map would cost that.
template <class Map, class Rank>
std::vector<typename Map::iterator> surplus(Map& map, std::size_t most, Rank rank) {
  const std::size_t keep = most - std::min(most, most / 8 + 1);
  if (map.size() <= keep) return {};
  std::vector<typename Map::iterator> all;
  all.reserve(map.size());
  for (auto at = map.begin(); at != map.end(); ++at) all.push_back(at);
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(map.size() - keep);
  std::nth_element(all.begin(), end, all.end(),
                   [&rank](const auto& left, const auto& right) { return rank(left->second) < rank(right->second); });
  all.erase(end, all.end());
  return all;
}

}  // namespace

bool EventSeries::due(const Entry& entry, Instant now) const {
  constexpr std::array<std::int32_t, 4> early{2, 3, 5, 10};
  if (entry.busy || entry.count == entry.written_count) return false;
  const bool passed = std::any_of(early.begin(), early.end(), [&entry](std::int32_t count) {
    return entry.written_count < count && count <= entry.count;
  });
  return passed || now - entry.written_at >= policy_.write_every;
}

bool EventSeries::allowed(const EventRecord& event, Instant now) {
  const auto [found, added] = buckets_.try_emplace(bucket_of(event), Bucket{policy_.burst, now});
  Bucket& bucket = found->second;
  const std::chrono::duration<double> passed = now - bucket.at;
  const std::chrono::duration<double> one = policy_.refill_every;
  bucket.tokens = std::min(policy_.burst, bucket.tokens + passed / one);
  bucket.at = now;
  const bool pays = bucket.tokens >= 1;
  if (pays) bucket.tokens -= 1;
  if (buckets_.size() > policy_.most_objects) {
    // A full bucket says nothing that a new one would not.
    std::erase_if(buckets_, [&](const auto& entry) {
      return entry.second.tokens + (now - entry.second.at) / one >= policy_.burst;
    });
    for (const auto& oldest : surplus(buckets_, policy_.most_objects, [](const Bucket& of) { return of.at; })) {
      buckets_.erase(oldest);
    }
  }
  return pays;
}

void EventSeries::make_room() {
  if (series_.size() < policy_.most_series) return;
  const auto rank = [](const Entry& entry) { return std::pair(entry.busy, entry.seen_at); };
  for (const auto& oldest : surplus(series_, policy_.most_series, rank)) {
    displaced_ += oldest->second.count - oldest->second.written_count;
    series_.erase(oldest);
  }
}

std::int64_t EventSeries::take_displaced() {
  return std::exchange(displaced_, 0);
}

EventVerdict EventSeries::note(const Key& key, const EventRecord& event, Instant now) {
  auto found = series_.find(key);
  const bool over = found != series_.end() && !found->second.busy && now - found->second.seen_at > policy_.over_after;
  if (over && found->second.count == found->second.written_count) {
    series_.erase(found);
    found = series_.end();
  }
  if (found == series_.end()) {
    if (!allowed(event, now)) return EventVerdict::Limited;
    make_room();
    series_.emplace(key, Entry{.event = event, .last = event.time, .seen_at = now, .written_at = now});
    return EventVerdict::Create;
  }
  Entry& entry = found->second;
  if (entry.count < std::numeric_limits<std::int32_t>::max()) ++entry.count;
  entry.last = event.time;
  entry.seen_at = now;
  entry.over = false;
  if (!over && !due(entry, now)) return EventVerdict::Counted;
  entry.busy = true;
  return EventVerdict::Update;
}

std::optional<EventRecord> EventSeries::to_create(const Key& key) const {
  const auto found = series_.find(key);
  if (found == series_.end()) return std::nullopt;
  return found->second.event;
}

std::optional<EventSeries::Update> EventSeries::to_update(const Key& key) const {
  const auto found = series_.find(key);
  if (found == series_.end()) return std::nullopt;
  const Entry& entry = found->second;
  return Update{entry.event.namespace_, entry.event.name, entry.count, entry.last};
}

bool EventSeries::written(const Key& key, const std::string& name, std::int32_t count, Instant now) {
  const auto found = series_.find(key);
  if (found == series_.end()) return false;
  Entry& entry = found->second;
  entry.event.name = name;
  entry.written_count = count;
  entry.written_at = now;
  entry.busy = false;
  if (entry.over && entry.count == entry.written_count) {
    series_.erase(found);
    return false;
  }
  entry.busy = due(entry, now);
  return entry.busy;
}

bool EventSeries::vanished(const Key& key, WallTime time, Instant now) {
  const auto found = series_.find(key);
  if (found == series_.end()) return true;
  Entry& entry = found->second;
  if (!allowed(entry.event, now)) return false;
  entry.event.time = time;
  entry.event.name.clear();
  entry.count = 1;
  entry.written_count = 0;
  entry.over = false;
  return true;
}

void EventSeries::put_off(const Key& key) {
  const auto found = series_.find(key);
  if (found != series_.end()) found->second.busy = false;
}

std::int32_t EventSeries::forget(const Key& key) {
  const auto found = series_.find(key);
  if (found == series_.end()) return 0;
  const std::int32_t unwritten = found->second.count - found->second.written_count;
  series_.erase(found);
  return unwritten;
}

std::int32_t EventSeries::turn_away(const Key& key) {
  const auto found = series_.find(key);
  if (found == series_.end()) return 0;
  const auto bucket = buckets_.find(bucket_of(found->second.event));
  if (bucket != buckets_.end()) bucket->second.tokens = std::min(policy_.burst, bucket->second.tokens + 1);
  return forget(key);
}

std::vector<EventSeries::Key> EventSeries::sweep(Instant now) {
  std::vector<Key> keys;
  for (auto at = series_.begin(); at != series_.end();) {
    Entry& entry = at->second;
    const bool over = !entry.busy && now - entry.seen_at >= policy_.over_after;
    if (over && entry.count == entry.written_count) {
      at = series_.erase(at);
      continue;
    }
    if (over || due(entry, now)) {
      entry.over = over;
      entry.busy = true;
      keys.push_back(at->first);
    }
    ++at;
  }
  return keys;
}

std::vector<EventSeries::Key> EventSeries::unwritten() {
  std::vector<Key> keys;
  for (auto& [key, entry] : series_) {
    if (entry.busy || entry.count == entry.written_count) continue;
    entry.busy = true;
    keys.push_back(key);
  }
  return keys;
}

}  // namespace reprise::runtime
