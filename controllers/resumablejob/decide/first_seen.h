// How long something has been waited for is measured by one clock, of the process that waits: what objects are stamped
// with is of the API server's clock, of another replica's or of a node's. A process that takes over begins anew.
// (docs/decisions/writers/0033-one-clock.md)
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/kube/time.h"

namespace reprise::controllers::resumablejob {

struct Observation;

enum class Waiting {
  UntilTainted,         // a node that goes and takes pods; by the Node's uid
  ForTheScheduler,      // to hear that such a node, or one of this job's pods, takes no more; by the Node's uid
  ForPreemption,        // a rank's pod without a node, beside a standby pod
  ForTheEnd,            // a pod that is being deleted
  ForTheNode,           // to go: an attempt that ends, by its number
  ForContainersBeside,  // a trainer that has ended well, to end as well; by its pod's uid
  ForLatePods,          // asked for before this process looked, or without an answer; by the attempt
  ForTheNextHint,       // after a request for a checkpoint: by the node and what asked (kBetweenHints)
};

using FirstSeen = std::map<std::pair<Waiting, std::string>, kube::Time>;

// The time at which a checkpoint was last asked for on a node, as far as this process knows.
[[nodiscard]] std::optional<kube::Time> last_request(const FirstSeen& first_seen, std::string_view node);

// The time at which this process looked, by both of its clocks.
struct Looked {
  kube::Time wall{};
  runtime::Instant steady{};
};
// The same waits where the time of day was set meanwhile: nobody has waited longer for it, or less.
[[nodiscard]] FirstSeen as_set(FirstSeen waits, const Looked& before, const Looked& now);

// The waits in `seen`: since `before` where something was waited for before, else since now.
[[nodiscard]] FirstSeen waits_of(const Observation& seen, const FirstSeen& before);

}  // namespace reprise::controllers::resumablejob
