#include "simulator/actors/node/pod_run.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace reprise::simulator {
namespace {

constexpr int kKilled = 137;

std::int64_t said(const Value& pod, std::string_view key) {
  const std::string_view annotation = text(pod, {"metadata", "annotations", key});
  std::int64_t value = 0;
  std::from_chars(annotation.data(), annotation.data() + annotation.size(), value);
  return value;
}

std::optional<Duration> unhealthy_after_start(const Value& pod) {
  const Duration after{said(pod, "simulate.reprise.dev/unhealthy-after-milliseconds")};
  const std::string attempt = std::to_string(said(pod, "simulate.reprise.dev/unhealthy-attempt"));
  const bool meant = text(pod, {"metadata", "labels", "reprise.dev/attempt"}) == attempt &&
                     text(pod, {"metadata", "labels", "batch.kubernetes.io/job-completion-index"}) == "0";
  return meant && after > Duration{0} ? std::optional(after) : std::nullopt;
}

}  // namespace

PodRun::PodRun(const World& world, Volumes& volumes, Programs& programs, std::string machine,
               std::set<std::string>& images, Standstill& standstill, ObjectPtr pod, std::function<void()> on_change)
    : world_(world),
      volumes_(volumes),
      programs_(programs),
      machine_(std::move(machine)),
      images_(images),
      standstill_(standstill),
      pod_(std::move(pod)),
      uid_(uid_of(*pod_)),
      on_change_(std::move(on_change)),
      begun_(world.cluster.loop.now()),
      timers_(world.cluster.loop, &standstill),
      kill_(
          world.cluster.loop, [this] { kill(); }, &standstill) {
  for (const Value& each : array(*pod_, {"spec", "initContainers"}))
    containers_.push_back({.name = std::string(text(each, {"name"})),
                           .init = true,
                           .sidecar = text(each, {"restartPolicy"}) == "Always"});
  for (const Value& each : array(*pod_, {"spec", "containers"}))
    containers_.push_back({.name = std::string(text(each, {"name"}))});
  mount();
}

PodRun::~PodRun() {
  for (ContainerRun& each : containers_) each.program.reset();
  if (!keeps_volumes_) volumes_.release_all(uid_);
}

void PodRun::lose_power() {
  keeps_volumes_ = true;
}

void PodRun::stood_still(bool still) {
  for (ContainerRun& each : containers_)
    if (each.program) each.program->stood_still(still);
}

void PodRun::pod_changed(ObjectPtr pod) {
  const bool annotated = object(*pod, {"metadata", "annotations"}) != object(*pod_, {"metadata", "annotations"});
  pod_ = std::move(pod);
  if (!annotated) return;
  for (ContainerRun& each : containers_)
    if (each.program) each.program->annotations_changed(*pod_);
}

void PodRun::mount() {
  std::set<std::string> volumes;
  for (const Value& each : array(*pod_, {"spec", "volumes"})) {
    const auto name = text(each, {"persistentVolumeClaim", "claimName"});
    if (name.empty()) continue;
    const ObjectPtr claim = world_.cluster.api.get({world_.kinds.claims, namespace_of(*pod_), name});
    if (claim) volumes.emplace(text(*claim, {"spec", "volumeName"}));
  }
  awaited_volumes_ = volumes.size();
  if (volumes.empty()) timers_.after(kSandbox, [this] { pull(); });
  for (const std::string& volume : volumes) {
    if (volumes_.blocked(volume, machine_))
      record_event(world_, world_.kinds.pods, *pod_, "FailedAttachVolume",
                   "Multi-Attach error for volume \"" + volume + "\" Volume is already used by another node",
                   "attachdetach-controller", "Warning");
    volumes_.want(volume, machine_, uid_, [this, alive = std::weak_ptr(alive_)] {
      if (alive.expired()) return;
      if (--awaited_volumes_ == 0 && !stopping_) timers_.after(kSandbox, [this] { pull(); });
    });
  }
}

void PodRun::pull() {
  Duration delay{0};
  for (const char* part : {"initContainers", "containers"})
    for (const Value& each : array(*pod_, {"spec", part}))
      if (images_.insert(std::string(text(each, {"image"}))).second)
        delay = std::max(delay, jittered(world_.cluster.random, kPull, 0.5));
  timers_.after(delay, [this] { advance(); });
}

const Value& PodRun::spec_of(const ContainerRun& container) const {
  for (const Value& each : array(*pod_, {"spec", container.init ? "initContainers" : "containers"}))
    if (text(each, {"name"}) == container.name) return each;
  return *pod_;  // not reached: names come from there
}

// Init containers one after the other, then all others together.
void PodRun::advance() {
  if (stopping_ || gave_up_ || starting_) return;
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    ContainerRun& each = containers_[i];
    if (each.init) {
      if (each.state == RunState::Terminated || (each.sidecar && each.state == RunState::Running)) continue;
      if (each.state == RunState::Running) return;
      starting_ = true;
      timers_.after(kStart, [this, i] {
        starting_ = false;
        start(i);
        on_change_();
        if (containers_[i].sidecar) advance();
      });
      return;
    }
    break;
  }
  starting_ = true;
  timers_.after(kStart, [this] {
    for (std::size_t i = 0; i < containers_.size(); ++i)
      if (!containers_[i].init) start(i);
    on_change_();
  });
}

void PodRun::start(std::size_t index) {
  ContainerRun& container = containers_[index];
  container.state = RunState::Running;
  container.started = world_.cluster.loop.now();
  container.program =
      programs_.start({.pod = *pod_,
                       .container = spec_of(container),
                       .machine = machine_,
                       .on_end = [this, index](ProgramEnd end) { container_ended(index, std::move(end)); },
                       .standstill = &standstill_});
  probe(index);
}

bool PodRun::ready(const ContainerRun& container) const {
  return container.state == RunState::Running && world_.cluster.loop.now() >= container.ready_from;
}

// Probes succeed when their first delay is over. One of liveness fails when annotations say so:
// simulate.reprise.dev/unhealthy-after-milliseconds, of index 0 in the attempt .../unhealthy-attempt.
void PodRun::probe(std::size_t index) {
  ContainerRun& container = containers_[index];
  const Value& spec = spec_of(container);
  std::int64_t seconds = 0;
  for (const char* probe : {"startupProbe", "readinessProbe"}) seconds += number(spec, {probe, "initialDelaySeconds"});
  container.ready_from = container.started + std::chrono::seconds(seconds);
  if (seconds > 0) timers_.after(std::chrono::seconds(seconds), [this] { on_change_(); });
  const std::optional<Duration> unhealthy_after = unhealthy_after_start(*pod_);
  if (find(spec, {"livenessProbe"}) == nullptr || !unhealthy_after) return;
  timers_.after(*unhealthy_after, [this, index] { end_unhealthy(index); });
}

void PodRun::end_unhealthy(std::size_t index) {
  ContainerRun& container = containers_[index];
  if (stopping_ || !container.program) return;
  world_.cluster.log.add("kubelet " + machine_, "ends container " + container.name + " of " +
                                                    std::string(name_of(*pod_)) + ": its liveness probe failed");
  end_with_hook(container);
  timers_.after(std::chrono::seconds(number(*pod_, {"spec", "terminationGracePeriodSeconds"}, 30)), [this, index] {
    if (!containers_[index].program) return;
    container_ended(index, {.exit_code = kKilled});
  });
}

void PodRun::terminated(ContainerRun& container, int exit_code, std::string reason, std::string message) {
  container.program.reset();
  container.state = RunState::Terminated;
  container.finished = world_.cluster.loop.now();
  container.exit_code = exit_code;
  container.reason = std::move(reason);
  container.message = std::move(message);
}

void PodRun::container_ended(std::size_t index, ProgramEnd end) {
  ContainerRun& container = containers_[index];
  terminated(container, end.exit_code, end.exit_code == 0 ? "Completed" : "Error", std::move(end.message));
  if (container.init && end.exit_code != 0 && !container.sidecar) gave_up_ = true;
  const bool all_done = std::ranges::all_of(
      containers_, [](const ContainerRun& each) { return each.init || each.state == RunState::Terminated; });
  if (all_done || gave_up_)
    for (ContainerRun& each : containers_)
      if (each.sidecar && each.program) each.program->terminate();
  on_change_();
  advance();
}

bool PodRun::ended() const {
  const auto runs = [](const ContainerRun& each) { return each.state == RunState::Running; };
  if (std::ranges::any_of(containers_, runs)) return false;
  if (stopping_ || gave_up_) return true;
  return std::ranges::all_of(containers_,
                             [](const ContainerRun& each) { return each.init || each.state == RunState::Terminated; });
}

void PodRun::stop(Duration grace) {
  kill_.within(grace);
  if (std::exchange(stopping_, true)) return;
  timers_.cancel_all();
  bool any = false;
  for (ContainerRun& each : containers_) {
    if (!each.program) continue;
    any = true;
    end_with_hook(each);
  }
  if (any) return;
  kill_.cancel();
  timers_.after(Duration{0}, [this] { on_change_(); });
}

void PodRun::end_with_hook(ContainerRun& container) {
  if (find(spec_of(container), {"lifecycle", "preStop"}) == nullptr) {
    container.program->terminate();
    return;
  }
  container.program->pre_stop();
  timers_.after(kPreStop, [&container] {
    if (container.program) container.program->terminate();
  });
}

void PodRun::kill() {
  for (ContainerRun& each : containers_)
    if (each.state == RunState::Running) terminated(each, kKilled, "Error", {});
  on_change_();
}

}  // namespace reprise::simulator
