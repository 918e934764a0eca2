// A standby that becomes leader has caches that may lag behind the last writes of the leader before it: its watches may
// have been silent for seconds. Before it works, every cache must show what there was when the lease was taken.
//
// How a cache gets there, the cheap way first:
// - A cache of a few objects is listed again. That is one request, and its answer is proof.
// - For a larger one a list of one object tells the version that the API server is at. Changes under way usually bring
//   the cache there at once. When they do not, either the watch is silent or nothing changed: it is opened again with a
//   short timeout, since servers send a bookmark before a watch ends. Only when that too brings nothing is it listed.
// So a kind that never changes holds nothing up.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/executor.h"
#include "runtime/base/log.h"
#include "runtime/cache/informer.h"
#include "runtime/client/client.h"

namespace reprise::runtime::internal {

struct CatchUpPolicy {
  std::size_t few = 500;   // objects
  Duration timeout{200};   // for changes that are under way
  Duration retry{4'000};   // when a look brought nothing; longer than WatchPolicy::catch_up_timeout
  int watches = 2;         // opened again before the kind is listed
  Duration limit{60'000};  // for everything
};

// On the executor's thread, but for describe(), behind() and check(). All references outlive it.
class CatchUp : public std::enable_shared_from_this<CatchUp> {
 public:
  using Informers = std::vector<std::unique_ptr<InformerBase>>;
  CatchUp(const Informers& informers, Client& client, Executor& executor, const Clock& clock, Logger& logger,
          CatchUpPolicy policy = {});

  // `done` runs once: with an error when the limit has passed, never after stop().
  void start(std::function<void(Result<void>)> done);
  // A cache has taken something in.
  void advanced();
  void stop();

  // The caches that are waited for, one line each: "kind=Pod namespace= at=120 until=130 looks=1". Any thread.
  [[nodiscard]] std::vector<std::string> describe() const;
  [[nodiscard]] std::size_t behind() const;
  // For liveness: an error when the limit has passed and nothing came of it. Any thread.
  [[nodiscard]] Result<void> check() const;

 private:
  struct Cache {
    InformerBase* informer;
    std::string namespace_;     // as in WatchStatus
    std::uint64_t lists_begun;  // when the lease was taken
    std::string until;          // the version to reach; empty: a list only will do
    bool listing = false;       // no version is asked for (any more)
    int looks = 0;
    Instant due{};
  };
  [[nodiscard]] static bool caught_up(const Cache& cache);
  [[nodiscard]] Cache* find(const InformerBase* informer, const std::string& ns);
  void look(Cache& cache, Instant now);
  void probe(const Cache& cache);
  void on_probe(const InformerBase* informer, const std::string& ns, const Result<std::string>& page);
  void on_timer();
  void arm();
  void finish(Result<void> result);

  const Informers& informers_;
  Client& client_;
  Executor& executor_;
  const Clock& clock_;
  Logger& logger_;
  CatchUpPolicy policy_;
  std::function<void(Result<void>)> done_;
  std::unique_ptr<Timer> timer_;

  mutable std::mutex mutex_;  // guards the members below; written on the executor's thread only, so read there without
                              // it
  std::vector<Cache> caches_;
  Instant began_{};
};

}  // namespace reprise::runtime::internal
