#include "simulator/actors/node/pod_status.h"

#include <algorithm>

#include "simulator/actors/node/termination_message.h"
#include "simulator/actors/support/conditions.h"

namespace reprise::simulator {
namespace {

Value waiting(std::string_view reason) {
  JsonObject state;
  state["waiting"] = JsonObject{{"reason", reason}};
  return state;
}

Value running(std::string_view since) {
  JsonObject state;
  state["running"] = JsonObject{{"startedAt", since}};
  return state;
}

Value ended(int exit_code, std::string_view reason, std::string_view message, std::string_view from,
            std::string_view to) {
  // An unknown time is written as null.
  const auto time_or_null = [](std::string_view time) { return time.empty() ? Value(nullptr) : Value(time); };
  JsonObject terminated{{"exitCode", exit_code}, {"reason", reason}};
  terminated["startedAt"] = time_or_null(from);
  terminated["finishedAt"] = time_or_null(to);
  if (!message.empty()) terminated["message"] = message;
  JsonObject state;
  state["terminated"] = std::move(terminated);
  return state;
}

Value container_status(const Value& spec, bool ready, Value state) {
  JsonObject status{{"name", text(spec, {"name"})},
                    {"image", text(spec, {"image"})},
                    {"ready", ready},
                    {"started", ready},
                    {"restartCount", 0}};
  status["state"] = std::move(state);
  return status;
}

Value state_of(const Value& pod, const ContainerRun& run, bool stopping, const EventLoop& loop) {
  switch (run.state) {
    case RunState::Waiting:
      if (stopping)
        return ended(137, "ContainerStatusUnknown",
                     "The container could not be located when the pod was "
                     "terminated",
                     {}, {});
      return waiting(run.init ? "PodInitializing" : "ContainerCreating");
    case RunState::Running:
      return running(time_text(loop, run.started));
    case RunState::Terminated:
      return ended(run.exit_code, run.reason, reported_message(pod, run.message), time_text(loop, run.started),
                   time_text(loop, run.finished));
  }
  return waiting({});
}

void write_statuses(Value& pod, const PodRun& run, bool of_init, const EventLoop& loop) {
  const char* part = of_init ? "initContainers" : "containers";
  JsonArray statuses;
  for (const ContainerRun& each : run.containers()) {
    if (each.init != of_init) continue;
    const bool ready =
        of_init && !each.sidecar ? each.state == RunState::Terminated && each.exit_code == 0 : run.ready(each);
    for (const Value& spec : array(pod, {"spec", part}))
      if (text(spec, {"name"}) == each.name)
        statuses.push_back(container_status(spec, ready, state_of(pod, each, run.stopping() && run.ended(), loop)));
  }
  if (!statuses.empty())
    set(pod, {"status", of_init ? "initContainerStatuses" : "containerStatuses"}, std::move(statuses));
}

std::string_view phase_of(const PodRun& run) {
  bool any_started = false;
  bool all_good = true;
  for (const ContainerRun& each : run.containers()) {
    if (!each.init) any_started = any_started || each.state != RunState::Waiting;
    const bool good = each.state == RunState::Terminated && each.exit_code == 0;
    all_good = all_good && (good || each.sidecar);
  }
  if (run.ended()) return all_good ? "Succeeded" : "Failed";
  return any_started ? "Running" : "Pending";
}

void write_conditions(Value& pod, bool initialized, bool ready, std::string_view why, std::string_view now) {
  const char* const yes = "True";
  set_condition(pod, {"PodReadyToStartContainers", yes}, now);
  if (initialized)
    set_condition(pod, {"Initialized", yes, why == "PodCompleted" ? why : std::string_view{}}, now);
  else
    set_condition(pod, {"Initialized", "False", "ContainersNotInitialized"}, now);
  if (ready) why = {};
  set_condition(pod, {"Ready", ready ? yes : "False", why}, now);
  set_condition(pod, {"ContainersReady", ready ? yes : "False", why}, now);
}

}  // namespace

void write_pod_status(Value& pod, const PodRun& run, const EventLoop& loop) {
  const std::string now = time_text(loop);
  const std::string_view phase = phase_of(run);
  set(pod, {"status", "phase"}, phase);
  set(pod, {"status", "startTime"}, Value(time_text(loop, run.begun())));
  const bool initialized = std::ranges::all_of(run.containers(), [](const ContainerRun& each) {
    return !each.init || (each.sidecar && each.state != RunState::Waiting) ||
           (each.state == RunState::Terminated && each.exit_code == 0);
  });
  const bool ready =
      std::ranges::all_of(run.containers(), [&](const ContainerRun& each) { return each.init || run.ready(each); });
  write_statuses(pod, run, true, loop);
  write_statuses(pod, run, false, loop);
  const std::string_view why = phase == "Succeeded" ? "PodCompleted"
                               : phase == "Failed"  ? "PodFailed"
                                                    : "ContainersNotReady";
  write_conditions(pod, initialized, ready, why, now);
}

void write_rejected_status(Value& pod, std::string_view reason, std::string_view message, const EventLoop& loop) {
  set(pod, {"status", "phase"}, "Failed");
  set(pod, {"status", "reason"}, reason);
  set(pod, {"status", "message"}, Value("Pod was rejected: " + std::string(message)));
  if (find(pod, {"status", "startTime"}) == nullptr) set(pod, {"status", "startTime"}, Value(time_text(loop)));
  for (const char* part : {"initContainerStatuses", "containerStatuses"}) unset(pod, {"status", part});
  set_condition(pod, {"Ready", "False", "PodFailed"}, time_text(loop));
  set_condition(pod, {"ContainersReady", "False", "PodFailed"}, time_text(loop));
}

bool has_started(const Value& pod) {
  for (const char* part : {"initContainerStatuses", "containerStatuses"})
    for (const Value& each : array(pod, {"status", part}))
      if (find(each, {"state", "waiting"}) == nullptr) return true;
  return false;
}

void write_lost_status(Value& pod, const EventLoop& loop) {
  const std::string now = time_text(loop);
  set(pod, {"status", "phase"}, "Failed");
  for (const bool of_init : {true, false}) {
    const char* part = of_init ? "initContainers" : "containers";
    const char* shown = of_init ? "initContainerStatuses" : "containerStatuses";
    JsonArray statuses;
    for (const Value& spec : array(pod, {"spec", part})) {
      const Value* before = nullptr;
      for (const Value& each : array(pod, {"status", shown}))
        if (text(each, {"name"}) == text(spec, {"name"})) before = &each;
      if (before != nullptr && find(*before, {"state", "terminated"}) != nullptr) {
        statuses.push_back(*before);
      } else if (before != nullptr && find(*before, {"state", "running"}) != nullptr) {
        statuses.push_back(container_status(
            spec, false, ended(255, "Unknown", {}, text(*before, {"state", "running", "startedAt"}), now)));
      } else {
        statuses.push_back(
            container_status(spec, false,
                             ended(137, "ContainerStatusUnknown",
                                   "The container could not be located when the pod was terminated", {}, {})));
      }
    }
    if (!statuses.empty()) set(pod, {"status", shown}, std::move(statuses));
  }
  set_condition(pod, {"Ready", "False", "PodFailed"}, now);
  set_condition(pod, {"ContainersReady", "False", "PodFailed"}, now);
}

}  // namespace reprise::simulator
