#include "apps/kubectl-reprise/commands/checkpoints/checkpoints_view.h"

#include <fmt/format.h>

#include "api/newest_checkpoint.h"
#include "apps/kubectl-reprise/cluster/job_pods.h"
#include "apps/kubectl-reprise/commands/checkpoints/checkpoint_advice.h"
#include "apps/kubectl-reprise/terminal/table.h"
#include "apps/kubectl-reprise/terminal/time_text.h"
#include "runtime/base/size_text.h"
#include "runtime/kube/conditions.h"

namespace reprise::plugin {
namespace {

using runtime::size_text;

std::string yes_or_no(bool value) {
  return value ? "yes" : "no";
}

constexpr const char* kVerified = "yes: complete and durable";

std::string or_unknown(std::string text) {
  return text.empty() ? "not known" : text;
}

std::string step_of(std::optional<std::int64_t> step) {
  return step ? std::to_string(*step) : std::string();
}

std::string line(std::string_view what, const std::string& value) {
  return fmt::format("  {:<10}{}\n", what, value);
}

std::string saved(std::optional<kube::Time> time, kube::Time now) {
  const std::string age = age_text(time, now);
  return age.empty() ? "not known when" : age + " ago (" + kube::format_time(*time) + ")";
}

// "fuse.gcsfuse, durable when closed; no delete".
std::string volume_text(const api::VolumeStatus& volume) {
  std::string text = or_unknown(volume.type);
  if (volume.durability == protocol::kDurableBySync) text += ", durable when synced";
  if (volume.durability == protocol::kDurableByReopen) text += ", durable when it can be opened again";
  if (volume.durability == protocol::kDurableByClose) text += ", durable when closed";
  if (volume.durability == protocol::kNeverDurable) text += ", never says whether anything is durable";
  std::string lacks;
  const auto note = [&lacks](std::string_view what, std::optional<bool> can) {
    if (can == false) lacks += (lacks.empty() ? "; no " : ", no ") + std::string(what);
  };
  note("rename", volume.rename);
  note("overwrite", volume.overwrite);
  note("delete", volume.remove);
  return text + lacks;
}

// The volume as it was found last.
std::string volume_line(const api::ResumableJobStatus& status) {
  if (status.progress && status.progress->volume) return line("volume", volume_text(*status.progress->volume));
  if (status.checkpoint && status.checkpoint->volume) return line("volume", volume_text(*status.checkpoint->volume));
  return {};
}

std::string live_lines(const api::LiveCheckpointStatus& live, kube::Time now) {
  std::string text = line("step", std::to_string(live.step)) + line("path", or_unknown(live.path)) +
                     line("saved", saved(live.time, now));
  if (!live.format.empty()) text += line("format", std::string(live.format));
  if (live.size_bytes) text += line("size", size_text(*live.size_bytes));
  if (live.save_seconds) text += line("took", length_text(kube::bounded_seconds(*live.save_seconds)));
  return text + line("verified", live.verified ? kVerified : "not yet");
}

std::string recorded_lines(const api::CheckpointStatus& checkpoint, kube::Time now) {
  return line("step", std::to_string(checkpoint.step)) + line("path", or_unknown(checkpoint.path)) +
         line("format", or_unknown(checkpoint.format)) + line("claim", or_unknown(checkpoint.claim_name)) +
         line("saved", saved(checkpoint.time, now)) +
         line("size", checkpoint.size_bytes ? size_text(*checkpoint.size_bytes) : "not known") +
         line("verified", checkpoint.verified ? kVerified : "no") +
         line("snapshot", checkpoint.snapshot_name.empty() ? "none" : std::string(checkpoint.snapshot_name));
}

std::string newest(const api::ResumableJob& job, kube::Time now) {
  const auto& checkpoint = job.status.checkpoint;
  const std::string name = fmt::format("{}/{}", job.meta.namespace_.view(), job.meta.name.view());
  const std::string title = "Newest complete checkpoint that job " + name + " reports";
  if (const auto* live = newer_live_checkpoint(job.status)) {
    std::string text = title + " while it runs:\n" + live_lines(*live, now) + volume_line(job.status);
    if (checkpoint) text += "Newest of the attempts that have ended:\n" + recorded_lines(*checkpoint, now);
    return text;
  }
  if (checkpoint) return title + ":\n" + recorded_lines(*checkpoint, now) + volume_line(job.status);
  return "No complete checkpoint of job " + name + " has been reported yet.\n";
}

std::string attempts_table(const std::vector<RankEnd>& ends) {
  Table table{{"ATTEMPT", "INDEX", "POD", "STATE", "EXIT", "RESUMED FROM", "STEP", "SIZE", "ASKED", "SAVED", "REASON"},
              {}};
  for (const RankEnd& end : ends) {
    std::vector<std::string> row = {std::to_string(end.attempt), std::to_string(end.index), end.pod, end.state};
    if (end.record) {
      const protocol::Record& record = *end.record;
      row.insert(row.end(), {std::to_string(record.exit_code), step_of(record.resumed_from), step_of(record.step),
                             record.size_bytes ? size_text(*record.size_bytes) : "", yes_or_no(record.stop_requested),
                             yes_or_no(record.saved), record.reason});
    }
    row.resize(table.header.size());
    table.rows.push_back(std::move(row));
  }
  return table.text();
}

std::string unknowns(const api::ResumableJob& job, const std::vector<RankEnd>& ends) {
  std::string text = "\nNot known here:\n";
  // The status shows records of attempts that have ended there too.
  const auto& progress = job.status.progress;
  const bool live = progress && progress->checkpoint && !progress->activity.empty();
  if (job.status.active > 0 && !live)
    text += fmt::format(
        "  - what attempt {} has saved since it began: no rank has reported a checkpoint while it runs; a step is "
        "reported when an attempt ends\n",
        job.status.attempt);
  std::int32_t first = job.status.attempt + 1;
  for (const RankEnd& end : ends) first = std::min(first, end.attempt);
  if (job.status.attempt > 0 && first > 1)
    text += fmt::format(
        "  - the ends of attempts before number {}: their pods are gone; the volume has their records "
        "below .reprise/attempts\n",
        first);
  text += fmt::format("  - older checkpoints on the volume (spec.checkpoint.keep is {}): only the agent looks there\n",
                      job.spec.checkpoint.keep ? std::to_string(*job.spec.checkpoint.keep) : "not set");
  if (!job.spec.checkpoint.snapshot) text += "  - snapshots: spec.checkpoint.snapshot is not set\n";
  return text;
}

}  // namespace

std::vector<RankEnd> rank_ends(const api::ResumableJob& job, const std::vector<kube::Pod>& pods) {
  std::vector<RankEnd> ends;
  const std::string trainer = trainer_of(job);
  for (const kube::Pod& pod : pods) {
    RankEnd end{.attempt = attempt_of(pod), .index = index_of(pod), .pod = pod.meta.name, .state = "waiting"};
    const kube::ContainerStatus* container = pod.container(trainer);
    if (container != nullptr && container->state == kube::ContainerStateKind::Running) end.state = "running";
    if (container != nullptr && container->state == kube::ContainerStateKind::Terminated) {
      end.state = "ended";
      if (auto record = protocol::decode_record(container->message)) end.record = *std::move(record);
    }
    ends.push_back(std::move(end));
  }
  return ends;
}

std::string checkpoints_screen(const api::ResumableJob& job, const std::vector<RankEnd>& ends, kube::Time now) {
  std::string text = newest(job, now);
  const auto& spec = job.spec.checkpoint;
  text += fmt::format("\nThe trainer saves to {} every {}; asked for a stop it has {} to save.\n", spec.path.view(),
                      length_text(kube::bounded_seconds(spec.period_seconds)),
                      length_text(kube::bounded_seconds(spec.grace_seconds)));
  if (const auto* ready = kube::find_condition(job.status.conditions, "CheckpointReady"))
    text += fmt::format("CheckpointReady: {}: {}\n", ready->reason.view(), ready->message.view());
  if (const auto& lost = job.status.checkpoint_lost) {
    text += "The expected checkpoint was not found" +
            (lost->offered_step ? "; step " + std::to_string(*lost->offered_step) + " is there" : std::string()) +
            ".\n";
  }
  if (const auto& aside = job.status.unproven) text += fmt::format("Put aside: {}.\n", aside->message.view());
  if (const auto& full = job.status.volume_full) text += fmt::format("No attempt begins: {}.\n", full->message.view());
  if (job.status.lost_seconds > 0)
    text += "Work lost to interruptions so far: " + length_text(kube::bounded_seconds(job.status.lost_seconds)) + ".\n";
  text += checkpoint_advice(job, now);
  if (!ends.empty()) text += "\nAttempts that still have pods:\n" + attempts_table(ends);
  return text + unknowns(job, ends);
}

}  // namespace reprise::plugin
