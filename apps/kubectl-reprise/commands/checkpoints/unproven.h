// Finds the ranks of a job that are not proven to have ended, and the claim by which a person declares them ended.
// Pure. The operator's side is controllers/resumablejob/ranks/proof.cc: <uid of the node>/<attempt>, or the uid of the
// pod where the node is not known.
#pragma once

#include <string>
#include <vector>

#include "api/labels.h"
#include "api/resumable_job.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"

namespace reprise::plugin {

using api::kConfirmEndedAnnotation;

struct UnprovenRank {
  std::int32_t index = 0;
  std::string pod, node, node_claim, claim;  // `claim`: the entry of the annotation
  // The reason why its kubelet is still expected to report the end; empty: it is silent, and a person may know better.
  std::string expected;
};

struct Unproven {
  std::int32_t attempt = 0;
  std::vector<UnprovenRank> ranks;
};

// Empty while no attempt is ending, for then the ranks may well run. `pods` and `nodes`: those that exist. `hidden`:
// names of nodes that could not be looked at; a rank whose pod is there on one of them may be running.
[[nodiscard]] Unproven unproven_ranks(const api::ResumableJob& job, const std::vector<kube::Pod>& pods,
                                      const std::vector<kube::Node>& nodes,
                                      const std::vector<std::string>& hidden = {});

// The annotation's value with the claims added, each once.
[[nodiscard]] std::string with_claims(std::string_view annotation, const std::vector<UnprovenRank>& ranks);

}  // namespace reprise::plugin
