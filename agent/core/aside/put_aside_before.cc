#include "agent/core/aside/put_aside_before.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "agent/core/fencing/attempts.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {
namespace {

// The name without the number of the attempt that has put it aside.
std::string_view without_attempt(std::string_view name) {
  return name.substr(0, name.rfind('.'));
}

// The last attempt whose restore came to its end; 0: none did.
runtime::Result<std::int32_t> last_published(const Volume& volume) {
  const auto attempts = list_attempts(volume);  // the newest first
  if (!attempts) return std::unexpected(attempts.error());
  for (const std::int32_t attempt : *attempts) {
    const auto info = volume.files.look(volume.layout.resume_point(attempt), Links::Follow);
    if (!info) return std::unexpected(info.error());
    if (*info) return attempt;
  }
  return 0;
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
  constexpr std::array<std::string_view, 5> places = {"torn", "quarantine", "ahead", "unproven", "trash"};
  if (std::ranges::find(places, place) == places.end()) return std::nullopt;
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
  std::int64_t last = 0;
  for (const auto& place :
       {volume.layout.torn(), volume.layout.quarantine(), volume.layout.ahead(), volume.layout.unproven()}) {
    const auto names = volume.files.list(place);
    if (!names) return std::unexpected(names.error());
    for (const std::string& name : *names) {
      before.emplace(without_attempt(name));
      if (const std::size_t dot = name.rfind('.'); dot != std::string::npos)
        last = std::max(last, value_of(std::string_view(name).substr(dot + 1)).value_or(0));
    }
  }
  const auto published = last_published(volume);
  if (!published) return std::unexpected(published.error());
  return PutAsideBefore(std::move(before), last > *published);
}

}  // namespace reprise::agent
