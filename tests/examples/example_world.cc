#include "tests/examples/example_world.h"

#include <algorithm>
#include <set>
#include <utility>

#include "rehearsal/plan/manifests.h"
#include "simulator/actors/support/conditions.h"
#include "simulator/api_server/patch/yaml.h"

namespace reprise::examples {
namespace {

using namespace std::chrono_literals;
using simulator::Duration;
using simulator::JsonObject;
using simulator::ObjectPtr;
using simulator::text;
using simulator::Value;

constexpr Duration kNotice = 120s;
constexpr std::int64_t kMostSteps = 200'000;  // ten times what an example takes

// A trainer of twenty minutes that saves each minute, as the actors play it.
void play_the_trainer(Value& job) {
  simulator::set(job, {"spec", "template", "metadata", "annotations"},
                 JsonObject{{"simulate.reprise.dev/steps", "1200"}, {"simulate.reprise.dev/save-every-steps", "60"}});
}

std::vector<Value> objects_in(const std::vector<std::string>& manifests, std::string& problem) {
  std::vector<Value> all;
  for (const std::string& manifest : manifests) {
    for (const rehearsal::YamlDocument& document : rehearsal::documents_of(manifest)) {
      auto read = simulator::read_yaml(document.text);
      if (read)
        all.push_back(*std::move(read));
      else
        problem = read.error().message;
    }
  }
  return all;
}

// The pool's units in the first flavor of a ClusterQueue; nothing without such a queue.
std::optional<std::int64_t> quota_in(const std::vector<Value>& objects) {
  for (const Value& object : objects) {
    if (text(object, {"kind"}) != "ClusterQueue") continue;
    for (const Value& group : simulator::array(object, {"spec", "resourceGroups"}))
      for (const Value& resource : simulator::array(simulator::array(group, {"flavors"}).at(0), {"resources"}))
        if (text(resource, {"name"}) == "reprise.dev/gpu") return simulator::number(resource, {"nominalQuota"});
  }
  return std::nullopt;
}

}  // namespace

ExampleWorld::ExampleWorld(const simulator::OwnKinds& kinds, const std::vector<std::string>& manifests)
    : objects_(objects_in(manifests, problem_)),
      quota_(quota_in(objects_)),
      api_(loop_, random_, kinds, quota_.has_value()) {
  if (auto ready = simulator::install(api_, {"vision", "speech"}); !ready) problem_ = ready.error().message;
  actors_.emplace(cluster_, market_, simulator::ActorSettings{});
  loop_.after_each_step([this] { look(); });
  if (quota_) kueue_.emplace(cluster_, kueue_random_, *quota_);
  operators_.emplace(cluster_, wire_faults_, 1, runtime::LeaseTiming{}, "off", quota_.has_value());
  operators_->maintain();
  for (const Value& object : objects_) apply(object);
}

// The queue's own objects are the simulated Kueue itself.
void ExampleWorld::apply(const Value& object) {
  const std::string kind(text(object, {"kind"}));
  if (kind != "GpuPool" && kind != "ResumableJob") return;
  Value created = object;
  if (kind == "ResumableJob") play_the_trainer(created);
  const char* plural = kind == "GpuPool" ? "gpupools" : "resumablejobs";
  if (auto made = api_.create(api_.resource("reprise.dev", plural), std::move(created)); !made)
    problem_ = made.error().message;
}

std::int64_t ExampleWorld::admitted_units() const {
  std::int64_t units = 0;
  if (!quota_) return units;
  for (const ObjectPtr& workload : api_.list(api_.resource("kueue.x-k8s.io", "workloads")))
    if (simulator::holds_units(*workload)) units += simulator::units_of(*workload);
  return units;
}

void ExampleWorld::look() {
  const simulator::TrainingLog& done = actors_->programs.training();
  if (training_.finished.size() != done.finished.size()) training_.finished = done.finished;
  if (training_.cut_short.size() != done.cut_short.size()) training_.cut_short = done.cut_short;
  // After most steps the invariants would see the same as after the last step: skip those.
  const Seen seen{actors_->volumes.touches(), api_.version()};
  if (seen == std::exchange(seen_, seen)) return;
  checker_.look(actors_->volumes.disks());
}

bool ExampleWorld::becomes(Duration within, const std::function<bool()>& so) {
  const Duration end = loop_.now() + within;
  while (!so()) {
    const auto next = loop_.next();
    if (!next || *next > end) return false;
    loop_.step();
    if (++steps_ > kMostSteps) {
      problem_ = "the cluster does not come to rest";
      return false;
    }
    operators_->maintain();
  }
  return true;
}

void ExampleWorld::pass(Duration time) {
  becomes(time, [] { return false; });
}

std::vector<ObjectPtr> ExampleWorld::jobs() const {
  return api_.list(api_.resource("reprise.dev", "resumablejobs"));
}

bool ExampleWorld::has_pods() const {
  return !api_.list(api_.resource("", "pods")).empty();
}

bool ExampleWorld::all_train(std::int64_t number) const {
  return std::ranges::all_of(jobs(), [&](const ObjectPtr& job) {
    return simulator::number(*job, {"status", "attempt"}) >= number && simulator::is_true(*job, "PodsReady");
  });
}

void ExampleWorld::interrupt_all() {
  std::set<std::string> nodes;
  for (const ObjectPtr& pod : api_.list(api_.resource("", "pods")))
    if (!text(*pod, {"spec", "nodeName"}).empty()) nodes.emplace(text(*pod, {"spec", "nodeName"}));
  for (const std::string& node : nodes) actors_->interrupt(node, kNotice);
}

std::string ExampleWorld::objections() const {
  std::string all;
  for (const simulator::Violation& each : checker_.violations()) all += each.invariant + ": " + each.what + "\n";
  if (!all.empty()) return all;
  for (const ObjectPtr& job : jobs()) {
    for (const char* condition : {"Failed", "Suspended"})
      if (simulator::is_true(*job, condition))
        all += std::string(simulator::name_of(*job)) + " is " + condition + ": " +
               std::string(simulator::condition_message(*job, condition)) + "\n";
  }
  return all;
}

}  // namespace reprise::examples
