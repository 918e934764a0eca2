#include "rehearsal/plan/strict_manifest.h"

#include <re2/re2.h>

#include <string>
#include <vector>

#include "crds/embedded.h"
#include "simulator/api_server/schema/strict_fields.h"

namespace reprise::rehearsal {
namespace {

using simulator::Cause;
using simulator::find;
using simulator::text;
using simulator::Value;

// The schema takes any string for a quantity; the claim that is made of it would be rejected.
void look_at_storage(const Value& job, std::vector<Cause>& causes) {
  static const re2::RE2 quantity(R"([+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?)");
  constexpr std::string_view kField = "spec.checkpoint.volume.claimTemplate.spec.resources.requests.storage";
  const std::string found(
      text(job, {"spec", "checkpoint", "volume", "claimTemplate", "spec", "resources", "requests", "storage"}));
  if (found.empty() || re2::RE2::FullMatch(found, quantity)) return;
  causes.push_back({.reason = "FieldValueInvalid",
                    .message = "found '" + found + "', must be a quantity such as 10Gi",
                    .field = std::string(kField)});
}

}  // namespace

runtime::Result<void> check_manifest(const Value& object) {
  const bool job = text(object, {"kind"}) == "ResumableJob";
  Value whole = object;
  const Value* spec = find(whole, {"spec"});
  if (job && spec != nullptr && spec->is_object() && find(*spec, {"poolName"}) == nullptr)
    simulator::set(whole, {"spec", "poolName"}, "rehearsal");
  auto causes = simulator::strict_causes(job ? crds::resumable_jobs() : crds::gpu_pools(), std::move(whole));
  if (!causes) return std::unexpected(std::move(causes).error());
  if (job) look_at_storage(object, *causes);
  if (causes->empty()) return {};
  std::string message = std::string(text(object, {"kind"})) + " " + std::string(simulator::name_of(object));
  for (const Cause& each : *causes) message += "\n  " + each.field + ": " + each.message;
  return runtime::fail(runtime::ErrorClass::Invalid, message);
}

}  // namespace reprise::rehearsal
