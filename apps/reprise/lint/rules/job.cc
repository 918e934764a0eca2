#include <algorithm>

#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/rules.h"
#include "apps/reprise/lint/rules/shell.h"
#include "simulator/base/json.h"

namespace reprise::apps::lint {
namespace {

using simulator::array;
using simulator::find;
using simulator::number;
using simulator::text;
using simulator::Value;

constexpr int kDefaultGrace = 110;
// Seconds for the notice to come through, and for the volume to be left in order.
constexpr int kMargin = 5;

void look_at_image(const Manifest& job, const std::string& at, const Value& container, Report& report) {
  const std::string image(text(container, {"image"}));
  if (image.empty() || image.find('@') != std::string::npos) return;
  const std::string last = image.substr(image.rfind('/') == std::string::npos ? 0 : image.rfind('/') + 1);
  const auto colon = last.find(':');
  if (colon != std::string::npos && last.substr(colon + 1) != "latest") return;
  report.add(Severity::Warning, "image-tag", job, at + ".image",
             "found '" + image +
                 "': a later attempt may get another image than the one that wrote the checkpoints; write "
                 "a version or a digest");
}

// The shortest notice of the capacity that the job may run on.
std::optional<std::int64_t> notice_of(const Value& pool) {
  std::optional<std::int64_t> shortest;
  for (const Value& capacity : array(pool, {"spec", "capacity"})) {
    if (text(capacity, {"type"}) != "Spot") continue;
    std::optional<std::int64_t> notice = usual_notice_seconds(text(pool, {"spec", "nodeClassRef", "kind"}));
    if (find(capacity, {"noticeSeconds"}) != nullptr) notice = number(capacity, {"noticeSeconds"});
    if (notice && (!shortest || *notice < *shortest)) shortest = notice;
  }
  return shortest;
}

void look_at_grace(const Manifest& job, const std::vector<Manifest>& all, Report& report) {
  const Manifest* pool = pool_of(job, all);
  const auto notice = pool == nullptr ? std::nullopt : notice_of(pool->object);
  if (!notice || text(job.object, {"spec", "placement", "capacity"}) == "OnDemandOnly") return;
  const std::string at = "spec.checkpoint.graceSeconds";
  const bool written = job.find(at) != nullptr;
  const std::int64_t grace = number(job.object, {"spec", "checkpoint", "graceSeconds"}, kDefaultGrace);
  if (grace <= *notice) return;
  const std::string less = std::to_string(std::max<std::int64_t>(1, *notice - kMargin));
  report.add(Severity::Warning, "grace-beyond-notice", job, at,
             (written ? "found " : "is missing and then ") + std::to_string(grace) + ", GpuPool " +
                 std::string(pool->name()) + " gives " + std::to_string(*notice) +
                 " s of notice: a save that takes longer is lost; write " + less +
                 ", and let the trainer save in that time",
             {written ? replace_value(job, at, less) : insert(job, "spec.checkpoint", {"graceSeconds"}, less)});
}

// When only checkpoints show a trainer's progress, the agent waits for two of them.
void look_at_timeout(const Manifest& job, Report& report) {
  constexpr int default_period = 600;
  const std::int64_t timeout = number(job.object, {"spec", "progressTimeoutSeconds"});
  const std::int64_t period = number(job.object, {"spec", "checkpoint", "periodSeconds"}, default_period);
  if (timeout == 0 || timeout >= 2 * period) return;
  report.add(Severity::Advice, "timeout-within-period", job, "spec.progressTimeoutSeconds",
             "found " + std::to_string(timeout) + ", and spec.checkpoint.periodSeconds is " + std::to_string(period) +
                 ": a trainer that tells of its steps (docs/progress.md) is ended after so long without one; of any "
                 "other only checkpoints show that it goes on, and its agent waits " +
                 std::to_string(2 * period) + " s; see that it tells of its steps, or write " +
                 std::to_string(2 * period));
}

// Libraries that delete old checkpoints when the script says so: save_total_limit, save_top_k, max_to_keep.
bool may_rotate(std::string_view format) {
  return format == "HuggingFace" || format == "Lightning" || format == "Orbax";
}

void look_at_checkpoint(const Manifest& job, Report& report) {
  const Value* checkpoint = find(job.object, {"spec", "checkpoint"});
  if (checkpoint == nullptr) return;
  if (find(*checkpoint, {"periodSeconds"}) == nullptr)
    report.add(
        Severity::Advice, "no-period", job, "spec.checkpoint.periodSeconds",
        "is missing and then 600: ten minutes of every rank are lost when a node goes without a notice; write how "
        "often it is worth to save",
        {insert(job, "spec.checkpoint", {"periodSeconds"}, "600")});
  if (find(*checkpoint, {"keep"}) == nullptr && !may_rotate(text(*checkpoint, {"format"})))
    report.add(Severity::Advice, "no-keep", job, "spec.checkpoint.keep",
               "is missing, and then no checkpoint is ever deleted: the volume fills unless the trainer deletes its "
               "own; write how many are to stay",
               {insert(job, "spec.checkpoint", {"keep"}, "2")});
  if (text(*checkpoint, {"volume", "whenDeleted"}) == "Delete" &&
      find(job.object, {"spec", "ttlSecondsAfterFinished"}) != nullptr)
    report.add(
        Severity::Warning, "deletes-its-result", job, "spec.checkpoint.volume.whenDeleted",
        "found Delete with ttlSecondsAfterFinished: the checkpoints go with the job some time after it is complete; "
        "write Retain",
        {replace_value(job, "spec.checkpoint.volume.whenDeleted", "Retain")});
}

}  // namespace

void job_rules(const Manifest& manifest, const std::vector<Manifest>& all, Report& report) {
  if (manifest.kind() != "ResumableJob" || manifest.api_version() != "reprise.dev/v1alpha1") return;
  look_at_checkpoint(manifest, report);
  look_at_timeout(manifest, report);
  look_at_grace(manifest, all, report);
  look_at_resources(manifest, all, report);
  const int trainer = training_container_of(manifest);
  const auto& containers = array(manifest.object, {"spec", "template", "spec", "containers"});
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const std::string at = "spec.template.spec.containers[" + std::to_string(i) + "]";
    look_at_image(manifest, at, containers[i], report);
    if (static_cast<int>(i) != trainer) continue;
    look_at_shell(manifest, at, containers[i], report);
  }
}

}  // namespace reprise::apps::lint
