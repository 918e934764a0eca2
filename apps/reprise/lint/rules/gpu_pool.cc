#include <algorithm>

#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/rules.h"

namespace reprise::apps::lint {
namespace {

using simulator::array;
using simulator::find;
using simulator::number;
using simulator::text;

void look_at_capacity(const Manifest& pool, Report& report) {
  const auto& capacity = array(pool.object, {"spec", "capacity"});
  const auto usual = usual_notice_seconds(text(pool.object, {"spec", "nodeClassRef", "kind"}));
  for (std::size_t i = 0; i < capacity.size(); ++i) {
    const std::string at = "spec.capacity[" + std::to_string(i) + "]";
    if (find(capacity[i], {"maxGpus"}) == nullptr && find(pool.object, {"spec", "maxCostPerHour"}) == nullptr)
      report.add(Severity::Advice, "no-limit", pool, at + ".maxGpus",
                 "is missing: nothing bounds what " + std::string(text(capacity[i], {"type"})) +
                     " capacity is rented; write the most GPUs there may be, or spec.maxCostPerHour");
    const std::int64_t notice = number(capacity[i], {"noticeSeconds"});
    if (text(capacity[i], {"type"}) == "Spot" && usual && notice > *usual)
      report.add(Severity::Warning, "notice-too-long", pool, at + ".noticeSeconds",
                 "found " + std::to_string(notice) + ", the provider gives " + std::to_string(*usual) +
                     " s before it takes a spot node; write " + std::to_string(*usual),
                 {replace_value(pool, at + ".noticeSeconds", std::to_string(*usual))});
  }
}

}  // namespace

void gpu_pool_rules(const Manifest& manifest, const std::vector<Manifest>&, Report& report) {
  if (manifest.kind() != "GpuPool" || manifest.api_version() != "reprise.dev/v1alpha1") return;
  look_at_capacity(manifest, report);
  const bool any_type = array(manifest.object, {"spec", "gpu", "models"}).empty() &&
                        array(manifest.object, {"spec", "instanceTypes"}).empty() &&
                        array(manifest.object, {"spec", "requirements"}).empty();
  if (any_type && find(manifest.object, {"spec", "nodeClassRef"}) != nullptr)
    report.add(Severity::Advice, "any-gpu", manifest, "spec.gpu.models",
               "is missing: the pool rents any GPU, the dearest, too; write the models that jobs are meant to have");
}

}  // namespace reprise::apps::lint
