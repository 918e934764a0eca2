#include "agent/core/put_aside_before.h"

#include <filesystem>

#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

// Without the number of the attempt that has put it aside.
std::string_view without_attempt(std::string_view name) {
  return name.substr(0, name.rfind('.'));
}

}  // namespace

bool PutAsideBefore::holds(const std::string& path) const {
  return names_.contains(VolumeLayout::aside(path));
}

std::optional<std::string> PutAsideBefore::was(std::string_view path) const {
  const std::string own = std::string(VolumeLayout::kOwn) + "/";
  if (!path.starts_with(own)) return std::nullopt;
  path.remove_prefix(own.size());
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view place = path.substr(0, slash);
  if (place != "torn" && place != "quarantine" && place != "ahead" && place != "trash") return std::nullopt;
  path.remove_prefix(slash + 1);
  return VolumeLayout::path_of_aside(std::string(without_attempt(path.substr(0, path.find('/')))));
}

std::vector<std::string> PutAsideBefore::paths() const {
  std::vector<std::string> paths;
  for (const std::string& name : names_) paths.push_back(VolumeLayout::path_of_aside(name));
  return paths;
}

runtime::Result<PutAsideBefore> read_put_aside_before(const Volume& volume) {
  std::set<std::string> before;
  for (const auto& place : {volume.layout.torn(), volume.layout.quarantine(), volume.layout.ahead()}) {
    const auto names = volume.files.list(place);
    if (!names) return std::unexpected(names.error());
    for (const std::string& name : *names) before.emplace(without_attempt(name));
  }
  return PutAsideBefore(std::move(before));
}

}  // namespace reprise::agent
