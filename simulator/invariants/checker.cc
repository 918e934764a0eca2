#include "simulator/invariants/checker.h"

#include <utility>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {

Checker::Checker(Cluster& cluster, const TrainingLog& training, std::int64_t queue)
    : cluster_(cluster), training_(training) {
  invariants_.push_back(single_writer());
  invariants_.push_back(fenced_trainers_end(cluster.loop));
  invariants_.push_back(proven_before_next(cluster.api));
  invariants_.push_back(one_job_per_claim(cluster.api));
  invariants_.push_back(one_resume_step());
  invariants_.push_back(looks_are_short());
  invariants_.push_back(resumes_newest(cluster.loop));
  invariants_.push_back(loads_whole());
  invariants_.push_back(resumes_common());
  invariants_.push_back(common_checkpoint_stays());
  invariants_.push_back(resume_point_stays(cluster.api));
  invariants_.push_back(loses_nothing_unsaid(cluster.api));
  invariants_.push_back(checkpoints_stay());
  invariants_.push_back(data_stays());
  invariants_.push_back(keeps_enough(cluster.api));
  invariants_.push_back(oldest_go_first());
  invariants_.push_back(checkpoints_are_few(cluster.api, cluster.loop));
  invariants_.push_back(claims_stay(cluster.api));
  invariants_.push_back(counters_grow(cluster.api));
  invariants_.push_back(terminal_stays(cluster.api));
  invariants_.push_back(expectations_fall_for_a_reason(cluster.api));
  invariants_.push_back(limit_holds(cluster.api));
  invariants_.push_back(cost_limit_holds(cluster.api));
  invariants_.push_back(pool_cost_holds(cluster.api));
  invariants_.push_back(money_is_bounded(cluster.api, cluster.loop));
  invariants_.push_back(warm_gpus_are_few(cluster.api));
  invariants_.push_back(waits_in_time(cluster.api, cluster.loop));
  invariants_.push_back(deadline_counts_running(cluster.api, cluster.loop));
  invariants_.push_back(standby_gives_way(cluster.api, cluster.loop));
  invariants_.push_back(complete_is_true(cluster.api, training));
  invariants_.push_back(stop_lets_save());
  invariants_.push_back(hangs_are_ended());
  invariants_.push_back(hangs_count_nothing(cluster.api, training));
  invariants_.push_back(full_volumes_count_nothing(cluster.api, training));
  invariants_.push_back(deletes_what_was_seen());
  invariants_.push_back(believes_its_own(cluster.api));
  invariants_.push_back(heeds_known_reporters(cluster.api, cluster.loop));
  invariants_.push_back(asks_what_is_permitted(queue > 0));
  invariants_.push_back(writer_holds_lease(cluster.api));
  invariants_.push_back(spares_sound_machines(cluster.api));
  invariants_.push_back(ends_own_machines(cluster.api));
  invariants_.push_back(few_land_on_leaving_nodes(cluster.api));
  invariants_.push_back(rolls_no_trainer(cluster.api, cluster.loop));
  if (queue > 0) watch_queue(queue);
  listen();
}

void Checker::watch_queue(std::int64_t queue) {
  invariants_.push_back(quota_outlasts_ranks(cluster_.api));
  invariants_.push_back(runs_while_admitted(cluster_.api, cluster_.loop));
  invariants_.push_back(no_quota_behind_another_job(cluster_.api, cluster_.loop));
  invariants_.push_back(evictions_count_nothing(cluster_.api));
  invariants_.push_back(queue_holds(cluster_.api, queue));
}

void Checker::listen() {
  cluster_.on_request = [this](std::string_view who, const runtime::Request& request) {
    const bool of_its_own = asks_for_leases(request) || request.path_and_query.find("/events") != std::string::npos;
    if (request.method != runtime::Method::Get && !of_its_own) ++writes_;
    for (const auto& invariant : invariants_)
      invariant->on_request(who, request,
                            [&](std::string what) { report(std::string(invariant->name()), std::move(what)); });
  };
  subscription_ = cluster_.api.subscribe([this](const ObjectChange& change) {
    const bool forged = is_forged(*change.object);
    for (const auto& invariant : invariants_) {
      if (forged && !invariant->looks_at_forgeries()) continue;
      invariant->on_change(change, [&](std::string what) { report(std::string(invariant->name()), std::move(what)); });
    }
  });
}

Checker::~Checker() {
  cluster_.on_request = nullptr;
}

void Checker::look(const Disks& disks) {
  for (const auto& invariant : invariants_)
    invariant->on_step(disks, training_,
                       [&](std::string what) { report(std::string(invariant->name()), std::move(what)); });
}

void Checker::report(std::string invariant, std::string what) {
  cluster_.log.add("VIOLATION", invariant + ": " + what);
  violations_.push_back({cluster_.loop.now(), std::move(invariant), std::move(what)});
}

}  // namespace reprise::simulator
