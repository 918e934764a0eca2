// Status of both kinds: what is written is what is read, and a patch removes what is no longer there.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "api/gpu_pool.h"
#include "api/resumable_job.h"
#include "runtime/kube/internal/tree.h"

namespace reprise::api {
namespace {

kube::Time any_time() {
  return kube::Time{std::chrono::seconds{*rc::gen::inRange<std::int64_t>(1, 4102444800)}};
}

std::string any_text() {
  return *rc::gen::element<std::string>("", "a", "SpotInterrupted", "quoted \"text\"\n\t\\", "\x01\x7f",
                                        "M\xC3\xBCnchen", "\xF0\x9F\x8E\xB5", "null", "0");
}

std::int32_t any_count() {
  return *rc::gen::arbitrary<std::int32_t>();
}
bool any_bool() {
  return *rc::gen::arbitrary<bool>();
}

template <class F>
auto maybe(F make) -> std::optional<decltype(make())> {
  if (any_bool()) return std::nullopt;
  return make();
}

template <class F>
auto some(F make) {
  std::vector<decltype(make())> out;
  for (int left = *rc::gen::inRange(0, 4); left > 0; --left) out.push_back(make());
  return out;
}

kube::Condition any_condition() {
  return {.type = any_text(),
          .status = *rc::gen::element(kube::ConditionStatus::True, kube::ConditionStatus::False,
                                      kube::ConditionStatus::Unknown),
          .observed_generation = any_count(),
          .last_transition_time = any_time(),
          .reason = any_text(),
          .message = any_text()};
}

CapacityType any_capacity() {
  return *rc::gen::element(CapacityType::Spot, CapacityType::OnDemand, CapacityType::Reserved);
}

RankStatus any_rank() {
  return {.index = any_count(),
          .pod_name = any_text(),
          .pod_uid = any_text(),
          .node_name = any_text(),
          .node_uid = any_text(),
          .boot_id = any_text(),
          .provider_id = any_text(),
          .node_claim_name = any_text(),
          .node_claim_uid = any_text(),
          .proof = *rc::gen::element(EndProof::None, EndProof::NeverBound, EndProof::KubeletReport,
                                     EndProof::MachineGone, EndProof::PersonConfirmed),
          .exit_code = maybe(any_count),
          .finished = any_bool(),
          .ended_time = maybe(any_time)};
}

AttemptEnd any_end() {
  return {.attempt = any_count(),
          .cause = *rc::gen::element(AttemptEndCause::Interruption, AttemptEndCause::CheckpointedExit,
                                     AttemptEndCause::Deleted, AttemptEndCause::Failed),
          .reason = any_text(),
          .message = any_text(),
          .node = any_text(),
          .time = any_time(),
          .deadline = maybe(any_time)};
}

VolumeStatus any_volume() {
  return {.type = any_text(),
          .rename = maybe(any_bool),
          .overwrite = maybe(any_bool),
          .remove = maybe(any_bool),
          .durability = any_text()};
}

ProgressStatus any_progress() {
  return {.percentage = maybe(any_count),
          .estimated_remaining_seconds = maybe(any_count),
          .step = maybe(any_count),
          .steps_per_second = any_text(),
          .activity = any_text(),
          .message = any_text(),
          .activity_time = maybe(any_time),
          .checkpoint = maybe([] {
            return LiveCheckpointStatus{.step = any_count(),
                                        .path = any_text(),
                                        .format = any_text(),
                                        .time = maybe(any_time),
                                        .size_bytes = maybe(any_count),
                                        .save_seconds = maybe(any_count),
                                        .verified = any_bool()};
          }),
          .volume = maybe(any_volume),
          .room = maybe([] {
            return RoomStatus{.claim_name = any_text(),
                              .free_bytes = any_count(),
                              .save_bytes = maybe(any_count),
                              .needed_bytes = maybe(any_count),
                              .generations = any_count(),
                              .keep = maybe(any_count),
                              .keep_deletes = any_count(),
                              .keep_frees_bytes = any_count(),
                              .torn_bytes = any_count(),
                              .quarantine_bytes = any_count(),
                              .unproven_bytes = any_count()};
          }),
          .last_updated_time = maybe(any_time)};
}

LastInterruption any_last_interruption() {
  return LastInterruption{.time = any_time(),
                          .reason = any_text(),
                          .node = any_text(),
                          .notice_seconds = maybe(any_count),
                          .asked = maybe(any_bool),
                          .saved = maybe(any_bool),
                          .signal_time = maybe(any_time),
                          .ended_time = maybe(any_time),
                          .recovered_time = maybe(any_time),
                          .training_time = maybe(any_time)};
}

CheckpointStatus any_checkpoint() {
  return CheckpointStatus{.step = any_count(),
                          .path = any_text(),
                          .time = maybe(any_time),
                          .size_bytes = maybe(any_count),
                          .verified = any_bool(),
                          .claim_name = any_text(),
                          .claim_uid = any_text(),
                          .snapshot_name = any_text(),
                          .volume = maybe(any_volume)};
}

ResumableJobStatus any_job_status() {
  ResumableJobStatus s;
  s.observed_generation = any_count();
  s.conditions = some(any_condition);
  s.attempt = any_count();
  s.failures = any_count();
  s.interruptions = some([] { return InterruptionCount{.reason = any_text(), .count = any_count()}; });
  s.interruption_count = any_count();
  s.last_planned_time = maybe(any_time);
  s.last_interruption = maybe(any_last_interruption);
  s.checkpoint = maybe(any_checkpoint);
  s.progress = maybe(any_progress);
  s.lost_seconds = any_count();
  s.cost = maybe([] {
    return JobCostStatus{.spent = any_text(),
                         .on_demand_equivalent = any_text(),
                         .since_checkpoint = any_text(),
                         .per_hour = any_text(),
                         .on_demand_per_hour = any_text(),
                         .counted_time = maybe(any_time)};
  });
  s.placement = maybe([] { return JobPlacementStatus{.capacity = any_text(), .zone = any_text()}; });
  s.start_time = maybe(any_time);
  s.completion_time = maybe(any_time);
  s.retry_after = maybe(any_time);
  s.attempt_start_time = maybe(any_time);
  s.starting_since = maybe(any_time);
  s.active = any_count();
  s.ready = any_count();
  s.attempts_without_progress = any_count();
  s.attempts_cut_short = any_count();
  s.members = some(any_rank);
  s.lingering_pods = some(any_text);
  s.attempt_end = maybe(any_end);
  s.unproven = maybe([] {
    return UnprovenStatus{.attempt = any_count(),
                          .checkpoints = any_count(),
                          .step = any_count(),
                          .resumed_from = maybe(any_count),
                          .message = any_text()};
  });
  s.claims = some([] { return ClaimStatus{.name = any_text(), .uid = any_text()}; });
  return s;
}

GpuPoolStatus any_pool_status() {
  GpuPoolStatus s;
  s.observed_generation = any_count();
  s.conditions = some(any_condition);
  s.node_pools =
      some([] { return PoolNodePoolStatus{.name = any_text(), .capacity_type = any_capacity(), .ready = any_bool()}; });
  s.capacity = some([] {
    return CapacityStatus{.type = any_capacity(),
                          .nodes = any_count(),
                          .gpus = any_count(),
                          .gpus_used = any_count(),
                          .machines = {{any_count(), any_count()}}};
  });
  s.units = {.total = any_count(), .used = any_count()};
  s.resource_name = any_text();
  s.isolation = {.memory = any_text(), .compute = any_text(), .fault = any_text()};
  s.cost = {.per_hour = any_text(), .idle_per_hour = any_text(), .on_demand_per_hour = any_text()};
  s.interruptions = {.total = any_count(), .last_time = maybe(any_time)};
  s.jobs = any_count();
  s.gpus = any_text();
  s.sharing = any_text();
  return s;
}

// RFC 7396, as the API server applies it.
void merge(Json::Value& into, const Json::Value& patch) {
  if (!patch.isObject()) {
    into = patch;
    return;
  }
  if (!into.isObject()) into = Json::Value(Json::objectValue);
  for (const std::string& key : patch.getMemberNames()) {
    if (patch[key].isNull()) {
      into.removeMember(key);
    } else {
      merge(into[key], patch[key]);
    }
  }
}

RC_GTEST_PROP(Status, of_a_job_comes_back_as_it_was_written, ()) {
  ResumableJob job;
  job.status = any_job_status();
  const auto back = kube::KindOf<ResumableJob>::decode(encode(job));
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->status == job.status);
}

RC_GTEST_PROP(Status, of_a_pool_comes_back_as_it_was_written, ()) {
  GpuPool pool;
  pool.status = any_pool_status();
  const auto back = kube::KindOf<GpuPool>::decode(encode(pool));
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->status == pool.status);
}

RC_GTEST_PROP(StatusPatch, leads_from_any_status_of_a_job_to_any_other, ()) {
  ResumableJob before;
  before.status = any_job_status();
  const auto after = any_job_status();
  auto tree = kube::internal::parse_tree(encode(before)).value();
  merge(tree, kube::internal::parse_tree(encode_status_patch(after, "7")).value());
  const auto back = kube::KindOf<ResumableJob>::decode(kube::internal::to_text(tree));
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->status == after);
  RC_ASSERT(back->meta.resource_version == "7");
}

RC_GTEST_PROP(StatusPatch, leads_from_any_status_of_a_pool_to_any_other, ()) {
  GpuPool before;
  before.status = any_pool_status();
  const auto after = any_pool_status();
  auto tree = kube::internal::parse_tree(encode(before)).value();
  merge(tree, kube::internal::parse_tree(encode_status_patch(after, "7")).value());
  const auto back = kube::KindOf<GpuPool>::decode(kube::internal::to_text(tree));
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->status == after);
}

TEST(StatusPatch, names_what_is_absent_and_nothing_but_status_and_version) {
  ResumableJobStatus status;
  status.members.emplace_back().index = 1;
  const auto tree = kube::internal::parse_tree(encode_status_patch(status, "42")).value();
  EXPECT_EQ(tree.getMemberNames(), (std::vector<std::string>{"metadata", "status"}));
  EXPECT_EQ(kube::internal::to_text(tree["metadata"]), R"({"resourceVersion":"42"})");
  for (const char* const key :
       {"checkpoint", "progress", "attemptEnd", "startTime", "conditions", "lingeringPods", "claims"}) {
    EXPECT_TRUE(tree["status"].isMember(key) && tree["status"][key].isNull()) << key;
  }
  // A null within a list would be sent on: there, absent is left out.
  EXPECT_EQ(kube::internal::to_text(tree["status"]["members"]), R"([{"finished":false,"index":1,"proof":"None"}])");
}

}  // namespace
}  // namespace reprise::api
