#include "simulator/invariants/watchman.h"

#include <utility>

#include "simulator/invariants/laws.h"

namespace reprise::simulator {

Watchman::Watchman(Cluster& cluster, const TrainingLog& training) : cluster_(cluster), training_(training) {
  laws_.push_back(single_writer());
  laws_.push_back(proven_before_next(cluster.api));
  laws_.push_back(one_job_per_claim(cluster.api));
  laws_.push_back(one_resume_step());
  laws_.push_back(looks_are_short());
  laws_.push_back(resumes_newest());
  laws_.push_back(resume_point_stays(cluster.api));
  laws_.push_back(loses_nothing_unsaid(cluster.api));
  laws_.push_back(checkpoints_stay());
  laws_.push_back(data_stays());
  laws_.push_back(oldest_go_first());
  laws_.push_back(checkpoints_are_few(cluster.api, cluster.loop));
  laws_.push_back(claims_stay(cluster.api));
  laws_.push_back(counters_grow(cluster.api));
  laws_.push_back(terminal_stays(cluster.api));
  laws_.push_back(limit_holds(cluster.api));
  laws_.push_back(deadline_counts_running(cluster.api, cluster.loop));
  laws_.push_back(standby_gives_way(cluster.api, cluster.loop));
  laws_.push_back(complete_is_true(cluster.api, training));
  laws_.push_back(stop_lets_save());
  laws_.push_back(deletes_what_was_seen());
  laws_.push_back(writer_holds_lease(cluster.api));
  laws_.push_back(spares_sound_machines(cluster.api));
  laws_.push_back(ends_own_machines(cluster.api));
  cluster.on_request = [this](std::string_view who, const runtime::Request& request) {
    const bool of_its_own = asks_for_leases(request) || request.path_and_query.find("/events") != std::string::npos;
    if (request.method != runtime::Method::Get && !of_its_own) ++writes_;
    for (const auto& law : laws_)
      law->on_request(who, request, [&](std::string what) { report(std::string(law->law()), std::move(what)); });
  };
  subscription_ = cluster.api.subscribe([this](const ObjectChange& change) {
    for (const auto& law : laws_)
      law->on_change(change, [&](std::string what) { report(std::string(law->law()), std::move(what)); });
  });
}

Watchman::~Watchman() {
  cluster_.on_request = nullptr;
}

void Watchman::look(const Disks& disks) {
  for (const auto& law : laws_)
    law->on_step(disks, training_, [&](std::string what) { report(std::string(law->law()), std::move(what)); });
}

void Watchman::report(std::string law, std::string what) {
  cluster_.log.add("VIOLATION", law + ": " + what);
  violations_.push_back({cluster_.loop.now(), std::move(law), std::move(what)});
}

}  // namespace reprise::simulator
