#include "simulator/scenarios/faults/fault_schedule.h"

#include <cmath>
#include <utility>
#include <vector>

#include "simulator/faults/own_stream.h"
#include "simulator/scenarios/people/confirmation.h"
#include "simulator/scenarios/run/chance.h"

namespace reprise::simulator {
namespace {

constexpr Duration hour{3'600'000};
constexpr Duration kTaintLag{800};
constexpr double least_skew_seconds = 1, most_skew_seconds = 300;

bool is_on_the_wire(FaultKind kind) {
  return kind < FaultKind::OperatorKilled;
}

std::map<FaultKind, runtime::SeededRandom> own_chances(std::uint64_t seed) {
  std::map<FaultKind, runtime::SeededRandom> chances;
  for (const FaultKind kind : kAllFaultKinds)
    if (kind > FaultKind::ShareHangs)
      chances.emplace(kind, seed ^ hash_of_name(name(kind)));
    else if (kind >= FaultKind::MachineFrozen)
      chances.emplace(kind, seed ^ (0x9fb21c651e98df25 * (static_cast<std::uint64_t>(kind) + 1)));
  return chances;
}

}  // namespace

FaultSchedule::FaultSchedule(Actors& actors, Operators& operators, runtime::Random& random, runtime::Random& further,
                             std::uint64_t seed, const FaultMix& mix, const Workload& workload)
    : actors_(actors),
      operators_(operators),
      random_(random),
      further_(further),
      own_(own_chances(seed)),
      mix_(mix),
      notice_(std::chrono::seconds(workload.notice_seconds)),
      until_(workload.length),
      timers_(actors.cluster.loop),
      reboot_at_binding_(actors, further),
      hasty_confirmation_(actors, further),
      frozen_machines_(actors, own_.at(FaultKind::MachineFrozen), FaultKind::MachineFrozen),
      cut_off_machines_(actors, own_.at(FaultKind::ShareHangs), FaultKind::ShareHangs),
      kubelet_rejects_(actors, own_.at(FaultKind::KubeletRejects)),
      late_binding_(actors, own_.at(FaultKind::LateBinding)),
      node_name_reused_(actors, operators, own_.at(FaultKind::NodeNameReused)),
      denials_(actors, own_.at(FaultKind::AdmissionDenies)),
      optional_kinds_(actors, own_.at(FaultKind::OptionalKindsGone), seed),
      jobs_made_anew_(actors, own_.at(FaultKind::JobMadeAnew), workload) {
  if (mix.rate(FaultKind::OptionalKindsGone) > 0) optional_kinds_.begin();
  if (mix.rate(FaultKind::AdmissionDenies) > 0) denials_.begin(own_stream(seed, "AdmissionDenies/node-pools"));
  for (const auto& [kind, rate] : mix.rates)
    if (!is_on_the_wire(kind)) plan(kind);
}

runtime::Random& FaultSchedule::random_of(FaultKind kind) {
  if (const auto own = own_.find(kind); own != own_.end()) return own->second;
  return kind < FaultKind::ClockSkewed ? random_ : further_;
}

void FaultSchedule::plan(FaultKind kind) {
  const double hours = -std::log(1 - random_of(kind).uniform()) / mix_.rate(kind);
  const Duration delay{static_cast<Duration::rep>(std::min(hours, 1000.0) * static_cast<double>(hour.count()))};
  if (actors_.cluster.loop.now() + delay >= until_) return;
  timers_.after(delay, [this, kind] {
    inject(kind);
    plan(kind);
  });
}

void FaultSchedule::inject(FaultKind kind) {
  switch (kind) {
    case FaultKind::LostRequest:
    case FaultKind::LostAnswer:
    case FaultKind::Rejection:
    case FaultKind::SlowExchange:
    case FaultKind::CrashBeforeWrite:
    case FaultKind::CrashAfterWrite:
    case FaultKind::WatchCut:
    case FaultKind::WatchHeld:
    case FaultKind::WatchLate:
      return;
    case FaultKind::OperatorKilled:
    case FaultKind::OperatorOff:
    case FaultKind::OperatorPartitioned:
    case FaultKind::OperatorFrozen:
      return interrupt_operators(kind);
    case FaultKind::HistoryCompacted:
      return actors_.cluster.api.compact();
    case FaultKind::CheckpointTorn:
    case FaultKind::VolumeStuck:
    case FaultKind::VolumeSwapped:
      return damage_some_volume(kind);
    case FaultKind::PodForceDeleted:
      return force_delete_some_pod();
    case FaultKind::WrongConfirmation:
      return confirm_what_is_waited_for();
    case FaultKind::PowerLoss:
    case FaultKind::MachineSilent:
    case FaultKind::MachineRebooted:
    case FaultKind::KubeletRestarted:
    case FaultKind::NoticeLate:
    case FaultKind::NoticeMissing:
    case FaultKind::NodeObjectDeleted:
      return disturb_some_machine(kind);
    case FaultKind::ClockSkewed:
      return skew_some_clock();
    case FaultKind::InsufficientCapacity:
      return take_some_capacity_away();
    case FaultKind::HastyConfirmation:
    case FaultKind::MachineFrozen:
    case FaultKind::ShareHangs:
    case FaultKind::KubeletRejects:
    case FaultKind::NodeNameReused:
    case FaultKind::AdmissionDenies:
    case FaultKind::OptionalKindsGone:
    case FaultKind::JobMadeAnew:
      if (const auto whom = inject_by_its_class(kind)) say(kind, *whom);
      return;
    case FaultKind::OperatorStopped:
      return stop_some_operator();
    case FaultKind::RebootedAtBinding:
    case FaultKind::LateBinding:
    case FaultKind::InstallFails:
    case FaultKind::NeverRegisters:
    case FaultKind::NeverInitialises:
    case FaultKind::TaintsHeardLate:
      return arm_for_the_next(kind);
  }
}

void FaultSchedule::interrupt_operators(FaultKind kind) {
  say(kind, "");
  if (kind == FaultKind::OperatorKilled) return operators_.kill_leader();
  if (kind == FaultKind::OperatorOff) return operators_.all_off(minutes(1, 10));
  if (kind == FaultKind::OperatorPartitioned) return operators_.partition_leader(leases(1.2, 8, random_));
  operators_.freeze_leader(leases(1.3, 5.3, further_));
}

void FaultSchedule::damage_some_volume(FaultKind kind) {
  const std::string volume = some_volume();
  if (volume.empty()) return;
  say(kind, volume);
  if (kind == FaultKind::VolumeStuck) return stick(volume);
  if (kind == FaultKind::CheckpointTorn) {
    if (actors_.tear_checkpoint(volume)) tampered_.insert(volume);
    return;
  }
  tampered_.insert(volume);
  actors_.empty_volume(volume);
}

void FaultSchedule::disturb_some_machine(FaultKind kind) {
  const std::string node = some_machine();
  if (node.empty()) return;
  // For a machine without a claim this would be a person's confirmation that it is gone (decision 0037).
  const bool claimed = actors_.cluster.api.get({actors_.kinds.node_claims, "", node}) != nullptr &&
                       !optional_kinds_.leaves_machines_behind();
  if (kind == FaultKind::NodeObjectDeleted && !claimed) return;
  say(kind, node);
  if (kind == FaultKind::PowerLoss) return actors_.power_loss(node);
  if (kind == FaultKind::MachineSilent) return silence(node);
  if (kind == FaultKind::MachineRebooted) return actors_.reboot(node);
  if (kind == FaultKind::KubeletRestarted) return actors_.restart_kubelet(node, minutes(0.05, 1));
  if (kind == FaultKind::NoticeLate) return actors_.interrupt(node, notice_ / 4);
  if (kind == FaultKind::NoticeMissing) return actors_.vanish(node);
  actors_.delete_node_object(node);
}

std::optional<std::string> FaultSchedule::inject_by_its_class(FaultKind kind) {
  if (kind == FaultKind::HastyConfirmation) {
    const auto node = hasty_confirmation_.inject();
    return node ? std::optional(*node + " is silent") : std::nullopt;
  }
  if (kind == FaultKind::MachineFrozen) return frozen_machines_.inject();
  if (kind == FaultKind::ShareHangs) return cut_off_machines_.inject();
  if (kind == FaultKind::KubeletRejects) return kubelet_rejects_.inject();
  if (kind == FaultKind::NodeNameReused) return node_name_reused_.inject();
  if (kind == FaultKind::AdmissionDenies) return denials_.inject();
  if (kind == FaultKind::OptionalKindsGone) return optional_kinds_.inject();
  return jobs_made_anew_.inject();
}

void FaultSchedule::arm_for_the_next(FaultKind kind) {
  if (kind == FaultKind::TaintsHeardLate) return actors_.scheduler.hear_of_taints_after(kTaintLag);
  if (kind == FaultKind::RebootedAtBinding) return reboot_at_binding_.arm();
  if (kind == FaultKind::LateBinding) return late_binding_.arm();
  say(kind, kind == FaultKind::InstallFails ? "the next pod" : "the next machine");
  if (kind == FaultKind::InstallFails) return actors_.programs.fail_next_install();
  actors_.cloud.trouble_next_launch(kind == FaultKind::NeverRegisters ? LaunchTrouble::NeverRegisters
                                                                      : LaunchTrouble::NeverInitialises);
}

std::string FaultSchedule::some_machine() {
  std::vector<std::string> on;
  for (const auto& [name, kubelet] : actors_.kubelets.all())
    if (kubelet->on()) on.push_back(name);
  return pick(random_, on);
}

std::string FaultSchedule::some_volume() {
  std::vector<std::string> volumes;
  for (const auto& [name, disk] : actors_.volumes.disks()) volumes.push_back(name);
  return pick(random_, volumes);
}

void FaultSchedule::silence(const std::string& node) {
  silent_.insert(node);
  actors_.silence(node);
  timers_.after(minutes(0.2, 10), [this, node] {
    silent_.erase(node);
    actors_.silence(node, false);
  });
}

void FaultSchedule::stick(const std::string& volume) {
  stuck_.insert(volume);
  actors_.stick_volume(volume);
  timers_.after(minutes(0.2, 5), [this, volume] {
    stuck_.erase(volume);
    actors_.stick_volume(volume, false);
  });
}

void FaultSchedule::force_delete_some_pod() {
  std::vector<std::pair<std::string, std::string>> pods;
  for (const ObjectPtr& pod : actors_.cluster.api.list(actors_.kinds.pods))
    if (!text(*pod, {"spec", "nodeName"}).empty()) pods.emplace_back(namespace_of(*pod), name_of(*pod));
  const auto [namespace_, pod] = pick(random_, pods);
  if (pod.empty()) return;
  say(FaultKind::PodForceDeleted, pod);
  actors_.force_delete_pod(namespace_, pod);
}

// Seconds as often as minutes. NTP sets a clock right some time; here another stroke does, or the end of all faults.
void FaultSchedule::skew_some_clock() {
  const auto replica = static_cast<std::size_t>(further_.uniform() * operators_.replicas());
  const double seconds = least_skew_seconds * std::pow(most_skew_seconds / least_skew_seconds, further_.uniform());
  const bool behind = further_.uniform() < 0.5;
  const Duration ahead{static_cast<Duration::rep>((behind ? -1000 : 1000) * seconds)};
  const int pace = static_cast<int>(std::lround((2 * further_.uniform() - 1) * MachineClock::kMostPerMillion));
  say(FaultKind::ClockSkewed, "operator-" + std::to_string(replica) + " by " + std::to_string(ahead.count()) +
                                  " ms, then " + std::to_string(pace) + " us a second");
  operators_.skew_clock(replica, ahead, pace);
}

void FaultSchedule::stop_some_operator() {
  const double which = random_of(FaultKind::OperatorStopped).uniform();
  const auto replica = static_cast<std::size_t>(which * operators_.replicas());
  say(FaultKind::OperatorStopped, "operator-" + std::to_string(replica));
  operators_.stop_in_order(replica);
}

void FaultSchedule::take_some_capacity_away() {
  const std::string zone = pick(further_, actors_.cloud.settings().zones);
  const std::string type = further_.uniform() < 0.5 ? "spot" : "on-demand";
  say(FaultKind::InsufficientCapacity, type + " in " + zone);
  out_of_capacity_.emplace(zone, type);
  actors_.cloud.set_out_of_capacity(zone, type);
  timers_.after(minutes(1, 20, further_), [this, zone, type] {
    out_of_capacity_.erase({zone, type});
    actors_.cloud.set_out_of_capacity(zone, type, false);
  });
}

void FaultSchedule::confirm_what_is_waited_for() {
  const ResourceId jobs = actors_.cluster.api.resource("reprise.dev", "resumablejobs");
  for (const ObjectPtr& job : actors_.cluster.api.list(jobs)) {
    const auto confirmation = awaited_confirmation(*job);
    if (!confirmation) continue;
    say(FaultKind::WrongConfirmation, std::string(name_of(*job)));
    confirm(actors_.cluster.api, namespace_of(*job), name_of(*job), *confirmation);
  }
}

void FaultSchedule::end_all() {
  timers_.cancel_all();
  for (const auto& [zone, type] : out_of_capacity_) actors_.cloud.set_out_of_capacity(zone, type, false);
  out_of_capacity_.clear();
  actors_.cloud.trouble_next_launch(LaunchTrouble::None);
  reboot_at_binding_.disarm();
  hasty_confirmation_.end();
  frozen_machines_.end();
  cut_off_machines_.end();
  kubelet_rejects_.end();
  late_binding_.disarm();
  node_name_reused_.end();
  actors_.scheduler.hear_of_taints_after(Duration{0});
  denials_.end();
  optional_kinds_.end();
  jobs_made_anew_.end();
  actors_.programs.fail_next_install(false);
  operators_.set_clocks_right();
  for (const std::string& node : silent_) actors_.silence(node, false);
  for (const std::string& volume : stuck_) actors_.stick_volume(volume, false);
  silent_.clear();
  stuck_.clear();
}

Duration FaultSchedule::minutes(double low, double high) {
  return minutes(low, high, random_);
}

Duration FaultSchedule::minutes(double low, double high, runtime::Random& random) {
  return between(random, low, high, Duration{60'000});
}

Duration FaultSchedule::leases(double low, double high, runtime::Random& random) const {
  return between(random, low, high, operators_.lease_timing().lease_duration);
}

void FaultSchedule::say(FaultKind kind, const std::string& whom) {
  actors_.cluster.log.add("fault", std::string(name(kind)) + (whom.empty() ? "" : ": " + whom));
}

}  // namespace reprise::simulator
