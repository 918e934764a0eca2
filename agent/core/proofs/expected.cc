#include "agent/core/proofs/expected.h"

#include <algorithm>
#include <string>

#include "agent/core/restore/choose_resume.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {
namespace {

bool is_put_aside(const Volume& volume, const Environment& env) {
  const auto aside = volume.files.list(volume.layout.unproven());
  if (!aside) return false;
  const std::string expected =
      env.expected_checkpoint.empty() ? std::string() : VolumeLayout::aside(env.expected_checkpoint) + ".";
  return std::ranges::any_of(*aside, [&](const std::string& each) {
    if (!expected.empty()) return each.starts_with(expected) && each.find('.', expected.size()) == std::string::npos;
    return read_save_name(VolumeLayout::before_aside(each)).step >= env.expected_step;
  });
}

// Besides what nothing proves there is something to resume from.
bool has_others(const Environment& env, const VolumeScan& scan, const Unproven& unproven) {
  return std::ranges::any_of(scan.found, [&](const Checkpoint& each) {
    return may_be_resumed(each, scan.made, env.format != "Auto") && !unproven.names.contains(each.name);
  });
}

// A person has named that step, and no name: of what an agent has told the operator knows both.
bool is_accepted(const Environment& env, const Checkpoint& one) {
  return env.expected_step == one.step && env.expected_checkpoint.empty();
}

}  // namespace

bool expects_unproven(const Volume& volume, const Environment& env, const VolumeScan& scan, const Unproven& unproven) {
  if (!unproven.keeps_proofs || !env.expected_step) return false;
  const bool others = has_others(env, scan, unproven);
  // A save of the same name that came later: the one that was proven is gone by its trainer's own doing.
  const auto was_proven = [&](const Checkpoint& one) {
    if (!unproven.before) return false;
    const auto known = std::ranges::find(unproven.before->checkpoints, one.name, &ProvenCheckpoint::name);
    return known != unproven.before->checkpoints.end() && (known->completed == one.time || !others);
  };
  for (const Checkpoint& each : scan.found) {
    const bool is_expected =
        env.expected_checkpoint.empty() ? each.step >= *env.expected_step : each.name == env.expected_checkpoint;
    if (is_expected && unproven.names.contains(each.name) && !was_proven(each)) return true;
  }
  const bool made_again =
      std::ranges::find(scan.made, env.expected_checkpoint, &MadeCheckpoint::name) != scan.made.end();
  return !made_again && is_put_aside(volume, env);
}

void use_accepted(const Environment& env, const Identity& self, const VolumeScan& scan, Unproven& unproven) {
  if (unproven.names.empty() || has_others(env, scan, unproven)) return;
  const auto accepted = std::ranges::find_if(
      scan.found, [&](const Checkpoint& each) { return unproven.names.contains(each.name) && is_accepted(env, each); });
  if (accepted == scan.found.end()) return;
  for (const Checkpoint& part : save_of(*accepted, self, scan)) unproven.names.erase(part.name);
}

std::string why_not_from_nothing(const Environment& env, bool all_agree, const VolumeScan& scan,
                                 const Unproven& unproven) {
  const bool gives_up = gives_up_unproven(env, all_agree) && unproven.lost_proven && !unproven.names.empty();
  if (!gives_up || has_others(env, scan, unproven)) return {};
  const auto newest =
      std::ranges::find_if(scan.found, [&](const Checkpoint& each) { return unproven.names.contains(each.name); });
  return "nothing that was proven to be on the disk is there any more, and nothing proves the newest complete "
         "checkpoint, " +
         newest->name +
         ": who knows that it is whole accepts its step, or sets spec.checkpoint.unproven to Use; to accept the loss, "
         "set spec.resume to FromScratch (if it is already: to Latest and back)";
}

}  // namespace reprise::agent
