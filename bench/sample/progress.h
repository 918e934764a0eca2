// Says on standard output when the caches are filled and when every object in them has been reconciled once.
#pragma once

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <unordered_set>

#include "bench/sample/types.h"
#include "runtime/base/object_key.h"
#include "runtime/cache/store.h"
#include "runtime/kube/object_writer.h"

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
    const auto count = static_cast<std::int64_t>(count_);
    std::puts(reprise::kube::ObjectWriter().text("event", event).integer("count", count).json().c_str());
    std::fflush(stdout);
  }

  std::mutex mutex_;
  std::unordered_set<reprise::runtime::ObjectKey> missing_;
  std::size_t count_ = 0;
};

}  // namespace bench
