#include <algorithm>

#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/rules.h"

namespace reprise::apps::lint {
namespace {

using simulator::array;
using simulator::text;

const std::string kTemplate = "spec.template.spec";

bool of_gpu_pool(const Manifest& manifest) {
  return std::ranges::any_of(array(manifest.object, {"metadata", "ownerReferences"}),
                             [](const auto& owner) { return text(owner, {"kind"}) == "GpuPool"; });
}

std::string capacity_requirement(const std::string& value) {
  return "{key: karpenter.sh/capacity-type, operator: In, values: [" + value + "]}";
}

void look_at_capacity_label(const Manifest& manifest, const Node& label, const std::string& field, Report& report) {
  const std::string at = kTemplate + ".requirements";
  const bool required =
      std::ranges::any_of(array(manifest.object, {"spec", "template", "spec", "requirements"}),
                          [](const auto& each) { return text(each, {"key"}) == "karpenter.sh/capacity-type"; });
  const std::string message = "a label cannot choose the capacity type; write a requirement";
  if (required)
    report.add(Severity::Error, "node-pool-label", manifest, field, message, {remove(manifest, field)});
  else
    report.add(Severity::Error, "node-pool-label", manifest, field, message,
               {remove(manifest, field), insert_element(manifest, at, capacity_requirement(label.text))});
}

void look_at_labels(const Manifest& manifest, Report& report) {
  const std::string at = "spec.template.metadata.labels";
  const Node* labels = manifest.find(at);
  if (labels == nullptr) return;
  for (const Node& label : labels->children) {
    const std::string field = at + "." + label.key;
    if (label.key == "karpenter.sh/capacity-type") {
      look_at_capacity_label(manifest, label, field, report);
    } else if (label.key.starts_with("karpenter.sh/") || label.key == "kubernetes.io/hostname") {
      report.add(Severity::Error, "node-pool-label", manifest, field, "Karpenter sets this label itself; remove it",
                 {remove(manifest, field)});
    } else if (label.key.starts_with("reprise.dev/")) {
      report.add(
          Severity::Error, "node-pool-label", manifest, field,
          "the operator takes the node for one of a GpuPool; remove it, or write a GpuPool instead of this NodePool",
          {remove(manifest, field)});
    }
  }
}

void look_at_end_of_nodes(const Manifest& manifest, bool gpus, Report& report) {
  if (manifest.find(kTemplate + ".terminationGracePeriod") == nullptr)
    report.add(gpus ? Severity::Warning : Severity::Advice, "node-pool-grace", manifest,
               kTemplate + ".terminationGracePeriod",
               "is missing: a pod with karpenter.sh/do-not-disrupt holds up the drain of its node for ever, also after "
               "a spot notice; write as long as your provider gives notice",
               {insert(manifest, kTemplate, {"terminationGracePeriod"}, "2m")});
  const Node* expiry = manifest.find(kTemplate + ".expireAfter");
  if (!gpus || (expiry != nullptr && expiry->text == "Never")) return;
  report.add(Severity::Advice, "node-pool-expiry", manifest, kTemplate + ".expireAfter",
             (expiry == nullptr ? std::string("is missing and 720h then") : "found " + expiry->text) +
                 ": the node is taken after it whatever trains there; write Never",
             {expiry == nullptr ? insert(manifest, kTemplate, {"expireAfter"}, "Never")
                                : replace_value(manifest, kTemplate + ".expireAfter", "Never")});
}

void look_at_taints(const Manifest& manifest, Report& report) {
  const auto& taints = array(manifest.object, {"spec", "template", "spec", "taints"});
  const bool there =
      std::ranges::any_of(taints, [](const auto& taint) { return text(taint, {"key"}) == "nvidia.com/gpu"; });
  if (there) return;
  const std::string taint = "{key: nvidia.com/gpu, value: \"true\", effect: NoSchedule}";
  report.add(Severity::Warning, "node-pool-taint", manifest, kTemplate + ".taints",
             "has no taint nvidia.com/gpu: pods that need no GPU may hold its nodes; write one, which the device "
             "plugin and GPU pods tolerate by key",
             {taints.empty() ? insert(manifest, kTemplate, {"taints"}, "[" + taint + "]")
                             : insert_element(manifest, kTemplate + ".taints", taint)});
}

void look_at_money(const Manifest& manifest, Report& report) {
  if (simulator::object(manifest.object, {"spec", "limits"}).empty())
    report.add(Severity::Advice, "node-pool-limits", manifest, "spec.limits",
               "is missing: nothing bounds what it rents; write the most GPUs there may be, nvidia.com/gpu: \"8\"");
  const auto policy = text(manifest.object, {"spec", "disruption", "consolidationPolicy"});
  if (policy == "WhenEmpty") return;
  const std::string at = "spec.disruption.consolidationPolicy";
  std::optional<Edit> mend =
      manifest.find(at) != nullptr ? replace_value(manifest, at, "WhenEmpty")
      : manifest.find("spec.disruption") != nullptr
          ? insert(manifest, "spec.disruption", {"consolidationPolicy"}, "WhenEmpty")
          : insert(manifest, "spec", {"disruption"}, "{consolidationPolicy: WhenEmpty, consolidateAfter: 5m}");
  report.add(
      Severity::Advice, "node-pool-consolidation", manifest, at,
      (policy.empty() ? std::string("is missing and WhenEmptyOrUnderutilized then") : "found " + std::string(policy)) +
          ": Karpenter moves trainers to save money; write WhenEmpty",
      {std::move(mend)});
}

}  // namespace

void node_pool_rules(const Manifest& manifest, const std::vector<Manifest>&, Report& report) {
  if (manifest.kind() != "NodePool" || manifest.api_version() != "karpenter.sh/v1") return;
  if (manifest.find(kTemplate) == nullptr || of_gpu_pool(manifest)) return;
  const bool gpus = rents_gpus(manifest);
  look_at_labels(manifest, report);
  look_at_end_of_nodes(manifest, gpus, report);
  if (!gpus) return;
  look_at_taints(manifest, report);
  look_at_money(manifest, report);
}

}  // namespace reprise::apps::lint
