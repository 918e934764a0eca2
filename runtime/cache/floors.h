// Read your writes: an owner is not reconciled again before the caches show what was written for it. Keyed by the owner's
// uid, never by name; never given up by time; given up for a kind when a list that began after the write has arrived.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "runtime/cache/store_view.h"

namespace reprise::runtime {

// Callable from any thread. Kinds that no registered store covers are not waited for.
class Floors {
 public:
  // Before start; `store` outlives this.
  void add_store(const api::KindInfo& kind, const StoreView& store);

  // An object of `kind` was written for `owner`; the caches must reach `resource_version`.
  void wrote(std::string_view owner, const api::KindInfo& kind, std::string_view ns, std::string_view resource_version);
  // An object was asked to go; the caches must show it gone or deleting.
  void removed(std::string_view owner, const api::KindInfo& kind, std::string_view ns, std::string_view uid);

  // True: nothing is missing. False: `wake` runs once, on the thread that calls advanced(), when that has changed.
  [[nodiscard]] bool ready_or_wake(std::string_view owner, std::function<void()> wake);
  // A store took in something.
  void advanced();
  // The number of owners with a wait.
  [[nodiscard]] std::size_t waiting() const;

 private:
  struct Expectation {
    const StoreView* store;
    std::string namespace_;
    std::string version;  // floor, or
    std::string uid;      // must be gone
    std::uint64_t lists_begun;
  };
  struct Owner {
    std::vector<Expectation> expectations;
    std::vector<std::function<void()>> wakes;
  };
  [[nodiscard]] static bool met(const Expectation& expectation);
  void expect(std::string_view owner, const api::KindInfo& kind, Expectation expectation);

  mutable std::mutex mutex_;
  std::multimap<std::string, const StoreView*, std::less<>> stores_;  // by "plural.group"
  std::map<std::string, Owner, std::less<>> owners_;
};

}  // namespace reprise::runtime
