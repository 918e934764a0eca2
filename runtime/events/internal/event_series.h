// Decides which events are written, and when. No I/O and no clock of its own.
//
// The first occurrence makes an Event. Repeats (same object, type, reason, action and note) are counted and written as
// its series at the 2nd, 3rd, 5th and 10th, then at most every `write_every`, and once more when the series is over. A
// repeat that comes after the end but before that last write joins it, and goes on with the series.
// A note that changes each time makes new Events: an object gets `burst` of one reason, then one each `refill_every`.
// Each reason has its own bucket: frequent events must not drown rare ones. An Event that is made anew because it
// vanished is a new Event too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/events/internal/event_json.h"

namespace reprise::runtime {

struct SeriesPolicy {
  Duration over_after{360'000};  // without a repeat for so long: the next one is a new Event
  Duration write_every{360'000};
  double burst = 25;  // new Events of one object and reason at once: what client-go's spam filter lets through
  Duration refill_every{300'000};
  std::size_t most_series = 4096, most_objects = 4096;
};

enum class EventVerdict {
  Create,   // begin a series: write the Event
  Update,   // write the count of a known one
  Counted,  // no write is needed now
  Limited,  // this object has had too many of this reason: give it up
};

// One thread at a time.
class EventSeries {
 public:
  using Key = std::string;
  struct Update {
    std::string namespace_, name;
    std::int32_t count = 0;
    WallTime last{};
  };

  explicit EventSeries(SeriesPolicy policy) : policy_(policy) {}

  // An event happened. After Create or Update nothing more is asked for this key until one of those below.
  [[nodiscard]] EventVerdict note(const Key& key, const EventRecord& event, Instant now);
  // The Event to make for a key whose verdict was Create; nothing when it was forgotten meanwhile.
  [[nodiscard]] std::optional<EventRecord> to_create(const Key& key) const;
  [[nodiscard]] std::optional<Update> to_update(const Key& key) const;

  // The event was written, up to `count`. True: repeats that came meanwhile are to be written too (Update).
  [[nodiscard]] bool written(const Key& key, const std::string& name, std::int32_t count, Instant now);
  // The Event is gone from the server: the series begins anew (Create). False: this object has had too many of this
  // reason, forget the series.
  [[nodiscard]] bool vanished(const Key& key, WallTime time, Instant now);
  // The write is put off: the count stays for later.
  void put_off(const Key& key);
  // Given up: how many occurrences were never written.
  std::int32_t forget(const Key& key);
  // The same for a Create that was not even tried: its object may have another new Event for it.
  std::int32_t turn_away(const Key& key);

  // How many occurrences were never written because their series had to make room for others; since the last call.
  [[nodiscard]] std::int64_t take_displaced();

  // Ends series that are over; returns the keys whose counts are to be written (Update).
  [[nodiscard]] std::vector<Key> sweep(Instant now);
  // All keys with counts not written yet (Update).
  [[nodiscard]] std::vector<Key> unwritten();
  [[nodiscard]] bool empty() const { return series_.empty(); }

 private:
  struct Entry {
    EventRecord event;
    std::int32_t count = 1, written_count = 0;
    WallTime last{};
    Instant seen_at{}, written_at{};
    bool busy = true;  // a write was asked for and not answered
    bool over = false;
  };
  struct Bucket {
    double tokens = 0;
    Instant at{};
  };
  [[nodiscard]] bool due(const Entry& entry, Instant now) const;
  [[nodiscard]] bool allowed(const EventRecord& event, Instant now);
  void make_room();

  SeriesPolicy policy_;
  std::map<Key, Entry> series_;
  std::int64_t displaced_ = 0;
  std::map<std::string, Bucket> buckets_;  // by the object's uid, or its name, and the reason
};

}  // namespace reprise::runtime
