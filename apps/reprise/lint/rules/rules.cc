#include "apps/reprise/lint/rules/rules.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "api/training_container.h"
#include "simulator/base/resources.h"

namespace reprise::apps::lint {
namespace {

using simulator::array;
using simulator::text;

bool is_at(std::string_view found, std::string_view field) {
  const auto below = [](std::string_view inner, std::string_view outer) {
    return inner.starts_with(outer) &&
           (inner.size() == outer.size() || inner[outer.size()] == '.' || inner[outer.size()] == '[');
  };
  return below(found, field) || below(field, found);
}

bool is_some(const simulator::Value& quantity) {
  if (quantity.is_string()) return simulator::parse_amount(text(quantity, {})) != 0;
  return simulator::number(quantity, {}) != 0;
}

bool same_object(const Finding& finding, const Manifest& manifest) {
  return finding.file == manifest.file && finding.object == manifest.title();
}

}  // namespace

void Report::add(Severity severity, std::string rule, const Manifest& manifest, std::string_view field,
                 std::string message, std::initializer_list<std::optional<Edit>> mend) {
  Finding finding{.severity = severity,
                  .rule = std::move(rule),
                  .file = manifest.file,
                  .at = manifest.place_of(field),
                  .object = manifest.title(),
                  .field = std::string(field),
                  .message = std::move(message)};
  if (std::ranges::all_of(mend, [](const auto& edit) { return edit.has_value(); }))
    for (const std::optional<Edit>& edit : mend) finding.mend.push_back(*edit);
  findings_.push_back(std::move(finding));
}

bool Report::has(const Manifest& manifest, std::string_view field) const {
  return std::ranges::any_of(
      findings_, [&](const Finding& finding) { return same_object(finding, manifest) && is_at(finding.field, field); });
}

bool Report::has_errors(const Manifest& manifest) const {
  return std::ranges::any_of(findings_, [&](const Finding& finding) {
    return finding.severity == Severity::Error && same_object(finding, manifest);
  });
}

std::vector<Finding> check(const std::vector<Manifest>& all) {
  constexpr ObjectRule kRules[] = {node_pool_version_rules, schema_rules, operator_rules, node_pool_rules, job_rules,
                                   gpu_pool_rules,          rules_across};
  Report report;
  for (const Manifest& manifest : all) {
    kind_rules(manifest, all, report);
    if (!is_checked(manifest)) continue;
    for (const ObjectRule rule : kRules) rule(manifest, all, report);
  }
  std::vector<Finding> findings = report.take();
  std::vector<std::size_t> order(findings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Findings at one place stay in the order of the rules.
  std::ranges::sort(order, {}, [&](std::size_t each) {
    return std::tuple(std::string_view(findings[each].file), findings[each].at, each);
  });
  std::vector<Finding> sorted;
  for (const std::size_t each : order) sorted.push_back(std::move(findings[each]));
  return sorted;
}

const Manifest* pool_of(const Manifest& job, const std::vector<Manifest>& all) {
  const auto wanted = text(job.object, {"spec", "poolName"});
  if (wanted.empty()) return nullptr;
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Manifest& each) {
    return each.kind() == "GpuPool" && each.name() == wanted;
  });
  return found == all.rend() ? nullptr : &*found;
}

std::optional<int> usual_notice_seconds(std::string_view node_class_kind) {
  if (node_class_kind == "EC2NodeClass") return 120;
  if (node_class_kind == "AKSNodeClass" || node_class_kind == "GCENodeClass") return 30;
  return {};
}

bool asks_for_gpu(const simulator::Value& container) {
  for (const char* list : {"limits", "requests"})
    for (const auto& each : simulator::object(container, {"resources", list}))
      if (api::asks_for_devices({each.key().data(), each.key().size()}) && is_some(each.value())) return true;
  return false;
}

int training_container_of(const Manifest& job) {
  std::vector<api::ContainerOfTemplate> containers;
  for (const simulator::Value& each : array(job.object, {"spec", "template", "spec", "containers"}))
    containers.push_back({.name = text(each, {"name"}), .asks_for_gpus = asks_for_gpu(each)});
  const auto choice = api::choose_training_container(containers, text(job.object, {"spec", "container"}),
                                                     !text(job.object, {"spec", "poolName"}).empty());
  return choice.index ? static_cast<int>(*choice.index) : -1;
}

}  // namespace reprise::apps::lint
