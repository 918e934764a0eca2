// The fence: proof that a rank of an attempt has ended, before anything of the next attempt may exist.
// A pod object that is gone is no proof (a forced deletion, PodGC and orphaning all remove it while the process may
// write), and neither is any timeout.
#pragma once

#include <string>

#include "controllers/resumablejob/ranks/ranks.h"

namespace reprise::controllers::resumablejob {

// True for a pod that had no node when it was called Failed: no kubelet starts it any more, also when a Binding that
// was on its way then gives it one.
[[nodiscard]] bool is_marked_failed(const kube::Pod& pod);

// The proof that `rank` has ended, or EndProof::None. A proof once written in the status is kept.
[[nodiscard]] api::EndProof proof_of_end(const Observation& seen, const Rank& rank);

// True while the kubelet can still be expected to tell: the pod object is there and its machine answers, or is shutting
// down and says so: it tells what it has ended then.
[[nodiscard]] bool kubelet_will_tell(const Observation& seen, const Rank& rank);

// True when an Event alone says that the rank may run on its node, on which other namespaces' pods do: for its sake
// that machine is not ended.
[[nodiscard]] bool is_others_node(const Observation& seen, const Rank& rank);

// Says in one sentence what is missing for the proof and what a person can do; names pod, node and NodeClaim.
[[nodiscard]] std::string missing_proof(const Observation& seen, const Rank& rank);

}  // namespace reprise::controllers::resumablejob
