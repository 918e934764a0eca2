// The rules, one folder. Each looks at one object, or at all that were given, and reports.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/reprise/lint/finding.h"
#include "apps/reprise/lint/source.h"

namespace reprise::apps::lint {

class Report {
 public:
  // Makes the mend of the given edits; one missing edit takes the mend away.
  void add(Severity severity, std::string rule, const Manifest& manifest, std::string_view field, std::string message,
           std::initializer_list<std::optional<Edit>> mend = {});
  void add(Finding finding) { findings_.push_back(std::move(finding)); }
  // True when there is a finding at the field, or around or below it, of this object.
  [[nodiscard]] bool has(const Manifest& manifest, std::string_view field) const;
  [[nodiscard]] bool has_errors(const Manifest& manifest) const;
  [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }

 private:
  std::vector<Finding> findings_;
};

using ObjectRule = void (*)(const Manifest& manifest, const std::vector<Manifest>& all, Report& report);

// Kinds of reprise.dev that do not exist, and groups that look like it: the API server takes such an object for
// somebody else's.
void kind_rules(const Manifest& manifest, const std::vector<Manifest>& all, Report& report);
// Rules of the API server: fields, types, values and CEL rules of the definition.
void schema_rules(const Manifest& manifest, const std::vector<Manifest>& all, Report& report);
// Rules of the operator, by its own code.
void operator_rules(const Manifest& manifest, const std::vector<Manifest>& all, Report& report);
// Models and types that are written otherwise than labels have them.
void model_rules(const Manifest& manifest, Report& report);
// Capacity that can never be rented, by arithmetic; NodePools, too.
void rentable_rules(const Manifest& manifest, const std::vector<Manifest>& all, Report& report);
// NodePools of earlier versions, or of none.
void node_pool_version_rules(const Manifest& manifest, const std::vector<Manifest>& all, Report& report);
// NodePools that Karpenter takes but that do not fit GPUs, trainers or the operator.
void node_pool_rules(const Manifest& manifest, const std::vector<Manifest>& all, Report& report);
// Jobs and pools that are accepted and could be better.
void job_rules(const Manifest& manifest, const std::vector<Manifest>& all, Report& report);
// The requests of the job's containers.
void look_at_resources(const Manifest& job, const std::vector<Manifest>& all, Report& report);
void gpu_pool_rules(const Manifest& manifest, const std::vector<Manifest>& all, Report& report);
// A job beside the pool that it names, and objects that are there twice.
void rules_across(const Manifest& manifest, const std::vector<Manifest>& all, Report& report);

// GpuPools, ResumableJobs, and Karpenter's NodePools and Provisioners; rules look at no others.
[[nodiscard]] bool is_checked(const Manifest& manifest);
// Checks all manifests, given in the order of the files; returns findings in the order of their places.
[[nodiscard]] std::vector<Finding> check(const std::vector<Manifest>& all);

// Shared by rules. Of several pools with the job's name the last one counts, as for kubectl apply.
[[nodiscard]] const Manifest* pool_of(const Manifest& job, const std::vector<Manifest>& all);
// The provider's notice, by the kind of its node class; empty when it is not known.
[[nodiscard]] std::optional<int> usual_notice_seconds(std::string_view node_class_kind);
// True for limits or requests of devices, by whatever name; a quantity of 0 asks for none.
[[nodiscard]] bool asks_for_gpu(const simulator::Value& container);
// True for a NodePool whose requirements or whose limit say that its machines have GPUs; one that keeps GPUs out has
// requirements about them as well.
[[nodiscard]] bool rents_gpus(const Manifest& node_pool);
// The index of a job's training container in the template, as the operator chooses it; -1: there is none.
[[nodiscard]] int training_container_of(const Manifest& job);

}  // namespace reprise::apps::lint
