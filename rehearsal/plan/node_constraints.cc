#include "rehearsal/plan/node_constraints.h"

#include <algorithm>
#include <functional>
#include <set>

#include "simulator/base/resources.h"

namespace reprise::rehearsal {
namespace {

using simulator::amount;
using simulator::find;
using simulator::InstanceType;
using simulator::JsonObject;
using simulator::object;
using simulator::read_resources;
using simulator::Resources;
using simulator::unset;
using simulator::Value;

constexpr const char* kBounds[] = {"limits", "requests"};

bool is_gpu(std::string_view resource) {
  return resource == "reprise.dev/gpu" || resource == "nvidia.com/gpu";
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : ", ") + each;
  return text;
}

// Sums the requests of all containers; a limit stands for a missing request.
Resources asked_for(const Value& pod) {
  Resources sum;
  for (const Value& container : simulator::array(pod, {"containers"})) {
    Resources one = read_resources(object(container, {"resources", "limits"}));
    for (const auto& [name, count] : read_resources(object(container, {"resources", "requests"}))) one[name] = count;
    simulator::add(sum, one);
  }
  return sum;
}

class Wishes {
 public:
  explicit Wishes(RehearsedJob& job) : job_(job), pod_(find(job.object, {"spec", "template", "spec"})) {}

  void lower() {
    each_container([&](Value& container) {
      each_resource(container, [&](std::string_view resource, Value& count) {
        if (is_gpu(resource) && whole(count) > kMostGpus) lower(container, resource, count);
        return true;
      });
    });
    job_.gpus = std::min(job_.gpus, kMostGpus);
  }

  void drop(const std::vector<InstanceType>& types) {
    drop_places();
    const Resources asked = asked_for(*pod_);
    const bool fits = std::ranges::any_of(types, [&](const InstanceType& type) {
      return type.gpus >= job_.gpus && amount(asked, "cpu") <= amount(type.capacity, "cpu") &&
             amount(asked, "memory") <= amount(type.capacity, "memory");
    });
    each_container([&](Value& container) {
      std::set<std::string> dropped;
      each_resource(container, [&](std::string_view resource, const Value&) {
        const bool stays = is_gpu(resource) || (fits && (resource == "cpu" || resource == "memory"));
        if (!stays) dropped.emplace(resource);
        return stays;
      });
      if (!dropped.empty())
        note(called(container) + " asks for " + joined(dropped) + ": not looked at, it has what this machine has");
      if (find(container, {"resources", "limits", "nvidia.com/gpu"}) != nullptr)
        note(called(container) + " asks for nvidia.com/gpu: it sees the GPUs of this machine, if there are any");
    });
  }

 private:
  static std::string called(const Value& container) {
    return "container " + std::string(simulator::text(container, {"name"}));
  }
  static std::int64_t whole(const Value& count) {
    if (count.is_string()) return simulator::parse_amount(std::string_view(count.get_string())) / 1000;
    return count.is_int64() ? count.get_int64() : 0;
  }
  void note(const std::string& text) { job_.notes.push_back(job_.name + ": " + text); }

  void each_container(const std::function<void(Value&)>& look) {
    for (const char* list : {"initContainers", "containers"})
      if (Value* containers = find(*pod_, {list}); containers != nullptr && containers->is_array())
        for (Value& each : containers->get_array()) look(each);
  }
  // Removes each resource for which `stays` is false.
  static void each_resource(Value& container, const std::function<bool(std::string_view, Value&)>& stays) {
    for (const char* bound : kBounds) {
      Value* resources = find(container, {"resources", bound});
      if (resources == nullptr || !resources->is_object()) continue;
      JsonObject kept;
      for (auto& member : resources->get_object())
        if (stays(member.key(), member.value())) kept[member.key()] = member.value();
      *resources = kept;
    }
  }

  void drop_places() {
    std::set<std::string> dropped;
    if (Value* selector = find(*pod_, {"nodeSelector"}); selector != nullptr && selector->is_object()) {
      JsonObject kept;
      for (const auto& member : selector->get_object()) {
        if (member.key().starts_with("reprise.dev/"))
          kept[member.key()] = member.value();
        else
          dropped.insert("nodeSelector " + std::string(member.key()));
      }
      *selector = kept;
    }
    if (find(*pod_, {"affinity", "nodeAffinity"}) != nullptr) {
      unset(*pod_, {"affinity", "nodeAffinity"});
      dropped.insert("nodeAffinity");
    }
    if (find(*pod_, {"schedulerName"}) != nullptr) {
      unset(*pod_, {"schedulerName"});
      dropped.insert("schedulerName");
    }
    if (!dropped.empty()) note("left out of the pod template, for nodes here are alike: " + joined(dropped));
  }

  void lower(const Value& container, std::string_view resource, Value& count) {
    note(called(container) + " asks for " + std::to_string(whole(count)) + " of " + std::string(resource) +
         ": taken as " + std::to_string(kMostGpus) + ", the most that a node has");
    count = std::to_string(kMostGpus);
  }

  RehearsedJob& job_;
  Value* pod_;  // read_job() has found a container in it
};

}  // namespace

void lower_gpus(RehearsedJob& job) {
  Wishes(job).lower();
}

void drop_node_constraints(RehearsedJob& job, const std::vector<InstanceType>& types) {
  Wishes(job).drop(types);
}

}  // namespace reprise::rehearsal
