#include "agent/volume/wrappers/recorded_files.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace reprise::agent {
namespace {

using runtime::Result;

std::size_t joined_hash(std::size_t all, std::size_t more) {
  constexpr std::size_t kGolden = 0x9e3779b97f4a7c15U;
  return all ^ (more + kGolden + (all << 6U) + (all >> 2U));
}

std::size_t hash_of(const FileInfo& info) {
  const std::size_t time = joined_hash(static_cast<std::size_t>(info.modified.time_since_epoch().count()), info.size);
  return joined_hash(time, static_cast<std::size_t>(info.kind));
}

std::size_t hash_of(const std::string& name) {
  return std::hash<std::string>{}(name);
}
std::size_t hash_of(const DirectoryEntry& entry) {
  return joined_hash(hash_of(entry.name), static_cast<std::size_t>(entry.kind));
}
std::size_t hash_of(const EntryInfo& entry) {
  return joined_hash(hash_of(entry.name), entry.is_closed ? 1 : hash_of(entry.info));
}

std::size_t digest_of(const auto& listed) {
  std::size_t digest = listed.size();
  for (const auto& each : listed) digest = joined_hash(digest, hash_of(each));
  return digest;
}

// The same as of the names alone.
std::size_t digest_of_names(const auto& listed) {
  std::size_t digest = listed.size();
  for (const auto& each : listed) digest = joined_hash(digest, hash_of(each.name));
  return digest;
}

Answers::Looks looks_of(const std::map<std::string, std::optional<FileInfo>>& recorded) {
  Answers::Looks looks;
  for (const auto& [path, info] : recorded) {
    looks.paths.push_back(path);
    looks.infos.push_back(info);
  }
  return looks;
}

}  // namespace

void RecordedFiles::begin() const {
  const std::lock_guard lock(mutex_);
  recording_ = Recording{.by = std::this_thread::get_id()};
}

std::optional<Answers> RecordedFiles::end() const {
  std::optional<Recording> recorded;
  {
    const std::lock_guard lock(mutex_);
    if (own() != nullptr) recorded = std::exchange(recording_, std::nullopt);
  }
  if (!recorded || !recorded->may_be_asked_again) return std::nullopt;
  for (const auto* more : {&recorded->kinds, &recorded->infos})
    for (const auto& [directory, digest] : *more) recorded->names.erase(directory);
  return Answers{.followed = looks_of(recorded->followed),
                 .stayed = looks_of(recorded->stayed),
                 .names = std::move(recorded->names),
                 .kinds = std::move(recorded->kinds),
                 .infos = std::move(recorded->infos)};
}

bool RecordedFiles::are_the_same(const Answers& answers) const {
  const auto all_look_so = [&](const Answers::Looks& before, Links links) {
    const auto same = files().look_below(root_, before.paths, links,
                                         [&](std::size_t at, const auto& now) { return before.infos[at] == now; });
    return same && *same;
  };
  const auto all_list_so = [&](const std::map<std::string, std::size_t>& before, const auto& list) {
    return std::ranges::all_of(before, [&](const auto& each) {
      const auto listed = list(each.first.empty() ? root_ : root_ / each.first);
      return listed && digest_of(*listed) == each.second;
    });
  };
  constexpr auto kAll = std::numeric_limits<std::size_t>::max();
  return all_look_so(answers.followed, Links::Follow) && all_look_so(answers.stayed, Links::Stay) &&
         all_list_so(answers.names, [&](const Path& each) { return files().list(each); }) &&
         all_list_so(answers.kinds, [&](const Path& each) { return files().list_entries(each); }) &&
         all_list_so(answers.infos, [&](const Path& each) { return files().list_infos(each, kAll); });
}

RecordedFiles::Recording* RecordedFiles::own() const {
  return recording_ && recording_->by == std::this_thread::get_id() ? &*recording_ : nullptr;
}

void RecordedFiles::give_up() const {
  const std::lock_guard lock(mutex_);
  if (Recording* const recording = own()) recording->may_be_asked_again = false;
}

std::optional<std::string> RecordedFiles::below_root(const Path& path) const {
  std::string_view text = path.native(), root = root_.native();
  for (std::string_view* each : {&text, &root})
    if (each->ends_with('/')) each->remove_suffix(1);
  if (!text.starts_with(root)) return std::nullopt;
  text.remove_prefix(root.size());
  if (text.empty()) return std::string();
  return text.front() == '/' ? std::optional(std::string(text.substr(1))) : std::nullopt;
}

template <class Answer>
void RecordedFiles::note(std::map<std::string, Answer> Recording::*where, const Path& path,
                         const Answer& answer) const {
  const auto place = below_root(path);
  const std::lock_guard lock(mutex_);
  Recording* const recording = own();
  if (recording == nullptr || !recording->may_be_asked_again) return;
  const bool is_as_before = place && (recording->*where).emplace(*place, answer).first->second == answer;
  recording->may_be_asked_again = is_as_before;
}

Result<std::optional<FileInfo>> RecordedFiles::look(const Path& path, Links links) const {
  auto info = files().look(path, links);
  if (!info) give_up();
  if (info) note(links == Links::Follow ? &Recording::followed : &Recording::stayed, path, *info);
  return info;
}

Result<std::vector<std::string>> RecordedFiles::list(const Path& directory) const {
  auto listed = files().list(directory);
  if (!listed) give_up();
  if (listed) note(&Recording::names, directory, digest_of(*listed));
  return listed;
}

Result<std::vector<DirectoryEntry>> RecordedFiles::list_entries(const Path& directory) const {
  auto listed = files().list_entries(directory);
  if (!listed) give_up();
  if (listed) note(&Recording::names, directory, digest_of_names(*listed));
  if (listed) note(&Recording::kinds, directory, digest_of(*listed));
  return listed;
}

Result<std::vector<EntryInfo>> RecordedFiles::list_infos(const Path& directory, std::size_t most) const {
  auto listed = files().list_infos(directory, most);
  if (!listed) give_up();
  if (listed) note(&Recording::names, directory, digest_of_names(*listed));
  if (listed) note(&Recording::infos, directory, digest_of(*listed));
  return listed;
}

Result<void> RecordedFiles::read_all(
    const std::vector<Path>& paths,
    const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) const {
  if (!paths.empty()) give_up();
  return files().read_all(paths, take);
}

}  // namespace reprise::agent
