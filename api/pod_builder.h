// From the user's pod template to the pod of one rank: a value that says what is added, and one function that
// renders it. Everything of the template that is not named here is passed through untouched.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/kube/meta.h"

namespace reprise::api {

struct EnvVar {
  std::string name;
  std::string value;
  std::string field_path;  // set instead of value: a downward API reference, "metadata.uid"
  bool operator==(const EnvVar&) const = default;
};

struct Toleration {
  std::string key;
  std::string op = "Exists";  // Exists | Equal
  std::string value;
  std::string effect;  // empty: every effect
  std::optional<std::int64_t> toleration_seconds;
  bool operator==(const Toleration&) const = default;
};

// The init container of every rank that brings the agent.
inline constexpr std::string_view kAgentInstallContainer = "reprise-agent-install";

// The quantity of a resource that stands for each unit that the template asks for.
struct ResourceShare {
  std::string name;
  std::int64_t quantity = 1;
  bool operator==(const ResourceShare&) const = default;
};

struct PodBuilder {
  std::string name;
  std::string namespace_;
  kube::StringMap labels;       // win over the template's
  kube::StringMap annotations;  // win over the template's
  kube::OwnerReference owner;
  std::string template_json;

  // The container that trains; its command becomes {wrapper..., original command...} (args stay).
  std::string container;
  std::vector<std::string> wrapper;
  // Put before the template's own; a name the template sets itself is left as the user wrote. Where the container sets
  // terminationMessagePath, a rank also gets REPRISE_TERMINATION_LOG with that path; each that is wrapped gets
  // REPRISE_POD_ENTRIES.
  std::vector<EnvVar> env;
  // The agent's image: an init container `reprise-agent-install` (first of all) runs
  // {"/reprise-agent", "install", agent_directory} with an emptyDir `reprise-agent` mounted at agent_directory; the
  // same emptyDir is mounted in the training container. Resources small, security context restricted and running as the
  // template's own user where it names one. Empty image: no init container (the agent is in the image already).
  std::string agent_image;
  std::string agent_image_pull_policy;  // for that container; empty: Kubernetes chooses by the tag
  std::string agent_directory = "/reprise";
  // The checkpoint volume `reprise-checkpoints`: mounted at checkpoint_path in the training container unless the
  // template already mounts something there. Empty claim_name: the template brings its own volume.
  std::string claim_name;
  std::string checkpoint_path;
  // An init container protocol::kListContainer (last of all) runs this with the training container's image, user,
  // environment and mounts, and little else of it. Empty: none.
  std::vector<std::string> list_command;
  // A downward API volume `reprise-podinfo` at /reprise-podinfo that shows the pod's annotations (file `annotations`).
  bool pod_info = true;
  // A token beside them: of the pod's service account for this audience, bound to the pod (file `token`); empty: none.
  std::string report_audience;

  std::vector<std::string> image_pull_secrets;  // added unless the template names them
  kube::StringMap node_selector;                // added; the template's own keys win
  std::vector<Toleration> tolerations;          // added unless the same key, operator and effect are there
  kube::StringMap resource_names;  // rename in limits and requests of every container: reprise.dev/gpu -> ...
  // Several resources, or none, instead of a rename.
  std::string shared_resource;
  std::vector<ResourceShare> resource_shares;
  std::string runtime_class_name;  // unless the template names one
  std::string scheduler_name;      // unless the template names one
  std::string hostname;
  std::string subdomain;
  std::optional<std::int64_t> termination_grace_period_seconds;
  std::string priority_class_name;  // empty: as the template says

  // A standby pod holds a place: the training container alone, its command replaced by this, no probes, no lifecycle
  // hooks, no checkpoint volume, no agent volumes beside the install. Empty: a rank.
  std::vector<std::string> standby_command;
  // A standby pod that only keeps this node from looking empty: its maker binds it there, it asks for nothing, has no
  // labels but its own, and its kubelet ends it after active_deadline_seconds. Empty: any other pod.
  std::string node_name;
  std::int64_t active_deadline_seconds = 0;
};

// The Pod as JSON, ready to be created. restartPolicy is always Never; automountServiceAccountToken is false unless the
// template says otherwise. Fails (with the path in the template) when the template does not have the shape of a
// PodTemplateSpec or lacks the training container.
[[nodiscard]] std::expected<std::string, kube::DecodeError> render_pod(const PodBuilder& pod_builder);

}  // namespace reprise::api
