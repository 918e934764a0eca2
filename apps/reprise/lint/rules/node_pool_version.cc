#include <algorithm>
#include <array>
#include <utility>

#include "apps/common/nearest.h"
#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/rules.h"

namespace reprise::apps::lint {
namespace {

constexpr const char* kRule = "node-pool-version";

bool is_of_karpenter(const Manifest& manifest) {
  return (manifest.kind() == "NodePool" || manifest.kind() == "Provisioner") &&
         manifest.api_version().starts_with("karpenter.sh/");
}

std::string group_of(std::string_view node_class_kind) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kGroups{
      {{"EC2NodeClass", "karpenter.k8s.aws"},
       {"AKSNodeClass", "karpenter.azure.com"},
       {"GCENodeClass", "karpenter.k8s.gcp"},
       {"KWOKNodeClass", "karpenter.kwok.sh"}}};
  const auto* found =
      std::ranges::find(kGroups, node_class_kind, &std::pair<std::string_view, std::string_view>::first);
  return found == kGroups.end() ? "" : std::string(found->second);
}

// Rewrites the object in the shape of v1, from fields that earlier versions and hand-made samples wrote straight into
// the spec.
class Rewriting {
 public:
  explicit Rewriting(const Manifest& manifest) : manifest_(manifest) {}

  // Empty: a field has no place in v1, or no node class is named.
  std::optional<Edit> edit() {
    const Node* spec = manifest_.find("spec");
    if (spec == nullptr || spec->flow || spec->kind != Node::Kind::Map) return {};
    node_template();
    limits();
    disruption();
    copy("spec.weight", "weight", 2);
    if (failed_ || !all_used(*spec)) return {};
    return replace_member(manifest_, "spec", "spec:\n" + out_);
  }

 private:
  void line(int indent, const std::string& written) {
    out_ += std::string(static_cast<std::size_t>(indent), ' ') + written + "\n";
  }

  // True when the field was there.
  bool copy(const std::string& from, const std::string& key, int indent) {
    const Node* node = manifest_.find(from);
    if (node == nullptr) return false;
    used_.push_back(from);
    const auto copied = lint::text_of(manifest_, *node, indent + 2);
    if (!copied)
      failed_ = true;
    else
      out_ += std::string(static_cast<std::size_t>(indent), ' ') + key + ":" + *copied;
    return true;
  }
  bool copy_first(std::initializer_list<const char*> from, const std::string& key, int indent) {
    return std::ranges::any_of(from, [&](const char* each) { return copy(each, key, indent); });
  }

  std::string value(const std::string& path) {
    const Node* node = manifest_.find(path);
    if (node == nullptr || node->kind != Node::Kind::Scalar) return {};
    used_.push_back(path);
    return node->text;
  }

  void node_template() {
    line(2, "template:");
    if (manifest_.find("spec.labels") != nullptr || manifest_.find("spec.annotations") != nullptr) {
      line(4, "metadata:");
      copy("spec.labels", "labels", 6);
      copy("spec.annotations", "annotations", 6);
    }
    line(4, "spec:");
    node_class();
    requirements();
    copy_first({"spec.taints", "spec.constraints.taints"}, "taints", 6);
    copy_first({"spec.startupTaints", "spec.constraints.startupTaints"}, "startupTaints", 6);
    std::string expiry = value("spec.ttlSecondsUntilExpired");
    if (!expiry.empty()) expiry += "s";
    if (expiry.empty()) expiry = value("spec.disruption.expireAfter");
    if (expiry.empty()) expiry = value("spec.expireAfter");
    if (!expiry.empty()) line(6, "expireAfter: " + expiry);
    copy("spec.terminationGracePeriod", "terminationGracePeriod", 6);
  }

  void node_class() {
    for (const std::string at :
         {"spec.nodeClassRef", "spec.constraints.nodeClassRef", "spec.providerRef", "spec.constraints.providerRef"}) {
      if (manifest_.find(at) == nullptr) continue;
      std::string kind = value(at + ".kind");
      if (kind.empty() || kind == "AWSNodeTemplate") kind = at.ends_with("providerRef") ? "EC2NodeClass" : kind;
      std::string group = value(at + ".group");
      const std::string version = value(at + ".apiVersion");
      if (group.empty()) group = group_of(kind);
      if (group.empty()) group = version.substr(0, version.find('/'));
      const std::string name = value(at + ".name");
      if (kind.empty() || group.empty() || name.empty()) break;
      line(6, "nodeClassRef: {group: " + group + ", kind: " + kind + ", name: " + name + "}");
      return;
    }
    failed_ = true;
  }

  void requirements() {
    for (const char* at : {"spec.requirements", "spec.constraints.requirements"})
      if (const Node* node = manifest_.find(at); node != nullptr && node->kind != Node::Kind::Sequence) failed_ = true;
    const std::string capacity = capacity_type();
    const bool there = copy_first({"spec.requirements", "spec.constraints.requirements"}, "requirements", 6);
    if (!there) line(6, capacity.empty() ? "requirements: []" : "requirements:");
    const bool named = out_.find("karpenter.sh/capacity-type") != std::string::npos;
    if (capacity.empty() || named) return;
    const auto list = out_.find("requirements:\n");
    if (list == std::string::npos) {
      failed_ = true;
      return;
    }
    const auto begin = list + std::string_view("requirements:\n").size();
    out_.insert(begin, std::string(there ? depth_of_list(begin) : 6, ' ') +
                           "- {key: karpenter.sh/capacity-type, operator: In, values: [" + capacity + "]}\n");
  }

  // The depth of the list's first dash: comments may stand elsewhere.
  std::size_t depth_of_list(std::size_t begin) const {
    while (begin < out_.size()) {
      const auto first = out_.find_first_not_of(' ', begin);
      if (first != std::string::npos && out_[first] == '-') return first - begin;
      begin = out_.find('\n', begin) + 1;
    }
    return 6;
  }

  // A capacity type written as a label, where it has no meaning to Karpenter.
  std::string capacity_type() const {
    for (const char* map : {"metadata.labels", "spec.labels", "spec.constraints.labels"})
      if (const Node* found = manifest_.find(std::string(map) + ".karpenter.sh/capacity-type")) return found->text;
    return {};
  }

  void limits() {
    if (!copy("spec.limits.resources", "limits", 2)) copy("spec.limits", "limits", 2);
  }

  void disruption() {
    const std::string empty = value("spec.ttlSecondsAfterEmpty");
    const std::string consolidation = value("spec.consolidation.enabled");
    const std::string after = value("spec.disruption.consolidateAfter");
    std::string policy = value("spec.disruption.consolidationPolicy");
    if (policy == "WhenUnderutilized" || consolidation == "true") policy = "WhenEmptyOrUnderutilized";
    if (!empty.empty() && policy.empty()) policy = "WhenEmpty";
    const bool budgets = manifest_.find("spec.disruption.budgets") != nullptr;
    if (policy.empty() && after.empty() && !budgets) return;
    line(2, "disruption:");
    if (!policy.empty()) line(4, "consolidationPolicy: " + policy);
    line(4, "consolidateAfter: " + (!after.empty() ? after : empty.empty() ? "0s" : empty + "s"));
    copy("spec.disruption.budgets", "budgets", 4);
  }

  bool is_used(const std::string& path) const {
    return std::ranges::any_of(used_, [&](const std::string& each) {
      return path == each || (path.starts_with(each) && path[each.size()] == '.');
    });
  }
  // True when each value of the spec has come along. The labels that name a capacity type are a requirement now.
  bool all_used(const Node& node, const std::string& path = "spec") const {
    if (is_used(path) || path.ends_with("karpenter.sh/capacity-type")) return true;
    if (node.kind != Node::Kind::Map) return false;
    return std::ranges::all_of(node.children,
                               [&](const Node& child) { return all_used(child, path + "." + child.key); });
  }

  const Manifest& manifest_;
  std::string out_;
  std::vector<std::string> used_;
  bool failed_ = false;
};

void look_at_version(const Manifest& manifest, Report& report) {
  const std::string found(manifest.api_version());
  const bool provisioner = manifest.kind() == "Provisioner";
  if (found == "karpenter.sh/v1" && !provisioner) return;
  const std::string message = "found " + found + " " + std::string(manifest.kind()) +
                              ", which Karpenter does not serve since 1.1; write karpenter.sh/v1 NodePool";
  const auto kind = provisioner ? replace_value(manifest, "kind", "NodePool") : std::nullopt;
  const auto version = replace_value(manifest, "apiVersion", "karpenter.sh/v1");
  if (provisioner)
    report.add(Severity::Error, kRule, manifest, "apiVersion", message, {version, kind});
  else
    report.add(Severity::Error, kRule, manifest, "apiVersion", message, {version});
}

bool look_at_shape(const Manifest& manifest, Report& report) {
  const Node* spec = manifest.find("spec");
  if (spec == nullptr || spec->member("template") != nullptr) return false;
  report.add(Severity::Error, "node-pool-shape", manifest, "spec",
             "found no spec.template: nodeClassRef, requirements and taints belong into spec.template.spec, labels and "
             "annotations into spec.template.metadata, limits are flat, and what was kubelet configuration is the node "
             "class's",
             {Rewriting(manifest).edit()});
  return true;
}

// True when the key is there, perhaps misspelt.
bool has_nearly(const Node& map, const std::string& key) {
  return std::ranges::any_of(map.children, [&](const Node& each) { return nearest(each.key, {key}).has_value(); });
}

void look_at_node_class(const Manifest& manifest, Report& report) {
  const std::string at = "spec.template.spec.nodeClassRef";
  const Node* reference = manifest.find(at);
  if (reference == nullptr || has_nearly(*reference, "group")) return;
  const Node* version = reference->member("apiVersion");
  if (version != nullptr) {
    const std::string group = version->text.substr(0, version->text.find('/'));
    report.add(Severity::Error, kRule, manifest, at + ".apiVersion",
               "found apiVersion " + version->text + ", v1 has group instead; write group: " + group,
               {rename_key(manifest, at + ".apiVersion", "group"), replace_value(manifest, at + ".apiVersion", group)});
    return;
  }
  const Node* kind = reference->member("kind");
  const std::string group = kind == nullptr ? "" : group_of(kind->text);
  report.add(Severity::Error, kRule, manifest, at + ".group",
             "is missing" + (group.empty() ? "" : "; write group: " + group),
             {group.empty() ? std::nullopt : insert(manifest, at, {"group"}, group)});
}

// When both are there, today's field stays.
std::optional<Edit> moved_expiry(const Manifest& manifest, const Node& expiry) {
  if (manifest.find("spec.template.spec.expireAfter") != nullptr) return Edit{expiry.at, expiry.at, ""};
  return insert(manifest, "spec.template.spec", {"expireAfter"}, expiry.text);
}

void look_at_moved_fields(const Manifest& manifest, Report& report) {
  if (const Node* expiry = manifest.find("spec.disruption.expireAfter"))
    report.add(Severity::Error, kRule, manifest, "spec.disruption.expireAfter",
               "is spec.template.spec.expireAfter since v1",
               {remove(manifest, "spec.disruption.expireAfter"), moved_expiry(manifest, *expiry)});
  if (const Node* policy = manifest.find("spec.disruption.consolidationPolicy");
      policy != nullptr && policy->text == "WhenUnderutilized")
    report.add(Severity::Error, kRule, manifest, "spec.disruption.consolidationPolicy",
               "found WhenUnderutilized, in v1 it is WhenEmptyOrUnderutilized",
               {replace_value(manifest, "spec.disruption.consolidationPolicy", "WhenEmptyOrUnderutilized")});
  if (const Node* disruption = manifest.find("spec.disruption");
      disruption != nullptr && disruption->kind == Node::Kind::Map && !has_nearly(*disruption, "consolidateAfter"))
    report.add(Severity::Error, kRule, manifest, "spec.disruption.consolidateAfter",
               "is missing, v1 demands it; write how long a node may be idle, or 0s as v1beta1 had it",
               {insert(manifest, "spec.disruption", {"consolidateAfter"}, "0s")});
  if (manifest.find("spec.template.spec.kubelet") != nullptr)
    report.add(Severity::Error, kRule, manifest, "spec.template.spec.kubelet",
               "is a matter of the node class since v1; move it to spec.kubelet of the EC2NodeClass that nodeClassRef "
               "names, or of your provider's");
  if (const Node* resources = manifest.find("spec.limits.resources");
      resources != nullptr && !resources->children.empty()) {
    const Node* limits = manifest.find("spec.limits");
    const int indent = limits->key_at.column - 1;
    const auto flat = text_of(manifest, *resources, indent + 2);
    std::optional<Edit> mend;
    if (flat && limits->children.size() == 1)
      mend = limits->flow ? replace_value(manifest, "spec.limits", flat->substr(1, flat->size() - 2))
                          : replace_member(manifest, "spec.limits",
                                           std::string(static_cast<std::size_t>(indent), ' ') + "limits:" + *flat);
    report.add(Severity::Error, kRule, manifest, "spec.limits.resources",
               "limits are flat since v1beta1; write its members straight below limits", {std::move(mend)});
  }
}

}  // namespace

void node_pool_version_rules(const Manifest& manifest, const std::vector<Manifest>&, Report& report) {
  if (!is_of_karpenter(manifest)) return;
  look_at_version(manifest, report);
  if (look_at_shape(manifest, report)) return;
  look_at_node_class(manifest, report);
  look_at_moved_fields(manifest, report);
}

}  // namespace reprise::apps::lint
