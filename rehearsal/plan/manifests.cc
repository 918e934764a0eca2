#include "rehearsal/plan/manifests.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "api/training_container.h"
#include "simulator/api_server/patch/yaml.h"
#include "simulator/base/resources.h"

namespace reprise::rehearsal {
namespace {

using runtime::ErrorClass;
using simulator::array;
using simulator::find;
using simulator::JsonArray;
using simulator::JsonObject;
using simulator::namespace_of;
using simulator::number;
using simulator::object;
using simulator::parse_amount;
using simulator::set;
using simulator::text;
using simulator::Value;

std::unexpected<runtime::Error> wrong(std::string_view job, const std::string& what) {
  return runtime::fail(ErrorClass::Invalid, job.empty() ? what : "ResumableJob " + std::string(job) + ": " + what);
}

// Units of a pool, or whole GPUs: a pool that is made for the rehearsal serves both.
std::int64_t gpus_of(const Value& container) {
  for (const char* resource : {"reprise.dev/gpu", "nvidia.com/gpu"}) {
    for (const char* bound : {"limits", "requests"}) {
      const Value* count = find(container, {"resources", bound, resource});
      if (count == nullptr) continue;
      if (!count->is_string()) return number(container, {"resources", bound, resource});
      return parse_amount(text(container, {"resources", bound, resource})) / 1000;
    }
  }
  return 0;
}

bool asks_for_gpus(const Value& container) {
  return std::ranges::any_of(std::array{"limits", "requests"}, [&](const char* bound) {
    return std::ranges::any_of(object(container, {"resources", bound}), [](const auto& each) {
      return api::asks_for_devices(each.key()) && each.value() != "0" && each.value() != 0;
    });
  });
}

// Names the training container as the operator does. The job of a rehearsal is always in a pool, so its container is
// named from then on.
runtime::Result<const Value*> name_training_container(RehearsedJob& job) {
  const JsonArray& all = array(job.object, {"spec", "template", "spec", "containers"});
  std::vector<api::ContainerOfTemplate> containers;
  for (const Value& each : all) containers.push_back({text(each, {"name"}), asks_for_gpus(each)});
  auto choice = api::choose_training_container(containers, text(job.object, {"spec", "container"}),
                                               !text(job.object, {"spec", "poolName"}).empty());
  if (!choice.index) return wrong(job.name, choice.problem);
  const std::string name(containers[*choice.index].name);
  if (all.size() > 1) set(job.object, {"spec", "container"}, name);
  return &array(job.object, {"spec", "template", "spec", "containers"})[*choice.index];
}

// "---", with or without something behind it.
bool is_separator(std::string_view line) {
  return line.starts_with("---") && (line.size() == 3 || line.find_first_of(" \t\r") == 3);
}

bool has_content(std::string_view line) {
  const auto first = line.find_first_not_of(" \t\r");
  return first != std::string_view::npos && line[first] != '#';
}

std::int64_t bytes_of(const Value& job) {
  const auto asked =
      text(job, {"spec", "checkpoint", "volume", "claimTemplate", "spec", "resources", "requests", "storage"});
  return asked.empty() ? 0 : parse_amount(asked) / 1000;
}

void read_checkpoint(RehearsedJob& job) {
  const Value& object = job.object;
  job.grace_seconds = number(object, {"spec", "checkpoint", "graceSeconds"}, job.grace_seconds);
  job.checkpoint_path = text(object, {"spec", "checkpoint", "path"});
  if (const auto format = text(object, {"spec", "checkpoint", "format"}); !format.empty()) job.format = format;
  job.per_index = text(object, {"spec", "checkpoint", "volume", "access"}) == "PerIndex";
  job.notice_by_request = find(object, {"spec", "checkpoint", "onNotice"}) != nullptr;
  job.claim_bytes = bytes_of(object);
  job.claim = text(object, {"spec", "checkpoint", "volume", "claimName"});
  if (job.claim.empty()) job.claim = job.name + "-checkpoints";
}

}  // namespace

std::vector<YamlDocument> documents_of(std::string_view yaml) {
  std::vector<YamlDocument> documents;
  YamlDocument document;
  bool content = false;
  const auto begin = [&](int line) {
    if (content) documents.push_back(document);
    document = {.text = {}, .first_line = line};
    content = false;
  };
  for (int number = 1; !yaml.empty(); ++number) {
    const auto end = yaml.find('\n');
    std::string_view line = yaml.substr(0, end);
    if (is_separator(line)) {
      line.remove_prefix(3);  // a document may begin in this line
      begin(has_content(line) ? number : number + 1);
      if (has_content(line)) document.text.append("   ");
    }
    content = content || has_content(line);
    if (document.first_line <= number) document.text.append(line).append("\n");
    if (end == std::string_view::npos) break;
    yaml.remove_prefix(end + 1);
  }
  begin(0);
  return documents;
}

std::string RehearsedJob::claim_of(std::int64_t index) const {
  const bool templated = find(object, {"spec", "checkpoint", "volume", "claimTemplate"}) != nullptr;
  return per_index && templated ? claim + "-" + std::to_string(index) : claim;
}

bool leave_queue(Value& job) {
  constexpr const char* label = "kueue.x-k8s.io/queue-name";
  if (find(job, {"metadata", "labels", label}) == nullptr) return false;
  simulator::unset(job, {"metadata", "labels", label});
  return true;
}

runtime::Result<RehearsedJob> read_job(std::string_view yaml, std::string_view pool) {
  auto object = simulator::read_yaml(yaml);
  if (!object) return std::unexpected(std::move(object).error());
  RehearsedJob job{.object = *std::move(object)};
  job.name = simulator::name_of(job.object);
  if (text(job.object, {"kind"}) != "ResumableJob")
    return wrong(job.name, "kind: found '" + std::string(text(job.object, {"kind"})) + "', must be ResumableJob");
  if (job.name.empty()) return wrong("", "metadata.name is missing: a ResumableJob needs a name");
  if (namespace_of(job.object).empty()) set(job.object, {"metadata", "namespace"}, "default");
  job.namespace_ = namespace_of(job.object);
  const auto named = name_training_container(job);
  if (!named) return std::unexpected(named.error());
  const Value* trainer = *named;
  if (array(*trainer, {"command"}).empty())
    return wrong(job.name,
                 "spec.template.spec.containers: container " + std::string(text(*trainer, {"name"})) +
                     " has no command; the agent and a rehearsal need it, write the image's ENTRYPOINT there");
  if (text(job.object, {"spec", "checkpoint", "path"}).empty())
    return wrong(job.name, "spec.checkpoint.path is missing: where the trainer saves");
  job.parallelism = number(job.object, {"spec", "parallelism"}, 1);
  job.gpus = gpus_of(*trainer);
  job.image = text(*trainer, {"image"});
  read_checkpoint(job);
  if (leave_queue(job.object)) job.notes.emplace_back("the queue of Kueue that it names: a rehearsal has none");
  if (text(job.object, {"spec", "poolName"}).empty()) set(job.object, {"spec", "poolName"}, pool);
  return job;
}

Value claim_named(std::string_view namespace_, std::string_view name) {
  Value claim(JsonObject{});
  set(claim, {"apiVersion"}, "v1");
  set(claim, {"kind"}, "PersistentVolumeClaim");
  set(claim, {"metadata", "name"}, name);
  set(claim, {"metadata", "namespace"}, namespace_);
  // Every claim may be shared: a rehearsal has one machine.
  set(claim, {"spec", "accessModes"}, JsonArray{"ReadWriteMany"});
  set(claim, {"spec", "resources", "requests", "storage"}, "1Ti");
  return claim;
}

std::optional<Value> named_claim(const RehearsedJob& job) {
  const auto name = text(job.object, {"spec", "checkpoint", "volume", "claimName"});
  if (name.empty()) return std::nullopt;
  return claim_named(job.namespace_, name);
}

Value pool_for(std::string_view name, const std::vector<RehearsedJob>& jobs, std::int64_t notice_seconds) {
  // Counts that the catalogue's instance types have.
  std::int64_t per_node = 1, ranks = 0;
  for (const RehearsedJob& job : jobs) {
    per_node = std::max<std::int64_t>(per_node, job.gpus > 4 ? 8 : job.gpus > 1 ? 4 : 1);
    ranks += job.parallelism;
  }
  Value pool(JsonObject{});
  set(pool, {"apiVersion"}, "reprise.dev/v1alpha1");
  set(pool, {"kind"}, "GpuPool");
  set(pool, {"metadata", "name"}, name);
  set(pool, {"spec", "gpu", "countsPerNode"}, JsonArray{per_node});
  set(pool, {"spec", "nodeClassRef"},
      JsonObject{{"group", "karpenter.kwok.sh"}, {"kind", "KWOKNodeClass"}, {"name", "default"}});
  // Leaves idle nodes alone, since only interruptions shall end nodes.
  set(pool, {"spec", "scaleDown", "idleSeconds"}, 3600);
  set(pool, {"spec", "capacity"},
      JsonArray{JsonObject{
          {"type", "Spot"}, {"maxGpus", per_node * ranks * 2 + per_node}, {"noticeSeconds", notice_seconds}}});
  return pool;
}

}  // namespace reprise::rehearsal
