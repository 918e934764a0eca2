#include "apps/kubectl-reprise/commands/checkpoints/unproven.h"

#include <algorithm>

namespace reprise::plugin {
namespace {

std::string claim_of(const api::RankStatus& rank, std::int32_t attempt) {
  if (rank.node_uid.empty()) return rank.pod_uid;
  return std::string(rank.node_uid) + "/" + std::to_string(attempt);
}

// Judges whether a kubelet is silent as the operator does.
std::string expected_from(const api::RankStatus& rank, const std::vector<kube::Pod>& pods,
                          const std::vector<kube::Node>& nodes, const std::vector<std::string>& hidden) {
  const auto pod = std::ranges::find_if(pods, [&](const kube::Pod& each) { return each.meta.uid == rank.pod_uid; });
  if (pod == pods.end()) return {};
  if (rank.node_name.empty()) return "its pod has no node yet";
  if (std::ranges::find(hidden, rank.node_name.view()) != hidden.end())
    return "its pod is there, and you are not allowed to look whether its node answers";
  const auto node = std::ranges::find_if(nodes, [&](const kube::Node& each) { return each.meta.uid == rank.node_uid; });
  if (node == nodes.end() || !node->ready()) return {};
  return "its pod is there and its node answers";
}

}  // namespace

Unproven unproven_ranks(const api::ResumableJob& job, const std::vector<kube::Pod>& pods,
                        const std::vector<kube::Node>& nodes, const std::vector<std::string>& hidden) {
  Unproven found{.attempt = job.status.attempt, .ranks = {}};
  if (!job.status.attempt_end) return found;
  for (const api::RankStatus& rank : job.status.members) {
    if (rank.proof != api::EndProof::None || claim_of(rank, found.attempt).empty()) continue;
    found.ranks.push_back({.index = rank.index,
                           .pod = rank.pod_name,
                           .node = rank.node_name,
                           .node_claim = rank.node_claim_name,
                           .claim = claim_of(rank, found.attempt),
                           .expected = expected_from(rank, pods, nodes, hidden)});
  }
  return found;
}

std::string with_claims(std::string_view annotation, const std::vector<UnprovenRank>& ranks) {
  std::vector<std::string> all;
  const auto add = [&](std::string_view claim) {
    if (!claim.empty() && std::ranges::find(all, claim) == all.end()) all.emplace_back(claim);
  };
  while (!annotation.empty()) {
    const std::size_t end = std::min(annotation.find_first_of(", "), annotation.size());
    add(annotation.substr(0, end));
    annotation.remove_prefix(std::min(end + 1, annotation.size()));
  }
  for (const UnprovenRank& rank : ranks) add(rank.claim);
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : ",") + each;
  return text;
}

}  // namespace reprise::plugin
