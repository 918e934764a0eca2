// What was requested of the API server for one pool and came to nothing: it is tried again once in a while, not each
// time that something of the pool changes, and reported in a message that stands for a while, since some rejections
// name the request.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/clock.h"

namespace reprise::controllers::gpupool {

// What stands in the way, for conditions.
struct Obstacle {
  enum class Cause { Rejected, ChangedBack };
  Cause cause = Cause::Rejected;
  std::string message;
};
[[nodiscard]] std::string_view reason_of(Obstacle::Cause cause);

// One thread.
class Attempts {
 public:
  // Before a pass over the pool: what was tried for another generation of it says nothing about this one.
  void begin(std::int64_t generation);
  // After it: what was not wanted any more and is due is forgotten.
  void end(runtime::Instant now);

  // Not to be tried yet, and why. `what`: under which it is remembered, "create NodePool t4-spot".
  [[nodiscard]] std::optional<Obstacle> held(const std::string& what, runtime::Instant now);
  // Rejected by the API server. Returns what is to be reported.
  Obstacle rejected(const std::string& what, const std::string& message, runtime::Instant now);
  // For a cause that may pass by itself; it is tried again as any error is. Reported from the third time in a row on;
  // what was reported before stands until it is made.
  std::optional<Obstacle> failed(const std::string& what, const std::string& message, runtime::Instant now);
  // Still wanted, and nothing is sent now, due or not: why not, where it was rejected. Whoever calls this says itself
  // when it is tried again.
  [[nodiscard]] std::optional<Obstacle> still_rejected(const std::string& what, runtime::Instant now);
  void made(const std::string& what);
  // Whoever changes it back will do so again: a second change of the same thing waits. `name`: for messages.
  void changed(const std::string& what, const std::string& name, runtime::Instant now);
  // Other changes that begin so were undone by whoever calls this, and by nobody else.
  void forget_others(const std::string& beginning, const std::string& than);

  // What was rejected and begins with that, without it, and whether it is due.
  [[nodiscard]] std::map<std::string, bool, std::less<>> rejected(std::string_view beginning,
                                                                  runtime::Instant now) const;
  // When something that is held becomes due.
  [[nodiscard]] std::optional<runtime::Instant> next() const;

 private:
  struct Entry {
    Obstacle obstacle;
    runtime::Instant due{}, reported{};
    std::chrono::seconds hold{0};
    int failures = 0;
    bool wanted = true;
    bool waits_for_more = false;  // it is due, and more than time is needed
  };
  void hold(Entry& entry, runtime::Instant now);
  static void report_rejection(Entry& entry, const std::string& message, runtime::Instant now);

  std::int64_t generation_ = -1;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace reprise::controllers::gpupool
