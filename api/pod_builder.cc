#include "api/pod_builder.h"

#include <exception>
#include <limits>

#include "api/internal/node_keeper.h"
#include "api/internal/template_check.h"
#include "protocol/agent_protocol.h"
#include "protocol/common_checkpoint.h"
#include "runtime/kube/internal/meta_fields.h"
#include "runtime/kube/internal/tree.h"
#include "runtime/kube/quantity.h"

namespace reprise::api {

namespace {

using Json::Value;

constexpr const char* kAgentVolume = "reprise-agent";
constexpr const char* kCheckpointVolume = "reprise-checkpoints";
constexpr const char* kPodInfoVolume = "reprise-podinfo";
constexpr const char* kPodInfoDirectory = "/reprise-podinfo";
constexpr int kTokenSeconds = 3600;  // Kubernetes' own default; the kubelet renews it

Value list_of(const std::vector<std::string>& items) {
  Value list(Json::arrayValue);
  for (const std::string& item : items) list.append(item);
  return list;
}

// The member, or null; the operator[] of a tree that may be changed would insert it.
const Value& at(const Value& object, const char* key) {
  return object[key];
}

template <class Predicate>
bool any_of(const Value& list, Predicate matches) {
  for (const Value& one : list) {
    if (matches(one)) return true;
  }
  return false;
}

void append_all(Value& list, const Value& more) {
  for (const Value& item : more) list.append(item);
}

std::string text(const Value& object, const char* key) {
  const Value& found = object[key];
  return found.isString() ? found.asString() : std::string();
}

bool any_has(const Value& list, const char* key, const std::string& value) {
  return any_of(list, [&](const Value& one) { return text(one, key) == value; });
}

// "/checkpoints/" and "/checkpoints" are one mount point.
std::string mount_point(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool mounts_at(const Value& container, const std::string& path) {
  return any_of(container["volumeMounts"],
                [&](const Value& mount) { return mount_point(text(mount, "mountPath")) == mount_point(path); });
}

void add_mount(Value& container, const char* volume, const std::string& path, bool read_only) {
  Value mount(Json::objectValue);
  mount["name"] = volume;
  mount["mountPath"] = path;
  if (read_only) mount["readOnly"] = true;
  container["volumeMounts"].append(std::move(mount));
}

Value render_env(const EnvVar& variable) {
  Value tree(Json::objectValue);
  tree["name"] = variable.name;
  if (variable.field_path.empty()) {
    tree["value"] = variable.value;
  } else {
    tree["valueFrom"]["fieldRef"]["fieldPath"] = variable.field_path;
  }
  return tree;
}

void add_env(Value& container, const std::vector<EnvVar>& env) {
  Value list(Json::arrayValue);
  for (const EnvVar& variable : env) {
    if (!any_has(at(container, "env"), "name", variable.name)) list.append(render_env(variable));
  }
  append_all(list, at(container, "env"));
  if (!list.empty()) container["env"] = std::move(list);
}

// Counts the template's containers, and those that add_agent() and add_list() add.
std::size_t entries_of_rank(const PodBuilder& pod_builder, const Value& spec) {
  return at(spec, "containers").size() + at(spec, "initContainers").size() + (pod_builder.agent_image.empty() ? 0 : 1) +
         (pod_builder.list_command.empty() ? 0 : 1);
}

// Kubernetes reads how the trainer ended where the template says; the agent must write it there, and no more than the
// kubelet leaves of it in a pod of so many containers.
std::vector<EnvVar> env_of_rank(const PodBuilder& pod_builder, const Value& spec, const Value& training) {
  std::vector<EnvVar> env = pod_builder.env;
  if (!pod_builder.wrapper.empty()) {
    env.push_back({.name = std::string(protocol::kPodEntries),
                   .value = std::to_string(entries_of_rank(pod_builder, spec)),
                   .field_path = {}});
  }
  const std::string path = text(training, "terminationMessagePath");
  if (!path.empty()) {
    env.push_back({.name = std::string(protocol::kTerminationLog), .value = path, .field_path = {}});
  }
  return env;
}

Value render_metadata(const PodBuilder& pod_builder, const Value& from_template) {
  Value tree(Json::objectValue);
  tree["name"] = pod_builder.name;
  tree["namespace"] = pod_builder.namespace_;
  const auto merge = [&](const char* key, const kube::StringMap& own) {
    Value merged = from_template[key].isObject() ? from_template[key] : Value(Json::objectValue);
    for (const auto& [name, value] : own) merged[std::string(name)] = std::string(value);
    if (!merged.empty()) tree[key] = std::move(merged);
  };
  merge("labels", pod_builder.labels);
  merge("annotations", pod_builder.annotations);
  if (!pod_builder.owner.uid.empty()) {
    tree["ownerReferences"].append(kube::internal::Out::write(pod_builder.owner, kube::internal::Absent::LeaveOut));
  }
  return tree;
}

// A pod under Pod Security "restricted" must pass: the agent's image needs little.
Value render_install(const PodBuilder& pod_builder, const Value& spec, const Value& training) {
  Value tree(Json::objectValue);
  tree["name"] = std::string(kAgentInstallContainer);
  tree["image"] = pod_builder.agent_image;
  if (!pod_builder.agent_image_pull_policy.empty()) tree["imagePullPolicy"] = pod_builder.agent_image_pull_policy;
  tree["command"] = list_of({"/reprise-agent", "install", pod_builder.agent_directory});
  tree["resources"]["requests"] = kube::internal::to_tree({{"cpu", "10m"}, {"memory", "16Mi"}});
  tree["resources"]["limits"] = kube::internal::to_tree({{"cpu", "500m"}, {"memory", "64Mi"}});
  Value& security = tree["securityContext"];
  security["allowPrivilegeEscalation"] = false;
  security["readOnlyRootFilesystem"] = true;
  security["capabilities"]["drop"].append("ALL");
  security["seccompProfile"]["type"] = "RuntimeDefault";
  const Value& own = training["securityContext"];
  const Value& pod = spec["securityContext"];
  const auto named = [&](const char* key) { return own.isMember(key) ? own[key] : pod[key]; };
  for (const char* const key : {"runAsUser", "runAsGroup"}) {
    if (!named(key).isNull()) security[key] = named(key);
  }
  const bool root = named("runAsUser").isIntegral() && named("runAsUser") == Value(0);
  security["runAsNonRoot"] = !root;
  add_mount(tree, kAgentVolume, pod_builder.agent_directory, false);
  return tree;
}

Value empty_dir(const char* name) {
  Value tree(Json::objectValue);
  tree["name"] = name;
  tree["emptyDir"] = Value(Json::objectValue);
  return tree;
}

void add_agent(const PodBuilder& pod_builder, Value& spec, Value& training) {
  if (pod_builder.agent_image.empty()) return;
  Value init(Json::arrayValue);
  init.append(render_install(pod_builder, spec, training));
  append_all(init, at(spec, "initContainers"));
  spec["initContainers"] = std::move(init);
  spec["volumes"].append(empty_dir(kAgentVolume));
  add_mount(training, kAgentVolume, pod_builder.agent_directory, false);
}

void add_checkpoints(const PodBuilder& pod_builder, Value& spec, Value& training) {
  if (pod_builder.claim_name.empty()) return;
  if (!mounts_at(training, pod_builder.checkpoint_path)) {
    add_mount(training, kCheckpointVolume, pod_builder.checkpoint_path, false);
  }
  // Any container of the template may mount the volume by its name, at a path of its own.
  const auto uses = [](const Value& container) {
    return any_has(container["volumeMounts"], "name", kCheckpointVolume);
  };
  if (!uses(training) && !any_of(at(spec, "containers"), uses) && !any_of(at(spec, "initContainers"), uses)) return;
  Value volume(Json::objectValue);
  volume["name"] = kCheckpointVolume;
  volume["persistentVolumeClaim"]["claimName"] = pod_builder.claim_name;
  spec["volumes"].append(std::move(volume));
}

void add_pod_info(const PodBuilder& pod_builder, Value& spec, Value& training) {
  if (!pod_builder.pod_info) return;
  Value item(Json::objectValue);
  item["path"] = "annotations";
  item["fieldRef"]["fieldPath"] = "metadata.annotations";
  Value volume(Json::objectValue);
  volume["name"] = kPodInfoVolume;
  if (pod_builder.report_audience.empty()) {
    volume["downwardAPI"]["items"].append(std::move(item));
  } else {
    Value annotations(Json::objectValue), token(Json::objectValue);
    annotations["downwardAPI"]["items"].append(std::move(item));
    token["serviceAccountToken"]["audience"] = pod_builder.report_audience;
    token["serviceAccountToken"]["expirationSeconds"] = kTokenSeconds;
    token["serviceAccountToken"]["path"] = "token";
    volume["projected"]["sources"].append(std::move(annotations));
    volume["projected"]["sources"].append(std::move(token));
  }
  spec["volumes"].append(std::move(volume));
  add_mount(training, kPodInfoVolume, kPodInfoDirectory, true);
}

// The product, as a number where the count is one: the API server takes numbers and text.
Value times(const Value& count, std::int64_t quantity) {
  const std::optional<std::int64_t> whole = kube::whole_number(count.asString());
  if (!whole || quantity == 1 || *whole > std::numeric_limits<std::int64_t>::max() / quantity) return count;
  return static_cast<Json::Int64>(*whole * quantity);
}

void rename_resources(Value& containers, const PodBuilder& pod_builder) {
  const kube::StringMap& names = pod_builder.resource_names;
  for (Value& container : containers) {
    for (const char* const bound : {"limits", "requests"}) {
      const Value quantities = at(at(container, "resources"), bound);
      if (quantities.isNull()) continue;
      Value renamed(Json::objectValue);
      for (const std::string& old : quantities.getMemberNames()) {
        if (!pod_builder.shared_resource.empty() && old == pod_builder.shared_resource) {
          for (const ResourceShare& share : pod_builder.resource_shares)
            renamed[share.name] = times(quantities[old], share.quantity);
          continue;
        }
        const auto found = names.find(old);
        renamed[found == names.end() ? old : std::string(found->second)] = quantities[old];
      }
      container["resources"][bound] = std::move(renamed);
    }
  }
}

bool tolerates_alike(const Value& have, const Toleration& want) {
  const std::string op = have.isMember("operator") ? text(have, "operator") : "Equal";
  return text(have, "key") == want.key && op == want.op && text(have, "effect") == want.effect;
}

void add_placement(const PodBuilder& pod_builder, Value& spec) {
  for (const auto& [key, value] : pod_builder.node_selector) {
    Value& selector = spec["nodeSelector"];
    // A template does not choose the pool: the operator's own keys win.
    const bool own = std::string_view(key).starts_with("reprise.dev/");
    if (own || !selector.isMember(std::string(key))) selector[std::string(key)] = std::string(value);
  }
  for (const Toleration& want : pod_builder.tolerations) {
    if (any_of(at(spec, "tolerations"), [&](const Value& have) { return tolerates_alike(have, want); })) continue;
    Value tree(Json::objectValue);
    if (!want.key.empty()) tree["key"] = want.key;
    tree["operator"] = want.op;
    if (!want.value.empty()) tree["value"] = want.value;
    if (!want.effect.empty()) tree["effect"] = want.effect;
    if (want.toleration_seconds) tree["tolerationSeconds"] = static_cast<Json::Int64>(*want.toleration_seconds);
    spec["tolerations"].append(std::move(tree));
  }
  for (const std::string& secret : pod_builder.image_pull_secrets) {
    if (any_has(at(spec, "imagePullSecrets"), "name", secret)) continue;
    Value tree(Json::objectValue);
    tree["name"] = secret;
    spec["imagePullSecrets"].append(std::move(tree));
  }
  const auto set = [&](const char* key, const std::string& value) {
    if (!value.empty()) spec[key] = value;
  };
  const auto set_if_absent = [&](const char* key, const std::string& value) {
    if (text(spec, key).empty()) set(key, value);
  };
  set_if_absent("runtimeClassName", pod_builder.runtime_class_name);
  set_if_absent("schedulerName", pod_builder.scheduler_name);
  set("hostname", pod_builder.hostname);
  set("subdomain", pod_builder.subdomain);
  set("priorityClassName", pod_builder.priority_class_name);
  if (!pod_builder.priority_class_name.empty()) {
    // Admission computes both from the class and rejects a pod that says otherwise.
    spec.removeMember("priority");
    spec.removeMember("preemptionPolicy");
  }
  if (pod_builder.termination_grace_period_seconds) {
    spec["terminationGracePeriodSeconds"] = static_cast<Json::Int64>(*pod_builder.termination_grace_period_seconds);
  }
  spec["restartPolicy"] = "Never";
  if (!spec["automountServiceAccountToken"].isBool()) spec["automountServiceAccountToken"] = false;
}

// The training container without what makes it train: it asks for no GPU, and nothing waits for it or probes it.
void add_list(const PodBuilder& pod_builder, Value& spec, const Value& training) {
  if (pod_builder.list_command.empty()) return;
  Value list = training;
  for (const char* const key : {"args", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "ports",
                                "resizePolicy", "stdin", "stdinOnce", "tty", "restartPolicy"}) {
    list.removeMember(key);
  }
  list["name"] = std::string(protocol::kListContainer);
  list["command"] = list_of(pod_builder.list_command);
  list["resources"] = Value(Json::objectValue);
  list["resources"]["requests"] = kube::internal::to_tree({{"cpu", "10m"}, {"memory", "64Mi"}});
  list["resources"]["limits"] = kube::internal::to_tree({{"cpu", "1"}, {"memory", "512Mi"}});
  spec["initContainers"].append(std::move(list));
}

// Keeps what a pause needs of the training container: its size and its image. No volume of the template is mounted: a
// claim that is still in use elsewhere would keep the pod from starting.
Value reduce_to_standby(const PodBuilder& pod_builder, Value training, Value& spec) {
  for (const char* const key :
       {"args", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "volumeMounts", "volumeDevices"}) {
    training.removeMember(key);
  }
  training["command"] = list_of(pod_builder.standby_command);
  for (const char* const key : {"initContainers", "volumes", "containers"}) spec.removeMember(key);
  return training;
}

std::vector<std::pair<std::string, std::string>> renames(const PodBuilder& pod_builder) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [from, to] : pod_builder.resource_names) all.emplace_back(std::string(from), std::string(to));
  for (const ResourceShare& share : pod_builder.resource_shares)
    all.emplace_back(pod_builder.shared_resource, share.name);
  return all;
}

std::expected<Value, kube::DecodeError> render_tree(const PodBuilder& pod_builder) {
  const bool standby = !pod_builder.standby_command.empty();
  auto index = internal::check_template(pod_builder.template_json,
                                        {.training_container = pod_builder.container,
                                         .needs_command = !standby && !pod_builder.wrapper.empty(),
                                         .reserved_volumes = {kAgentVolume, kCheckpointVolume, kPodInfoVolume},
                                         .reserved_containers = {kAgentInstallContainer, protocol::kListContainer},
                                         .resource_names = renames(pod_builder)});
  if (!index) return std::unexpected(index.error());
  const auto parsed = kube::internal::parse_tree(pod_builder.template_json);
  if (!parsed) return std::unexpected(parsed.error());

  Value spec = (*parsed)["spec"];
  Value training = spec["containers"][static_cast<Json::ArrayIndex>(*index)];
  if (standby) {
    training = reduce_to_standby(pod_builder, std::move(training), spec);
    *index = 0;
  } else if (!pod_builder.wrapper.empty()) {
    Value command = list_of(pod_builder.wrapper);
    append_all(command, at(training, "command"));
    training["command"] = std::move(command);
  }
  add_env(training, standby ? pod_builder.env : env_of_rank(pod_builder, spec, training));
  add_agent(pod_builder, spec, training);
  if (!standby) {
    add_checkpoints(pod_builder, spec, training);
    add_pod_info(pod_builder, spec, training);
    add_list(pod_builder, spec, training);
  }
  spec["containers"][static_cast<Json::ArrayIndex>(*index)] = std::move(training);
  rename_resources(spec["containers"], pod_builder);
  if (spec.isMember("initContainers")) rename_resources(spec["initContainers"], pod_builder);
  add_placement(pod_builder, spec);

  Value pod(Json::objectValue);
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  pod["metadata"] = render_metadata(pod_builder, (*parsed)["metadata"]);
  pod["spec"] = std::move(spec);
  return pod_builder.node_name.empty() ? pod : internal::reduce_to_node_keeper(pod_builder, pod);
}

}  // namespace

std::expected<std::string, kube::DecodeError> render_pod(const PodBuilder& pod_builder) {
  try {
    const auto pod = render_tree(pod_builder);
    if (!pod) return std::unexpected(pod.error());
    return kube::internal::to_text(*pod);
  } catch (const std::exception& error) {  // jsoncpp throws where a tree has not the shape that was asked for
    return std::unexpected(
        kube::DecodeError{.path = {}, .message = std::string("is not a pod template: ") + error.what()});
  }
}

}  // namespace reprise::api
