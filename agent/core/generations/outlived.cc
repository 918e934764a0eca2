#include "agent/core/generations/outlived.h"

#include <algorithm>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {
namespace {

// A checkpoint that is put aside bears a name that is made of its path. Orbax gives a step its own name when it is
// whole.
SaveName read_aside(const std::string& path) {
  constexpr std::string_view kTemporary = ".orbax-checkpoint-tmp";
  return read_save_name(VolumeLayout::path_of_aside(VolumeLayout::aside(path.substr(0, path.find(kTemporary)))));
}

bool has_kind(const Generation& generation, const std::string& kind, std::int32_t since) {
  return std::ranges::any_of(
      generation.parts, [&](const auto& each) { return each.attempt >= since && read_aside(each.name).kind == kind; });
}

// True if the save has all that the one before it has.
bool is_whole(const Generation& generation, const std::vector<Generation>& all, const std::string& kind) {
  const auto before = std::ranges::find_if(all, [&](const Generation& each) {
    return each.step < generation.step && each.is_complete() && has_kind(each, kind, 0);
  });
  return before == all.end() || has_parts_of(generation, *before);
}

}  // namespace

bool is_outlived(const std::string& path, std::int32_t since, const PruneQuestion& question) {
  const SaveName says = read_aside(path);
  if (!says.step) return false;
  Checkpoints counted = question.found;
  std::erase_if(counted, [&](const Checkpoint& each) { return may_be_none(each, question.made); });
  const Generations generations = group_by_save(counted, question.made, question.job_uid);
  return std::ranges::any_of(generations.known, [&](const Generation& each) {
    return has_kind(each, says.kind, since) && is_proven(each, question) &&
           is_whole(each, generations.known, says.kind);
  });
}

}  // namespace reprise::agent
