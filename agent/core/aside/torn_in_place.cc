#include "agent/core/aside/torn_in_place.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <filesystem>
#include <set>
#include <utility>

#include "agent/core/fencing/attempts.h"
#include "agent/core/generations/outlived.h"
#include "agent/core/restore/resume_point.h"
#include "agent/core/retain/linked_checkpoints.h"
#include "agent/core/retain/prune.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::int64_t kMostEntries = 4'096;  // to look at: the trainer waits

std::optional<TornInPlace> decode_one(const boost::json::value& value) {
  if (!value.is_object()) return std::nullopt;
  const auto& object = value.get_object();
  const auto name = text_of(object, "name");
  const auto entries = number_of(object, "entries");
  const auto newest = number_of(object, "newestMicroseconds");
  const auto was_complete = flag_of(object, "wasComplete");
  if (!name || !entries || !newest || !was_complete) return std::nullopt;
  return TornInPlace{.name = *name,
                     .entries = *entries,
                     .newest = runtime::WallTime(std::chrono::microseconds(*newest)),
                     .was_complete = *was_complete};
}

Result<std::optional<TornInPlace>> look_at_file(const Volume& volume, const std::string& name) {
  const auto info = volume.files.look(volume.layout.root / name, Links::Stay);
  if (!info) return std::unexpected(info.error());
  if (!*info || (*info)->kind != FileInfo::Kind::File) return std::nullopt;
  return TornInPlace{.name = name, .entries = 1, .newest = (*info)->modified};
}

// Empty where there is too much to look at.
Result<std::optional<TornInPlace>> look_at(const Volume& volume, const std::string& name) {
  TornInPlace torn{.name = name};
  std::vector<std::filesystem::path> directories{volume.layout.root / name};
  while (!directories.empty()) {
    const auto directory = std::move(directories.back());
    directories.pop_back();
    const auto entries = volume.files.list(directory);
    if (!entries && entries.error().error_class == runtime::ErrorClass::Invalid) return look_at_file(volume, name);
    if (!entries) return std::unexpected(entries.error());
    for (const std::string& entry : *entries) {
      if (++torn.entries > kMostEntries) return std::nullopt;
      const auto info = volume.files.look(directory / entry, Links::Stay);
      if (!info) return std::unexpected(info.error());
      if (!*info) continue;
      if ((*info)->kind == FileInfo::Kind::Directory)
        directories.push_back(directory / entry);
      else
        torn.newest = std::max(torn.newest, (*info)->modified);
    }
  }
  return torn;
}

// Lists that earlier attempts of this job have left.
struct Earlier {
  TornList torn;
  std::set<std::string> chosen;  // to resume from
};

bool is_of_another_job(std::string_view text, const Identity& self) {
  const auto object = parse_object(text);
  const auto job_uid = object ? text_of(*object, "jobUid") : std::nullopt;
  return job_uid && *job_uid != self.job_uid;
}

Result<Earlier> read_earlier(const Volume& volume, const Identity& self) {
  const auto attempts = list_attempts(volume);
  if (!attempts) return std::unexpected(attempts.error());
  std::vector<std::filesystem::path> files;
  for (const std::int32_t attempt : *attempts) {
    if (attempt >= self.attempt) continue;
    files.push_back(volume.layout.torn_in_place(attempt));
    files.push_back(volume.layout.resume_point(attempt));
  }
  Earlier earlier;
  std::string lost;
  const auto read = volume.lost_texts->read_all(volume.files, files, [&](std::size_t at, const auto& text) {
    if (!text) return;
    if (is_lost_text(text)) lost = files[at].string();
    if (at % 2 == 0) {
      const auto torn = decode_torn(*text, self);
      if (torn) earlier.torn.insert(earlier.torn.end(), torn->begin(), torn->end());
      if (!torn && !text->empty() && !is_of_another_job(*text, self)) lost = files[at].string();
    } else if (const auto point = decode_resume_point(*text); point && point->job_uid == self.job_uid) {
      earlier.chosen.insert(point->path);
    }
  });
  if (!read) return std::unexpected(read.error());
  if (!lost.empty())
    return runtime::fail(runtime::ErrorClass::Invalid,
                         "read " + lost + ": it is no list of torn checkpoints, and none of them is deleted");
  return earlier;
}

// The directories that can be looked at; `outcome` says what is wrong with another.
TornList look_at_all(const Volume& volume, const TornRestore& restore, const Earlier& earlier,
                     const std::vector<std::string>& names, Result<void>& outcome) {
  TornList torn;
  std::size_t bytes = encode_torn({}, restore.self).size();
  for (const std::string& name : names) {
    auto each = look_at(volume, name);
    if (!each) outcome = std::unexpected(each.error());
    if (!each || !*each) continue;
    (*each)->was_complete =
        earlier.chosen.contains(name) || std::ranges::find(restore.kept, name) != restore.kept.end() ||
        std::ranges::any_of(earlier.torn, [&](const auto& one) { return one.name == name && one.was_complete; });
    bytes += encode_torn({**each}, restore.self).size();
    if (bytes > VolumeFiles::kMostInOneList) break;  // the others in a later restore
    torn.push_back(std::move(**each));
  }
  return torn;
}

}  // namespace

std::string encode_torn(const TornList& torn, const Identity& by) {
  boost::json::array list;
  for (const TornInPlace& each : torn) {
    list.push_back(boost::json::object{{"name", each.name},
                                       {"entries", each.entries},
                                       {"newestMicroseconds", each.newest.time_since_epoch().count()},
                                       {"wasComplete", each.was_complete}});
  }
  return to_text({{"jobUid", by.job_uid}, {"attempt", by.attempt}, {"podUid", by.pod_uid}, {"torn", std::move(list)}});
}

std::optional<TornList> decode_torn(std::string_view text, const Identity& reader) {
  const auto object = parse_object(text);
  const auto* list = object ? object->if_contains("torn") : nullptr;
  if (list == nullptr || !list->is_array() || text_of(*object, "jobUid") != reader.job_uid) return std::nullopt;
  TornList torn;
  for (const boost::json::value& value : list->get_array()) {
    auto each = decode_one(value);
    if (!each) return std::nullopt;
    torn.push_back(std::move(*each));
  }
  return torn;
}

std::vector<std::string> choose_torn_in_place(const TornQuestion& question) {
  std::int32_t last = 0;
  for (const TornInPlace& each : question.torn)
    last = std::max(last, last_attempt_at(each.name, question.made, question.job_uid));
  std::vector<std::string> gone;
  for (const TornInPlace& each : question.torn) {
    if (each.was_complete || last_attempt_at(each.name, question.made, question.job_uid) == last) continue;
    if (std::ranges::find(question.earlier, each) == question.earlier.end()) continue;
    const PruneQuestion newer{.found = question.found, .made = question.made, .job_uid = question.job_uid};
    const std::int32_t since = last_attempt_at(each.name, question.made, question.job_uid) + 1;
    if (is_outlived(each.name, since, newer)) gone.push_back(each.name);
  }
  return gone;
}

Result<void> drop_torn_in_place(const Volume& volume, const TornRestore& restore, const std::vector<std::string>& names,
                                std::vector<std::string>& notes) {
  if (names.empty()) return {};
  const auto earlier = read_earlier(volume, restore.self);
  if (!earlier) return std::unexpected(earlier.error());
  Result<void> outcome;
  const auto torn = look_at_all(volume, restore, *earlier, names, outcome);
  // Directories that earlier restores have written down go all the same: they may be what fills the volume.
  if (auto written = volume.files.write(volume.layout.torn_in_place(restore.self.attempt),
                                        encode_torn(torn, restore.self), Sync::Yes);
      !written)
    outcome = std::move(written);
  const auto gone = spare_linked(volume, restore.found,
                                 choose_torn_in_place({.torn = torn,
                                                       .earlier = earlier->torn,
                                                       .found = restore.found,
                                                       .made = restore.made,
                                                       .job_uid = restore.self.job_uid}));
  if (!gone) return std::unexpected(gone.error());
  for (const std::string& name : *gone) {
    const auto completed = volume.format->completed(volume.files, volume.layout.root / name);
    if (completed && *completed) continue;
    auto dropped = completed ? prune(volume, name) : std::unexpected(completed.error());
    if (dropped)
      notes.push_back("torn checkpoint " + name + " was deleted: an earlier attempt has found it torn as well");
    else if (outcome)
      outcome = std::move(dropped);
  }
  return outcome;
}

}  // namespace reprise::agent
