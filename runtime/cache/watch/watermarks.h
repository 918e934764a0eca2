// Read your writes: an owner is not reconciled again before the caches show what was written for it.
//
// The invariants, and who keeps them:
// - A watermark is keyed by the owner's uid, never by its name: another object of that name owes nothing.
// - A watermark never ends by time. It ends when its store has reached the version; for a removal, when the store has
//   reached the version in which the object was seen, and holds it no more (or shows it deleting); or when a list that
//   began after the write has taken the store's place: a consistent list shows whatever was written before it began,
//   also when an etcd that was restored counts lower than before.
// - A Conflict, or any other error, ends no watermark: earlier writes stay written.
// - A write whose answer was lost (Unavailable) may have been carried out. The controller then asks the API server
//   before it acts for that owner again: an object under the name sets the watermark to its version; no object sets
//   none (for a removal: the cache must show it gone); a name of the server's choice sets the watermark to the version
//   of a list of the kind. While the API server does not answer, the owner waits. The question cannot see a request
//   that is still on its way and carried out later: that is harmless when the name is the caller's own (a second create
//   is AlreadyExists) and when the write carries a resourceVersion or a `test` (one of the two is a Conflict). So names
//   are derived, not generated, and changes carry preconditions.
// - After a restart nothing is remembered and nothing needs to be: no key is worked on before every cache has been
//   filled from a consistent list that this process began (runtime/manager). That list shows all that earlier processes
//   wrote, up to the same requests still on their way.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/resource_version.h"
#include "runtime/cache/store_view.h"
#include "runtime/kube/meta.h"

namespace reprise::runtime {

// Callable from any thread. Kinds that no registered store covers are not waited for.
class Watermarks {
 public:
  // Before start; `store` outlives this.
  void add_store(const kube::KindInfo& kind, const StoreView& store);

  // Does a registered store follow that kind there? A kind that none follows is never waited for.
  [[nodiscard]] bool covers(const kube::KindInfo& kind, std::string_view ns) const;

  // The API server does not serve the kind: nothing that was written of it is there.
  [[nodiscard]] bool absent(const kube::KindInfo& kind) const;

  // An object of `kind` was written for `owner`; the caches must reach `resource_version`.
  void wrote(std::string_view owner, const kube::KindInfo& kind, std::string_view ns,
             std::string_view resource_version);
  // An object was asked to go; the caches must show it gone or deleting. `resource_version`: in which it was seen; a
  // cache that has not come as far does not know it yet and will show it alive. Empty: not known.
  void removed(std::string_view owner, const kube::KindInfo& kind, std::string_view ns, std::string_view uid,
               std::string_view resource_version);

  // True: nothing is missing. False: `wake` runs once, on the thread that calls advanced(), when that has changed.
  [[nodiscard]] bool ready_or_wake(std::string_view owner, std::function<void()> wake);
  // A store took in something.
  void advanced();
  // The number of owners with a wait.
  [[nodiscard]] std::size_t waiting() const;
  // Describes the waits, one line each, at most `most`: "owner=u kind=pods. namespace= at=123 until=130".
  [[nodiscard]] std::vector<std::string> describe(std::size_t most) const;

 private:
  struct Order {
    bool operator()(const std::string& left, const std::string& right) const {
      return compare_resource_versions(left, right) < 0;
    }
  };
  struct Wait {
    std::string owner;
    std::uint64_t lists_begun;  // when the write was made
    std::string seen = {};      // for a removal: the object's version
  };
  // The waits for one scope of one store, lowest version first: an event looks only at those it fulfils.
  struct Scope {
    std::multimap<std::string, Wait, Order> versions;
    std::multimap<std::string, Wait> uids;  // to be gone or deleting
    std::uint64_t list_seen = 0;
  };
  struct Owner {
    std::size_t waits = 0;
    std::vector<std::function<void()>> wakes;
  };
  using Wakes = std::vector<std::function<void()>>;

  template <class Add>
  void expect(std::string_view owner, const kube::KindInfo& kind, std::string_view ns, const Add& add);
  void collect(const StoreView& store, const std::string& name, Scope& scope, Wakes& wakes);
  [[nodiscard]] static bool shows_gone(const StoreView& store, const std::string& version, std::string_view uid,
                                       const std::string& seen);
  void fulfil(const std::string& owner, Wakes& wakes);

  using Number = std::size_t;  // number of a store, in the order of add_store()

  mutable std::mutex mutex_;
  std::vector<const StoreView*> stores_;
  std::multimap<std::string, Number, std::less<>> by_kind_;  // by "plural.group"
  // By number and not by address, so that owners woken at once are woken in the same order in each run.
  std::map<std::pair<Number, std::string>, Scope> scopes_;
  std::map<std::string, Owner, std::less<>> owners_;
};

}  // namespace reprise::runtime
