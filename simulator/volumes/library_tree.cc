#include "simulator/volumes/library_tree.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace reprise::simulator {
namespace {

using Kind = agent::FileInfo::Kind;

bool is_below(std::string_view path, std::string_view directory) {
  return directory.empty() ||
         (path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/');
}

// A rank's own directory exists from its first file until it is moved.
bool is_there(const Disk& disk, const DiskCheckpoint& checkpoint) {
  if (has_a_directory_for_each_rank(checkpoint.library)) return !checkpoint.files.empty();
  return checkpoint.library != Library::None && (!checkpoint.quarantined || !disk.traits.moves);
}

agent::FileInfo info_of(const DiskFile& file, const DiskView& view) {
  return {.kind = Kind::File, .modified = view.start + file.time, .size = file.text.size()};
}

// The entry at that path of a checkpoint at `place`; "" within it is itself.
struct Found {
  const FilesByName* files = nullptr;
  std::string_view within;
  runtime::Duration begun{0};
};

std::optional<Found> found_at(std::string_view path, const std::string& place, const FilesByName& files,
                              runtime::Duration begun) {
  if (path != place && !is_below(path, place)) return std::nullopt;
  return Found{.files = &files, .within = path.substr(std::min(path.size(), place.size() + 1)), .begun = begun};
}

std::optional<Found> find(const Disk& disk, std::string_view path) {
  for (const auto& checkpoint : disk.checkpoints | std::views::values) {
    for (const auto& [place, files] : checkpoint.of_other_ranks)
      if (auto found = files.empty() ? std::nullopt : found_at(path, place, files, checkpoint.time)) return found;
    if (!is_there(disk, checkpoint)) continue;
    if (auto found = found_at(path, checkpoint.name, checkpoint.files, checkpoint.time)) return found;
  }
  for (const DiskAside& each : disk.aside) {
    if (each.library == Library::None) continue;
    const std::string place = ".reprise/" + each.place + "/" + each.directory;
    if (auto found = found_at(path, place, each.files, runtime::Duration{0})) return found;
  }
  return std::nullopt;
}

// The next part of the path within the directory; empty: it is not in it.
std::string first_part_below(std::string_view path, std::string_view directory) {
  if (!is_below(path, directory)) return {};
  const std::string_view rest = path.substr(directory.empty() ? 0 : directory.size() + 1);
  return std::string(rest.substr(0, rest.find('/')));
}

// A checkpoint that is one file is gone with it.
bool shows(const DiskCheckpoint& checkpoint) {
  return checkpoint.library != Library::Lightning || !checkpoint.files.empty();
}

}  // namespace

std::optional<agent::FileInfo> look_among_libraries(const Disk& disk, const DiskView& view, std::string_view path) {
  if (const auto found = find(disk, path)) {
    if (const auto file = found->files->find(found->within); file != found->files->end())
      return info_of(file->second, view);
    if (!found->within.empty()) return std::nullopt;
    runtime::Duration changed = found->begun;
    for (const DiskFile& each : *found->files | std::views::values) changed = std::max(changed, each.time);
    return agent::FileInfo{.kind = Kind::Directory, .modified = view.start + changed};
  }
  if (const auto file = disk.beside.find(path); file != disk.beside.end()) return info_of(file->second, view);
  const auto folder = disk.folders.find(path);
  if (folder == disk.folders.end()) return std::nullopt;
  return agent::FileInfo{.kind = Kind::Directory, .modified = view.start + folder->second};
}

std::optional<std::string> read_among_libraries(const Disk& disk, std::string_view path) {
  if (const auto found = find(disk, path)) {
    const auto file = found->files->find(found->within);
    return file == found->files->end() ? std::nullopt : std::optional(file->second.text);
  }
  const auto file = disk.beside.find(path);
  return file == disk.beside.end() ? std::nullopt : std::optional(file->second.text);
}

std::vector<std::string> list_among_libraries(const Disk& disk, std::string_view path) {
  std::vector<std::string> names;
  if (const auto found = path.empty() ? std::nullopt : find(disk, path)) {
    for (const std::string& name : *found->files | std::views::keys) names.push_back(name);
    return names;
  }
  const auto add = [&](std::string_view place) {
    if (auto name = first_part_below(place, path); !name.empty()) names.push_back(std::move(name));
  };
  for (const auto& checkpoint : disk.checkpoints | std::views::values) {
    if (is_there(disk, checkpoint) && shows(checkpoint)) add(checkpoint.name);
    for (const auto& [place, files] : checkpoint.of_other_ranks)
      if (!files.empty()) add(place);
  }
  for (const std::string& file : disk.beside | std::views::keys) add(file);
  for (const std::string& folder : disk.folders | std::views::keys) add(folder);
  return names;
}

namespace {

// The directories of single ranks; a checkpoint of which none is left is gone.
template <class Goes>
std::size_t delete_of_ranks(Disk& disk, const Goes& goes) {
  std::size_t gone = 0;
  for (auto each = disk.checkpoints.begin(); each != disk.checkpoints.end();) {
    DiskCheckpoint& checkpoint = each->second;
    const auto delete_from = [&](std::string_view place, FilesByName& files) {
      return std::erase_if(files, [&, whole = goes(place)](const auto& file) {
        return whole || goes(std::string(place) + "/" + file.first);
      });
    };
    std::size_t of_it = 0;
    if (has_a_directory_for_each_rank(checkpoint.library)) of_it += delete_from(checkpoint.name, checkpoint.files);
    for (auto& [place, files] : checkpoint.of_other_ranks) of_it += delete_from(place, files);
    if (of_it > 0) checkpoint.complete = false;
    gone += of_it;
    const bool is_gone = of_it > 0 && checkpoint.files.empty() &&
                         std::ranges::all_of(checkpoint.of_other_ranks | std::views::values, &FilesByName::empty);
    each = is_gone ? disk.checkpoints.erase(each) : std::next(each);
  }
  return gone;
}

// The checkpoint and the files of the rank that lie there; empty: none.
std::optional<std::pair<DiskCheckpoint*, FilesByName*>> place_of_rank(Disk& disk, std::string_view path) {
  for (DiskCheckpoint& checkpoint : disk.checkpoints | std::views::values) {
    if (!has_a_directory_for_each_rank(checkpoint.library)) continue;
    const auto other = checkpoint.of_other_ranks.find(path);
    FilesByName* const files = other != checkpoint.of_other_ranks.end() ? &other->second
                               : checkpoint.name == path                ? &checkpoint.files
                                                                        : nullptr;
    if (files != nullptr && !files->empty()) return std::pair(&checkpoint, files);
  }
  return std::nullopt;
}

}  // namespace

bool delete_among_libraries(Disk& disk, const DiskView& view, std::string_view path) {
  const auto goes = [&](std::string_view place) { return place == path || is_below(place, path); };
  std::size_t gone = delete_of_ranks(disk, goes);
  gone += std::erase_if(disk.checkpoints,
                        [&](const auto& each) { return is_there(disk, each.second) && goes(each.second.name); });
  for (auto& checkpoint : disk.checkpoints | std::views::values) {
    if (!is_there(disk, checkpoint) || !is_below(path, checkpoint.name)) continue;
    checkpoint.complete = false;
    gone += std::erase_if(checkpoint.files, [&](const auto& each) { return goes(checkpoint.name + "/" + each.first); });
  }
  gone += std::erase_if(disk.beside, [&](const auto& each) { return goes(each.first); });
  gone += std::erase_if(disk.folders, [&](const auto& each) { return goes(each.first); });
  if (gone > 0) disk.touch_folders(path, view.now);
  return gone > 0;
}

bool set_aside_among_libraries(Disk& disk, const DiskView& view, std::string_view path, DiskAside aside) {
  auto place = place_of_rank(disk, path);
  if (!place) {
    const auto found = std::ranges::find_if(
        disk.checkpoints, [&](const auto& each) { return is_there(disk, each.second) && each.second.name == path; });
    if (found == disk.checkpoints.end()) return delete_among_libraries(disk, view, path);
    place.emplace(&found->second, &found->second.files);
  }
  auto& [checkpoint, files] = *place;
  aside.library = checkpoint->library;
  aside.files = std::exchange(*files, {});
  checkpoint->quarantined = true;
  checkpoint->unproven = aside.place == "unproven";
  disk.aside.push_back(std::move(aside));
  disk.touch_folders(path, view.now);
  return true;
}

}  // namespace reprise::simulator
