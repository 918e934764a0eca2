#include "controllers/resumablejob/ranks/proof.h"

#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/ranks/own_node_claim.h"

namespace reprise::controllers::resumablejob {
namespace {

// The text with which a person confirms that this very rank has ended.
std::string confirmation(const Observation& seen, const Rank& rank) {
  if (rank.memory.node_uid.empty()) return rank.memory.pod_uid;
  return rank.memory.node_uid + "/" + std::to_string(seen.job->status.attempt);
}

// The annotation lists <uid of the node>/<attempt> (or the uid of the pod, where the node is not known), separated by
// commas or blanks. The attempt is part of it because a machine that is back on keeps its uid: a confirmation given for
// one attempt says nothing about the next.
bool confirmed_by_person(const Observation& seen, const Rank& rank) {
  const std::string_view confirmed = seen.job->meta.annotation(kConfirmEndedAnnotation);
  const auto listed = [&](const std::string& uid) {
    if (uid.empty()) return false;
    std::size_t begin = 0;
    while (begin <= confirmed.size()) {
      const std::size_t end = std::min(confirmed.find_first_of(", ", begin), confirmed.size());
      if (confirmed.substr(begin, end - begin) == uid) return true;
      begin = end + 1;
    }
    return false;
  };
  return listed(confirmation(seen, rank)) || listed(rank.memory.pod_uid);
}

bool machine_gone(const Observation& seen, const Rank& rank) {
  const api::RankStatus& memory = rank.memory;
  if (memory.node_name.empty()) return false;
  const auto node = seen.nodes.find(memory.node_name);
  if (node != seen.nodes.end()) {
    const bool other_boot =
        !memory.boot_id.empty() && !node->second->boot_id.empty() && node->second->boot_id != memory.boot_id;
    const bool other_machine = !memory.provider_id.empty() && !node->second->provider_id.empty() &&
                               node->second->provider_id != memory.provider_id;
    if (other_boot || other_machine) return true;
  }
  // Karpenter keeps a NodeClaim until the provider says that the instance is gone, and waits for its Node to go before
  // that. Who takes claims away by force, or with their definition, ends no machine: then the Node stays, and whether
  // it answers says nothing, since it may be cut off.
  // (docs/decisions/attempts/0037-machine-is-gone.md)
  if (!memory.node_claim_uid.empty()) {
    const bool known = seen.node_claims_served && !rank.node_claim_unconfirmed;
    return known && !rank.node_claim && !rank.node;
  }
  // The node was never seen by this operator. In a pool each node is a NodeClaim's, so no claim means no machine.
  const bool never_seen = memory.node_uid.empty() && !rank.pod;
  return never_seen && seen.pool && seen.pool->spec.node_class_ref && seen.absent_nodes.contains(memory.node_name);
}

}  // namespace

bool is_marked_failed(const kube::Pod& pod) {
  if (pod.phase != kube::PodPhase::Failed) return false;
  // A pod with a node counts only where it was certainly called Failed before: by this operator, of a version without
  // one.
  return pod.node_name.empty() || (pod.reason == kMarkedFailed && !pod.any_container_started());
}

// As the control plane has it: a node that answers runs what it runs, whatever taint it bears.
bool is_given_up(const kube::Node& node) {
  return !node.ready() && node.taint("node.kubernetes.io/out-of-service") != nullptr;
}

api::EndProof proof_of_end(const Observation& seen, const Rank& rank) {
  if (rank.memory.proof != api::EndProof::None) return rank.memory.proof;
  if (rank.last) {
    // Only a terminal phase is final: before it the kubelet may start a container again.
    const bool terminal = rank.last->phase == kube::PodPhase::Succeeded || rank.last->phase == kube::PodPhase::Failed;
    if (terminal && (rank.last->all_containers_terminated() || ended_in_init(*rank.last))) {
      return api::EndProof::KubeletReport;
    }
    if (is_rejected(rank)) return api::EndProof::KubeletReport;
    const bool unbound = rank.last->node_name.empty();
    if ((unbound && !rank.pod) || is_marked_failed(*rank.last)) return api::EndProof::NeverBound;
  }
  if (machine_gone(seen, rank)) return api::EndProof::MachineGone;
  if (rank.node && is_given_up(*rank.node)) return api::EndProof::PersonConfirmed;
  if (confirmed_by_person(seen, rank)) return api::EndProof::PersonConfirmed;
  return api::EndProof::None;
}

bool kubelet_will_tell(const Observation&, const Rank& rank) {
  if (!rank.pod) return false;
  if (rank.memory.node_name.empty()) return true;       // the scheduler or the deletion decides
  if (!rank.node) return rank.memory.node_uid.empty();  // not seen yet: late, not silent
  const kube::PodCondition* ready = rank.node->condition("Ready");
  return ready == nullptr || ready->status == "True" || interruption::says_it_shuts_down(*rank.node);
}

bool is_others_node(const Observation& seen, const Rank& rank) {
  return !rank.last && seen.nodes_of_others.contains(rank.memory.node_name);
}

std::string missing_proof(const Observation& seen, const Rank& rank) {
  const api::RankStatus& memory = rank.memory;
  std::string text = "pod " + memory.pod_name;
  if (memory.node_name.empty()) {
    text += " vanished before its node was recorded";
  } else {
    text += rank.pod ? " is not reported as ended by node " : " is gone, and its end was not reported by node ";
    text += memory.node_name;
  }
  if (!memory.node_claim_name.empty()) {
    const bool going = rank.node_claim && rank.node_claim->meta.deletion_timestamp.has_value();
    if (!seen.node_claims_served) {
      text += "; the cluster does not serve NodeClaims (is Karpenter installed?), so nothing is known of " +
              std::string(memory.node_claim_name);
    } else if (!rank.node_claim) {
      text += "; NodeClaim " + memory.node_claim_name +
              " is gone, and its Node is not, which Karpenter removes first: the machine may run";
    } else {
      text += going ? "; waiting for its NodeClaim " + memory.node_claim_name + " to be gone"
                    : "; NodeClaim " + memory.node_claim_name + " still stands";
    }
    if (is_others_node(seen, rank))
      text += ". Pods of other namespaces run there, and an Event alone says that this one did: it is left alone";
    if (!going && rank.node_claim && !is_own_node_claim(seen, *rank.node_claim)) {
      text +=
          ". It is not of a pool of this job (spec.poolName), so it is left alone: ask whoever runs that machine to "
          "end it";
    }
  }
  text += ". If you know that the machine is off: kubectl annotate --overwrite resumablejob " + seen.job->meta.name +
          " -n " + seen.job->meta.namespace_ + " " + std::string(kConfirmEndedAnnotation) + "=" +
          confirmation(seen, rank);
  return text;
}

}  // namespace reprise::controllers::resumablejob
