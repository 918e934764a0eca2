#include "rehearsal/moment.h"

#include "rehearsal/outcome/outcome.h"
#include "simulator/actors/support/conditions.h"

namespace reprise::rehearsal {
namespace {

using simulator::being_deleted;
using simulator::name_of;
using simulator::number;
using simulator::ObjectPtr;
using simulator::text;
using simulator::Value;

RehearsalMoment::Node node_of(const Value& node) {
  const simulator::JsonObject& labels = simulator::object(node, {"metadata", "labels"});
  const auto label = [&](std::string_view key) {
    const Value* found = labels.if_contains(key);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
  };
  const bool ready = simulator::is_true(node, "Ready");
  return {.name = std::string(name_of(node)),
          .zone = label("topology.kubernetes.io/zone"),
          .capacity = label("karpenter.sh/capacity-type"),
          .state = being_deleted(node) ? "Interrupted"
                   : ready             ? "Ready"
                                       : "NotReady"};
}

RehearsalMoment::Pod pod_of(const Value& pod, const Recorder& recorder) {
  RehearsalMoment::Pod shown{.name = std::string(name_of(pod)),
                             .node = std::string(text(pod, {"spec", "nodeName"})),
                             .state = std::string(text(pod, {"status", "phase"}))};
  if (being_deleted(pod)) shown.state = "Terminating";
  if (const auto trainer = trainer_of(pod)) shown.step = recorder.step_of(*trainer);
  return shown;
}

RehearsalMoment::Job job_of(const Stage& stage, const RehearsedJob& job) {
  RehearsalMoment::Job shown{.name = job.name};
  const ObjectPtr object = stage.object_of(job);
  if (!object) return shown;
  const JobState state = state_of(*object, *stage.recorder.facts(job.key()), false);
  shown.state = state.word;
  shown.message = state.message;
  shown.attempt = number(*object, {"status", "attempt"});
  for (const Value& each : simulator::array(*object, {"status", "interruptions"}))
    shown.interruptions += number(each, {"count"});
  shown.checkpoint_step = stage.recorder.newest_step(job.key());
  if (const auto at = stage.recorder.newest_time(job.key())) shown.checkpoint_age = stage.time.now() - *at;
  shown.progress = state.outcome == JobFacts::Outcome::Complete
                       ? 1
                       : static_cast<double>(number(*object, {"status", "progress", "percentage"}, -100)) / 100;
  return shown;
}

}  // namespace

RehearsalMoment moment_of(const Stage& stage, const SpotPlan& spot, std::size_t& shown_lines) {
  RehearsalMoment moment{.time = stage.time.now()};
  for (const ObjectPtr& node : stage.api.list(stage.api.resource("", "nodes"))) moment.nodes.push_back(node_of(*node));
  for (const ObjectPtr& pod : stage.api.list(stage.api.resource("", "pods")))
    moment.pods.push_back(pod_of(*pod, stage.recorder));
  for (const RehearsedJob& job : stage.jobs) moment.jobs.push_back(job_of(stage, job));
  moment.zones = spot.zones;
  const auto& entries = stage.log.entries();
  for (; shown_lines < entries.size(); ++shown_lines)
    moment.news.push_back(entries[shown_lines].who + ": " + entries[shown_lines].what);
  return moment;
}

}  // namespace reprise::rehearsal
