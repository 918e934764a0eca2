// Says on standard output when the caches are filled and when every object in them has been reconciled once.
#pragma once

#include <cstdio>
#include <mutex>
#include <unordered_set>

#include "bench/sample/types.h"
#include "runtime/base/object_key.h"
#include "runtime/cache/store.h"

namespace bench {

// Callable from any thread.
class Progress {
 public:
  void synced(const reprise::runtime::Store<BenchJob>& jobs) {
    const std::lock_guard lock(mutex_);
    for (const auto& job : jobs.all()) missing_.insert(reprise::runtime::key_of(*job));
    count_ = missing_.size();
    say("synced");
    if (count_ == 0) say("reconciled");
  }
  void reconciled(const reprise::runtime::ObjectKey& key) {
    const std::lock_guard lock(mutex_);
    if (missing_.erase(key) == 0 || !missing_.empty()) return;
    missing_ = {};
    say("reconciled");
  }

 private:
  void say(const char* event) const {
    std::printf("{\"event\":\"%s\",\"count\":%zu}\n", event, count_);
    std::fflush(stdout);
  }

  std::mutex mutex_;
  std::unordered_set<reprise::runtime::ObjectKey> missing_;
  std::size_t count_ = 0;
};

}  // namespace bench
