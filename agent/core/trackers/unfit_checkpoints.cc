#include "agent/core/trackers/unfit_checkpoints.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/recognise/tracker_file.h"

namespace reprise::agent {
namespace {

constexpr const char* kPutAside = "which was put aside";
constexpr const char* kPutAsideBefore = "which was put aside before";

}  // namespace

UnfitCheckpoints::UnfitCheckpoints(const Volume& volume, const Aside& aside, const PutAsideBefore& before)
    : volume_(volume), aside_(aside), before_(before) {
  for (const std::string& name : aside.names) now_.emplace(name, is_there(name) ? kUnfitStays : kPutAside);
  all_ = now_;
  for (const std::string& path : before.paths())
    if (!all_.contains(path) && !is_there(path)) all_.emplace(path, kPutAsideBefore);
}

bool UnfitCheckpoints::is_there(const std::string& path) const {
  const auto info = volume_.files.look(volume_.layout.root / path, Links::Stay);
  return !info || info->has_value();
}

void UnfitCheckpoints::add(const std::string& link) {
  now_.emplace(link, kPutAside);
  all_.emplace(link, kPutAside);
}

std::optional<Unfit> UnfitCheckpoints::at(const std::string& path) const {
  for (std::string_view at = path; !at.empty(); at = directory_of(at)) {
    const std::string name(at);
    if (const auto gone = now_.find(name); gone != now_.end()) return Unfit{name, gone->second};
    if (before_.holds(name) && !is_there(name)) return Unfit{name, kPutAsideBefore};
  }
  if (const auto was = before_.was(path)) return Unfit{*was, kPutAsideBefore};
  return std::nullopt;
}

bool UnfitCheckpoints::counts_in(std::string_view folder) const {
  const auto lies_there = [&](const auto& name) { return directory_of(name) == folder; };
  return std::ranges::any_of(now_, lies_there, [](const auto& each) -> const std::string& { return each.first; }) ||
         std::ranges::any_of(aside_.left, lies_there, &Checkpoint::name);
}

const Checkpoint* UnfitCheckpoints::newest_in(std::string_view folder, std::string_view tracker,
                                              std::string_view like) const {
  const Checkpoint* newest = nullptr;
  const std::string naming = naming_of(last_part(like));
  for (const Checkpoint& each : aside_.left) {
    const bool can_be_it = each.complete && directory_of(each.name) == folder &&
                           can_name({.file = tracker, .checkpoint = {}}, last_part(each.name));
    if (!can_be_it) continue;
    if (like.empty() || naming_of(last_part(each.name)) == naming) return &each;
    if (newest == nullptr) newest = &each;
  }
  return newest;
}

std::optional<std::string> path_below(const std::filesystem::path& root, const std::filesystem::path& path) {
  std::string relative = path.lexically_normal().lexically_relative(root.lexically_normal()).string();
  if (relative.ends_with('/')) relative.pop_back();
  const bool is_out = relative.empty() || relative == "." || relative == ".." || relative.starts_with("../");
  return is_out ? std::nullopt : std::optional(std::move(relative));
}

}  // namespace reprise::agent
