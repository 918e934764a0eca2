// Remembers the requests of one pool to the API server that came to nothing. Each is tried again once in a while, not
// each time that something of the pool changes, and reported in a message that stands for a while, since some
// rejections name the request.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/clock.h"

namespace reprise::controllers::gpupool {

// An obstacle to the pool's requests, for conditions.
struct Obstacle {
  enum class Cause { Rejected, ChangedBack };
  Cause cause = Cause::Rejected;
  std::string message;
};
[[nodiscard]] std::string_view reason_of(Obstacle::Cause cause);

// One thread.
class Attempts {
 public:
  // Begins a pass over the pool: a try for another generation of it says nothing about this one.
  void begin(std::int64_t generation);
  // Ends a pass: forgets tries that are due and were not wanted any more.
  void end(runtime::Instant now);

  // Says why a request is not to be tried yet; empty: it may be. `what`: the key under which it is remembered, "create
  // NodePool t4-spot".
  [[nodiscard]] std::optional<Obstacle> held(const std::string& what, runtime::Instant now);
  // Notes that the API server has rejected it. Returns what is to be reported.
  Obstacle rejected(const std::string& what, const std::string& message, runtime::Instant now);
  // Notes that it failed for a cause that may pass by itself; it is tried again as any error is. Reported from the
  // third time in a row on; an earlier report stands until the request succeeds.
  std::optional<Obstacle> failed(const std::string& what, const std::string& message, runtime::Instant now);
  // Notes that it is still wanted and that nothing is sent now, due or not. Returns why not, where it was rejected. The
  // caller says itself when it is tried again.
  [[nodiscard]] std::optional<Obstacle> still_rejected(const std::string& what, runtime::Instant now);
  void made(const std::string& what);
  // Notes a change. Somebody who changes it back will do so again: a second change of the same thing waits. `name`: for
  // messages.
  void changed(const std::string& what, const std::string& name, runtime::Instant now);
  // Forgets other changes that begin so: the caller has undone them, and nobody else has.
  void forget_others(const std::string& beginning, const std::string& than);

  // The rejected requests that begin with `beginning`, without it, and whether each is due.
  [[nodiscard]] std::map<std::string, bool, std::less<>> rejected(std::string_view beginning,
                                                                  runtime::Instant now) const;
  // The time when the next held request becomes due.
  [[nodiscard]] std::optional<runtime::Instant> next() const;

 private:
  struct Entry {
    Obstacle obstacle;
    runtime::Instant due{}, reported{};
    std::chrono::seconds hold{0};
    int failures = 0;
    bool wanted = true;
    bool waits_for_more = false;  // due, and more than time is needed
  };
  void hold(Entry& entry, runtime::Instant now);
  static void report_rejection(Entry& entry, const std::string& message, runtime::Instant now);

  std::int64_t generation_ = -1;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace reprise::controllers::gpupool
