#include "simulator/scenarios/run/operators.h"

#include <algorithm>
#include <string>
#include <utility>

namespace reprise::simulator {
namespace {

// A container is started again at once the first time, and its caches take a moment to fill.
constexpr Duration restart{2'000};
// The time that a process which ends in order waits for its lease to be given back (runtime/manager/lifecycle.cc).
constexpr Duration farewell{5'000};
// Reports: the time on the way with a handshake, and the share that does not arrive.
constexpr Duration report_takes{20};
constexpr double reports_lost = 0.03;

}  // namespace

Operators::Operators(Cluster& cluster, WireFaults& wire_faults, int replicas, const runtime::LeaseTiming& lease_timing,
                     std::string log_level, bool kueue, bool reports)
    : cluster_(cluster),
      wire_faults_(wire_faults),
      lease_timing_(lease_timing),
      log_level_(std::move(log_level)),
      kueue_(kueue),
      reports_(reports) {
  for (int i = 0; i < replicas; ++i) replicas_.push_back({.clock = std::make_unique<MachineClock>(cluster.loop)});
  if (!reports_) return;
  cluster_.on_report = [this](const ReportingPod& who, std::string json) { carry_report(who, std::move(json)); };
}

Operators::~Operators() {
  cluster_.on_report = nullptr;
}

// Carries the report to the leader at its arrival, as the EndpointSlice does.
void Operators::carry_report(const ReportingPod& who, std::string json) {
  if (cluster_.random.uniform() < reports_lost) return;
  cluster_.loop.after(jittered(cluster_.random, report_takes, 0.5), [this, who, report = std::move(json)] {
    if (Replica* replica = leader()) replica->process->take_report(who, report);
  });
}

void Operators::maintain() {
  const Duration now = cluster_.loop.now();
  for (std::size_t index = 0; index < replicas_.size(); ++index) {
    Replica& replica = replicas_[index];
    const bool gone = replica.kill || (replica.gone_at && now >= *replica.gone_at);
    if (replica.process && (gone || replica.process->dead())) retire(replica);
    if (replica.process && std::exchange(replica.stop, false) && !replica.gone_at) {
      replica.process->stop_in_order();
      replica.gone_at = cluster_.loop.now() + farewell;
      cluster_.loop.after(farewell, [] {});
    }
    if (replica.process && replica.rejoin_at && now >= *replica.rejoin_at) {
      replica.rejoin_at.reset();
      replica.process->wire().partition(false);
    }
    if (!replica.process && now >= replica.start_at) {
      ++starts_;
      replica.process =
          std::make_unique<OperatorProcess>(cluster_, wire_faults_,
                                            OperatorSettings{.identity = "operator-" + std::to_string(index),
                                                             .seed = starts_,
                                                             .lease_timing = lease_timing_,
                                                             .log_level = log_level_,
                                                             .clock = replica.clock.get(),
                                                             .kueue = kueue_,
                                                             .reports = reports_,
                                                             .decoded = replicas_.size() > 1 ? &decoding_ : nullptr});
    }
  }
}

void Operators::retire(Replica& replica) {
  const Wire::Traffic& traffic = replica.process->wire().traffic();
  buried_.requests += traffic.requests;
  buried_.writes += traffic.writes;
  buried_.watches += traffic.watches;
  replica.process.reset();
  replica.kill = replica.stop = false;
  replica.gone_at.reset();
  replica.rejoin_at.reset();
  replica.start_at = std::max(replica.start_at, cluster_.loop.now() + restart);
  cluster_.loop.after(replica.start_at - cluster_.loop.now(), [] {});
}

Operators::Replica* Operators::leader() {
  for (Replica& replica : replicas_)
    if (replica.process && replica.process->working()) return &replica;
  return nullptr;
}

void Operators::kill_leader() {
  if (Replica* replica = leader()) {
    replica->kill = true;
    replica->process->wire().die();
  }
}

void Operators::stop_in_order(std::size_t replica) {
  Replica& stopped = replicas_.at(replica);
  stopped.stop = stopped.process != nullptr;
}

void Operators::all_off(Duration for_so_long) {
  for (Replica& replica : replicas_) {
    replica.start_at = cluster_.loop.now() + for_so_long;
    if (!replica.process) continue;
    replica.kill = true;
    replica.process->wire().die();
  }
  cluster_.loop.after(for_so_long, [] {});
}

void Operators::partition_leader(Duration for_so_long) {
  Replica* replica = leader();
  if (replica == nullptr) return;
  replica->process->wire().partition(true);
  replica->rejoin_at = cluster_.loop.now() + for_so_long;
  cluster_.loop.after(for_so_long, [] {});
}

void Operators::hold_watches(const std::string& path, Duration for_so_long) {
  for (Replica& replica : replicas_)
    if (replica.process) replica.process->wire().hold_watches(path, for_so_long);
}

void Operators::skew_clock(std::size_t replica, Duration ahead, int gains_per_million) {
  replicas_.at(replica).clock->set(ahead, gains_per_million);
}

void Operators::set_clocks_right() {
  for (Replica& replica : replicas_) replica.clock->set(Duration{0}, 0);
}

void Operators::freeze_leader(Duration for_so_long) {
  if (Replica* replica = leader()) replica->process->stand_still_at_next_write(for_so_long);
}

Wire::Traffic Operators::traffic() const {
  Wire::Traffic sum = buried_;
  for (const Replica& replica : replicas_) {
    if (!replica.process) continue;
    const Wire::Traffic& traffic = replica.process->wire().traffic();
    sum.requests += traffic.requests;
    sum.writes += traffic.writes;
    sum.watches += traffic.watches;
  }
  return sum;
}

void Operators::each_metrics(const std::function<void(std::size_t, const std::string&)>& look) const {
  for (std::size_t index = 0; index < replicas_.size(); ++index) {
    const auto& process = replicas_[index].process;
    if (process && !process->dead()) look(index, process->metrics());
  }
}

int Operators::leaders() const {
  return static_cast<int>(
      std::ranges::count_if(replicas_, [](const Replica& each) { return each.process && each.process->working(); }));
}

}  // namespace reprise::simulator
