#include "rehearsal/outcome/reported_work.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace reprise::rehearsal {
namespace {

using runtime::Duration;
using Span = std::pair<Duration, Duration>;

double hours(Duration duration) {
  return static_cast<double>(duration.count()) / 3'600'000;
}

// The moment at which the last rank began.
Duration begin_of(const AttemptFacts& attempt) {
  Duration began{0};
  for (const RankFacts& rank : attempt.ranks) began = std::max(began, rank.began);
  return began;
}

std::set<std::string> nodes_of(const ReportedRun& run, const ReportedJob& job, const AttemptFacts& attempt) {
  std::set<std::string> nodes;
  for (const RankFacts& rank : attempt.ranks) {
    const auto found = run.nodes.find({.job = job.key, .attempt = attempt.number, .rank = rank.rank});
    if (found != run.nodes.end()) nodes.insert(found->second);
  }
  return nodes;
}

// The time at which the newest checkpoint up to `step` was complete; empty: it is from an earlier attempt.
std::optional<Duration> saved_at(const AttemptFacts& attempt, std::int64_t step) {
  std::optional<Duration> at;
  for (const CheckpointFacts& each : attempt.checkpoints)
    if (each.complete && each.step <= step) at = std::max(at.value_or(each.at), each.at);
  return at;
}

std::int64_t newest_step(const AttemptFacts& attempt) {
  std::int64_t newest = 0;
  for (const CheckpointFacts& each : attempt.checkpoints)
    if (each.complete) newest = std::max(newest, each.step);
  return newest;
}

// The end of training for an attempt that the end of the run cut short: it trained up to a notice.
Duration end_of_unfinished(const ReportedRun& run, const ReportedJob& job, const AttemptFacts& attempt) {
  const RentedNode* taken = node_taken(run, job, attempt);
  if (taken == nullptr || !taken->noticed) return run.length;
  return std::max(*taken->noticed, saved_at(attempt, newest_step(attempt)).value_or(Duration{0}));
}

Duration covered(std::vector<Span> spans) {
  std::ranges::sort(spans);
  Duration sum{0}, reached{0};
  for (const auto& [from, to] : spans) {
    sum += std::max(to - std::max(from, reached), Duration{0});
    reached = std::max(reached, to);
  }
  return sum;
}

}  // namespace

Duration kept_until(const ReportedRun& run, const ReportedJob& job, std::size_t index) {
  const AttemptFacts& attempt = job.facts.attempts[index];
  const Duration began = begin_of(attempt);
  if (index + 1 < job.facts.attempts.size()) {
    const std::int64_t resumed = began_at(job.facts, index + 1);
    return std::max(began, saved_at(attempt, resumed).value_or(began));
  }
  const auto ended = attempt.ended();
  if (!ended) return std::max(began, end_of_unfinished(run, job, attempt));
  if (job.facts.outcome == JobFacts::Outcome::Complete) return *ended;
  return std::max(began, saved_at(attempt, newest_step(attempt)).value_or(began));
}

std::optional<std::int64_t> steps_lost(const InterruptionFacts& seen) {
  if (!seen.steps_known) return std::nullopt;
  return seen.steps_lost();
}

Duration training_lost(const ReportedRun& run, const ReportedJob& job, const InterruptionFacts& seen) {
  if (steps_lost(seen) == 0) return Duration{0};
  const Duration end = job.facts.attempts[seen.attempt].ended().value_or(seen.at);
  return std::max(end - kept_until(run, job, seen.attempt), Duration{0});
}

const RentedNode* node_taken(const ReportedRun& run, const ReportedJob& job, const AttemptFacts& attempt) {
  const auto nodes = nodes_of(run, job, attempt);
  const RentedNode* taken = nullptr;
  for (const RentedNode& node : run.rented) {
    if (!node.noticed || !nodes.contains(node.name)) continue;
    if (*node.noticed > attempt.ended().value_or(run.length)) continue;
    if (taken == nullptr || *node.noticed < *taken->noticed) taken = &node;
  }
  if (taken != nullptr) return taken;
  for (const RankFacts& rank : attempt.ranks) {
    if (!rank.vanished) continue;
    const auto node = run.nodes.find({.job = job.key, .attempt = attempt.number, .rank = rank.rank});
    if (node == run.nodes.end()) continue;
    const auto rented = std::ranges::find(run.rented, node->second, &RentedNode::name);
    if (rented != run.rented.end()) return &*rented;
  }
  return nullptr;
}

std::optional<ReportCost> cost_of(const ReportedRun& run) {
  std::map<std::string, std::vector<Span>> kept;
  for (const ReportedJob& job : run.jobs) {
    for (std::size_t i = 0; i < job.facts.attempts.size(); ++i) {
      const AttemptFacts& attempt = job.facts.attempts[i];
      for (const std::string& node : nodes_of(run, job, attempt))
        kept[node].emplace_back(begin_of(attempt), kept_until(run, job, i));
    }
  }
  ReportCost cost;
  for (const RentedNode& node : run.rented) {
    cost.spent += hours(node.to.value_or(run.length) - node.from) * node.price_per_hour;
    if (const auto found = kept.find(node.name); found != kept.end())
      cost.on_demand += hours(covered(found->second)) * node.on_demand_price_per_hour;
  }
  if (cost.spent <= 0 || cost.on_demand <= 0) return std::nullopt;
  return cost;
}

}  // namespace reprise::rehearsal
