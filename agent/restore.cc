#include "agent/restore.h"

#include <algorithm>

#include "agent/attempts.h"
#include "agent/choose_resume.h"

namespace reprise::agent {
namespace {

using runtime::Result;

// Whether the earlier word of this attempt can be kept; otherwise why not.
std::string outdated(const ResumePoint& earlier, const ResumeChoice& now) {
  const std::string found = now.resume ? now.resume->name : "none";
  const std::string published = earlier.step ? earlier.path : "none";
  if (found == published || !earlier.refusal.empty()) return {};
  return "attempt " + std::to_string(earlier.attempt) + " has published checkpoint " + published + " before (pod UID " +
         earlier.pod_uid + "), but the newest is now " + found + ": start a new attempt";
}

void put_aside(const Volume& volume, const Identity& self, const Checkpoints& found, const ResumeChoice& choice,
               Restored& restored) {
  for (const std::string& name : choice.put_aside) {
    const auto to = volume.layout.quarantine() / (name + "." + std::to_string(self.attempt));
    const auto moved = volume.files.move(volume.layout.root / name, to);
    const auto checkpoint =
        std::find_if(found.begin(), found.end(), [&](const auto& each) { return each.name == name; });
    const bool complete = checkpoint != found.end() && checkpoint->complete;
    const std::string what = (complete ? "old checkpoint " : "torn checkpoint ") + name;
    if (moved) {
      restored.notes.push_back(what + " was moved to .reprise/quarantine");
    } else {
      restored.notes.push_back(what + " was left in place: " + moved.error().message);
      if (complete) restored.ignored.push_back(*checkpoint);
    }
  }
}

}  // namespace

Result<std::optional<ResumePoint>> read_resume_point(const Volume& volume, const Identity& self) {
  const auto text = volume.files.read(volume.layout.resume_point(self.attempt));
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto point = decode_resume_point(**text);
  const bool ours = point && point->job_uid == self.job_uid && point->attempt == self.attempt;
  return ours ? point : std::nullopt;
}

Result<ResumePolicy> policy_in_force(const Volume& volume, const Environment& env, const Identity& self) {
  ScratchQuestion question{.policy = env.resume, .since = env.from_scratch_since, .self = self};
  if (env.resume != ResumePolicy::FromScratch || !env.from_scratch_since) return policy_in_force(question);
  const auto attempts = list_attempts(volume);
  if (!attempts) return std::unexpected(attempts.error());
  for (const std::int32_t attempt : *attempts) {
    if (attempt < *env.from_scratch_since || attempt >= self.attempt) continue;
    Identity then = self;
    then.attempt = attempt;
    auto point = read_resume_point(volume, then);
    if (!point) return std::unexpected(point.error());
    if (*point) question.published.push_back(std::move(**point));
  }
  return policy_in_force(question);
}

Result<Restored> restore(const Volume& volume, const Environment& env, const Identity& self,
                         std::optional<std::int32_t> finished_attempt) {
  const auto earlier = read_resume_point(volume, self);
  if (!earlier) return std::unexpected(earlier.error());
  const auto found = volume.scan();
  if (!found) return std::unexpected(found.error());
  const ResumeChoice choice = choose_resume({.found = *found,
                                             .policy = env.resume,
                                             .expected_step = env.expected_step,
                                             .format_is_certain = env.format != "Auto"});
  Restored restored;
  if (env.resume == ResumePolicy::Never) restored.ignored = *found;
  if (*earlier) {
    restored.point = **earlier;
    if (env.resume == ResumePolicy::Latest) restored.outdated = outdated(**earlier, choice);
    return restored;
  }
  restored.point = {.job_uid = self.job_uid,
                    .attempt = self.attempt,
                    .pod_uid = self.pod_uid,
                    .step = choice.resume ? std::optional(choice.resume->step) : std::nullopt,
                    .path = choice.resume ? choice.resume->name : std::string(),
                    .refusal = choice.refusal,
                    .finished_attempt = finished_attempt};
  put_aside(volume, self, *found, choice, restored);
  if (!choice.note.empty()) restored.notes.push_back(choice.note);
  const auto written =
      volume.files.write(volume.layout.resume_point(self.attempt), encode_resume_point(restored.point), Sync::Yes);
  if (!written) {
    restored.published = false;
    restored.notes.push_back("resume.json could not be published: " + written.error().message);
  }
  return restored;
}

}  // namespace reprise::agent
