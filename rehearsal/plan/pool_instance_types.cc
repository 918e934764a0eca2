#include "rehearsal/plan/pool_instance_types.h"

#include <algorithm>
#include <set>

#include "rehearsal/plan/node_constraints.h"

namespace reprise::rehearsal {
namespace {

using simulator::array;
using simulator::find;
using simulator::InstanceType;
using simulator::JsonArray;
using simulator::name_of;
using simulator::text;
using simulator::unset;
using simulator::Value;

bool empty_or_holds(const JsonArray& list, const Value& wanted) {
  return list.empty() || std::ranges::any_of(list, [&](const Value& each) { return each == wanted; });
}

Value label(const InstanceType& type, const char* key) {
  const auto found = type.labels.find(key);
  return found == type.labels.end() ? Value() : Value(found->second);
}

bool admits(const Value& pool, const InstanceType& type) {
  const std::int64_t least = simulator::number(pool, {"spec", "gpu", "minMemoryMiB"});
  const auto memory = type.labels.find("karpenter.k8s.aws/instance-gpu-memory");
  return empty_or_holds(array(pool, {"spec", "gpu", "models"}), label(type, "karpenter.k8s.aws/instance-gpu-name")) &&
         empty_or_holds(array(pool, {"spec", "gpu", "countsPerNode"}), type.gpus) &&
         empty_or_holds(array(pool, {"spec", "instanceTypes"}), Value(type.name)) &&
         (least == 0 || (memory != type.labels.end() && std::stoll(memory->second) >= least));
}

bool names_one_of(const JsonArray& list, const std::vector<std::string>& zones) {
  return std::ranges::any_of(list, [&](const Value& each) {
    return each.is_string() && std::ranges::find(zones, each.get_string().c_str()) != zones.end();
  });
}

class Translation {
 public:
  Translation(Value& pool, const std::vector<std::string>& zones) : pool_(pool), zones_(zones) {}

  std::vector<std::string> run() {
    const std::string group(text(pool_, {"spec", "nodeClassRef", "group"}));
    if (group.empty()) return {};
    if (group != "karpenter.kwok.sh" && group != "karpenter.k8s.aws") {
      simulator::set(
          pool_, {"spec", "nodeClassRef"},
          simulator::JsonObject{{"group", "karpenter.kwok.sh"}, {"kind", "KWOKNodeClass"}, {"name", "default"}});
      note("instance types of " + group + " are played by those of AWS that have such GPUs, at their prices");
      drop("instanceTypes");
    }
    // Labels, programs and namespaces that the embedded cluster lacks.
    for (const char* field : {"requirements", "startupTaints", "allowedNamespaces"}) drop(field);
    if (const auto& wanted = array(pool_, {"spec", "zones"}); !wanted.empty() && !names_one_of(wanted, zones_))
      drop("zones");
    for (const char* field : {"instanceTypes", "minMemoryMiB", "countsPerNode", "models"})
      if (instance_types_of(pool_).empty()) drop(field);
    if (!dropped_.empty()) note("left out, for the embedded cloud has nothing like it: " + dropped_);
    return std::move(notes_);
  }

 private:
  void note(const std::string& what) { notes_.push_back("GpuPool " + std::string(name_of(pool_)) + ": " + what); }
  void drop(std::string_view field) {
    const bool of_gpu = find(pool_, {"spec", "gpu", field}) != nullptr;
    if (!of_gpu && find(pool_, {"spec", field}) == nullptr) return;
    of_gpu ? unset(pool_, {"spec", "gpu", field}) : unset(pool_, {"spec", field});
    dropped_ += (dropped_.empty() ? "spec." : ", spec.") + (of_gpu ? "gpu." + std::string(field) : std::string(field));
  }

  Value& pool_;
  const std::vector<std::string>& zones_;
  std::vector<std::string> notes_;
  std::string dropped_;
};

}  // namespace

std::vector<InstanceType> instance_types_of(const Value& pool) {
  std::vector<InstanceType> types = simulator::instance_types_of_catalog();
  std::erase_if(types, [&](const InstanceType& type) { return !admits(pool, type); });
  return types;
}

std::vector<std::string> translate_pool(Value& pool, const std::vector<std::string>& zones) {
  return Translation(pool, zones).run();
}

runtime::Result<void> fit_to_instance_types(std::vector<RehearsedJob>& jobs, Value& pool, bool was_given,
                                            const std::vector<std::string>& zones) {
  if (was_given) jobs.front().notes = translate_pool(pool, zones);
  const std::vector<InstanceType> types = instance_types_of(pool);
  int most = 0;
  for (const InstanceType& each : types) most = std::max(most, each.gpus);
  const bool whole =
      text(pool, {"spec", "sharing", "mode"}).empty() || text(pool, {"spec", "sharing", "mode"}) == "Exclusive";
  for (RehearsedJob& job : jobs) {
    if (was_given && whole && most > 0 && job.gpus > most)
      return runtime::fail(runtime::ErrorClass::Invalid,
                           "ResumableJob " + job.name + ": found " + std::to_string(job.gpus) +
                               " GPUs for each rank, must be at most " + std::to_string(most) +
                               ", the most that a node of GpuPool " + std::string(name_of(pool)) +
                               " has; ask for fewer, or see spec.gpu of the pool");
    drop_node_constraints(job, types);
  }
  return {};
}

}  // namespace reprise::rehearsal
