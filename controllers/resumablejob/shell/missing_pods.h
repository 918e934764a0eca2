// Pods of ranks that no cache shows: asked for at the API server itself before anything is made of their absence.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "controllers/resumablejob/decide/observation.h"
#include "runtime/client/client.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::resumablejob {

// The knowledge of this process about the attempt under way, because it has begun it.
struct OwnAttempt {
  bool begun_here = false;                  // and every request of its for a pod was answered
  std::set<std::string, std::less<>> made;  // pods that it has asked for

  // True for a rank that has no pod and never had one. A pod that was made and is in no cache may have run and gone
  // unseen.
  [[nodiscard]] bool never_made(std::string_view pod) const { return begun_here && !made.contains(pod); }
};

// Asks the API server itself for all objects of a kind, page by page; `item` gets the JSON of each.
[[nodiscard]] runtime::Result<void> each_item(runtime::Client& client, const kube::KindInfo& kind,
                                              const std::string& ns, runtime::ListOptions options,
                                              const std::function<void(std::string_view)>& item);

// A rank whose pod is in no cache: calling a living one vanished would end its node, and one that is not known to
// have a pod may have got it from a process that died, or by a request whose answer was lost. Of those without a pod
// `seen.scheduled` gets what the scheduler's Events still tell. A few requests however large the gang is.
// Conflict when the API server shows a pod that the cache does not show yet.
[[nodiscard]] runtime::Result<void> look_for_missing(runtime::Client& client, runtime::ReconcileContext& context,
                                                     const OwnAttempt& own, Observation& seen);

}  // namespace reprise::controllers::resumablejob
