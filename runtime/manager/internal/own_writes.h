// Remembers the writes for each key between two reconciles, so that no key is worked on before the caches show them.
// The invariants stand in runtime/cache/watch/watermarks.h.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/base/object_key.h"
#include "runtime/cache/watch/watermarks.h"
#include "runtime/client/client.h"
#include "runtime/kube/meta.h"

namespace reprise::runtime::internal {

// A write whose answer was lost: nobody knows whether it was carried out.
struct UnansweredWrite {
  kube::KindInfo kind;
  std::string namespace_;
  std::string name;                   // empty: the server was to choose it
  std::string uid, resource_version;  // for a removal: of the object that was to go
};

// Callable from any thread, but no two threads for one key (the queue sees to that).
class OwnWrites {
 public:
  explicit OwnWrites(Watermarks& watermarks) : watermarks_(watermarks) {}

  // Call it after a reconcile of `key`, with the owner of its writes and those that were not answered.
  void remember(const ObjectKey& key, std::string owner, std::vector<UnansweredWrite> unanswered);
  // Call it after a reconcile that wrote nothing.
  void forget(const ObjectKey& key);

  // Asks the API server what became of the unanswered writes; their watermarks are set then. An error: not known yet.
  [[nodiscard]] Result<void> resolve(const ObjectKey& key, Client& client);
  // True: the caches show all writes for the key. False: `wake` will run once, on any thread, when they do, and must
  // call woken(); it is not kept when an earlier one still waits.
  [[nodiscard]] bool caught_up(const ObjectKey& key, std::function<void()> wake);
  void woken(const ObjectKey& key);

 private:
  struct Trail {
    std::string owner;
    std::vector<UnansweredWrite> unanswered;
    bool waiting = false;
  };
  [[nodiscard]] Result<void> resolve(const std::string& owner, const UnansweredWrite& write, Client& client);

  Watermarks& watermarks_;
  std::mutex mutex_;
  std::unordered_map<ObjectKey, Trail> trails_;  // only of keys whose last reconcile wrote
};

}  // namespace reprise::runtime::internal
