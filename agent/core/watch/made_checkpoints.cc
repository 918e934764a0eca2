#include "agent/core/watch/made_checkpoints.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "agent/core/fencing/own_places.h"
#include "agent/core/generations/halves/places_of_saves.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::string_view kRanks = "ranks", kDevices = "devices", kDoubtful = "doubtful", kAnswered = "answered";

std::optional<MadeCheckpoint> decode(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  const auto order = number_of(*object, "order");
  const auto attempt = number_of(*object, "attempt");
  auto name = text_of(*object, "name");
  auto job_uid = text_of(*object, "jobUid");
  if (!order || !attempt || !name || !job_uid) return std::nullopt;
  const auto size = [&](std::string_view key) {
    return static_cast<std::int32_t>(number_of(*object, key).value_or(0));  // older agents did not say it
  };
  return MadeCheckpoint{.order = *order,
                        .name = std::move(*name),
                        .job_uid = std::move(*job_uid),
                        .attempt = static_cast<std::int32_t>(*attempt),
                        .gang = {.ranks = size(kRanks), .devices = size(kDevices)},
                        .doubtful = flag_of(*object, kDoubtful).value_or(false),
                        .unsaid = !flag_of(*object, kDoubtful),
                        .answered = flag_of(*object, kAnswered).value_or(false)};
}

// Tells if a later entry has replaced one, or its directory is not there any more.
class Gone {
 public:
  Gone(const Volume& volume, const MadeCheckpoints& made, std::string_view expected)
      : volume_(volume), expected_(expected) {
    for (const MadeCheckpoint& each : made) latest_[{each.job_uid, each.name}] = each.order;
  }

  bool operator()(const MadeCheckpoint& each) const {
    if (each.name == expected_) return false;
    if (latest_.at({each.job_uid, each.name}) > each.order) return true;
    const auto there = volume_.files.look(volume_.layout.root / each.name, Links::Stay);
    return there && !*there;
  }

 private:
  const Volume& volume_;
  std::string_view expected_;
  std::map<std::pair<std::string, std::string>, std::int64_t> latest_;  // by job and directory
};

// A save that a trainer has moved into "archive/" was made by the gang that saved it.
GangSize gang_of(const std::string& name, const MadeCheckpoints& made, const Identity& self) {
  const SaveName says = read_save_name(name);
  const auto is_its_save = [&](const MadeCheckpoint& entry) {
    if (!says.step || entry.job_uid != self.job_uid) return false;
    const SaveName other = read_save_name(entry.name);
    return other.step == says.step && is_former_place(says.family, other.family);
  };
  const auto save = std::ranges::find_if(made.rbegin(), made.rend(), is_its_save);
  return save == made.rend() ? self.gang : save->gang;
}

}  // namespace

MadeCheckpoints newly_made(const Checkpoints& found, const Checkpoints& before, const MadeCheckpoints& made,
                           const Identity& self, const std::set<std::string>& written_again) {
  MadeCheckpoints entries;
  std::int64_t order = made.empty() ? 0 : made.back().order;
  for (auto each = found.rbegin(); each != found.rend(); ++each) {
    // A checkpoint that was there and is not complete now is being deleted, or written anew: then it comes again.
    const bool was_there = std::ranges::any_of(before, [&](const Checkpoint& there) {
      return there == *each || (there.name == each->name && !each->complete);
    });
    const bool known = std::any_of(made.begin(), made.end(), [&](const MadeCheckpoint& entry) {
      return entry.name == each->name && entry.job_uid == self.job_uid && entry.attempt == self.attempt;
    });
    if (was_there || (known && !written_again.contains(each->name))) continue;
    entries.push_back({.order = ++order,
                       .name = each->name,
                       .job_uid = self.job_uid,
                       .attempt = self.attempt,
                       .gang = gang_of(each->name, made, self)});
  }
  return entries;
}

bool made_by(const std::string& job_uid, const std::string& name, const MadeCheckpoints& made) {
  const bool telling = names_checkpoint(name);
  const std::string naming = naming_of(name);
  bool this_one = false;
  std::set<std::string_view> alike;
  for (const MadeCheckpoint& each : made) {
    if (each.job_uid != job_uid || each.doubtful) continue;
    this_one = this_one || each.name == name;
    if (!telling && naming_of(each.name) == naming) alike.insert(each.name);
  }
  return this_one && (telling || alike.size() > 1);
}

Appearances appearances_in(const MadeCheckpoints& made) {
  Appearances appearances;
  std::int64_t attempt = 0;
  const MadeCheckpoint* before = nullptr;
  for (const MadeCheckpoint& each : made) {
    if (before == nullptr || before->job_uid != each.job_uid || before->attempt != each.attempt) ++attempt;
    before = &each;
    const auto [there, is_new] = appearances.try_emplace(each.name);
    const bool doubtful = each.doubtful && (is_new || there->second.doubtful);
    there->second = {.attempt = attempt, .order = each.order, .gang = each.gang, .doubtful = doubtful};
  }
  return appearances;
}

bool is_doubtful(const Appearances& appearances, const std::string& name) {
  const auto appeared = appearances.find(name);
  return appeared != appearances.end() && appeared->second.doubtful;
}

std::int32_t last_attempt_at(const std::string& name, const MadeCheckpoints& made, const std::string& job_uid) {
  std::int32_t attempt = 0;
  for (const MadeCheckpoint& each : made)
    if (each.name == name && each.job_uid == job_uid) attempt = std::max(attempt, each.attempt);
  return attempt;
}

Result<void> read_made_since(const Volume& volume, MadeCheckpoints& known) {
  const auto names = volume.files.list(volume.layout.made());
  if (!names) return std::unexpected(names.error());
  std::set<std::filesystem::path> files;
  for (const std::string& name : *names) {
    if (!name.starts_with('.')) files.insert(volume.layout.made() / name);  // else on its way
  }
  std::erase_if(known, [&](const MadeCheckpoint& each) { return files.erase(volume.layout.made(each.order)) == 0; });
  const std::vector<std::filesystem::path> unread(files.begin(), files.end());
  const auto read = volume.lost_texts->read_all(volume.files, unread, [&](std::size_t, const auto& text) {
    // An entry that says nothing tells of nothing: the checkpoint that it may have told of is never deleted.
    if (auto entry = text ? decode(*text) : std::nullopt) known.push_back(std::move(*entry));
  });
  std::ranges::sort(known, {}, &MadeCheckpoint::order);
  if (!read) return read;
  doubt_unsaid(known);
  return settle_doubts(volume, known);
}

Result<MadeCheckpoints> read_made(const Volume& volume) {
  MadeCheckpoints made;
  if (auto read = read_made_since(volume, made); !read) return std::unexpected(read.error());
  return made;
}

Result<void> write_made(const Volume& volume, const MadeCheckpoint& entry) {
  boost::json::object object{
      {"order", entry.order}, {"name", entry.name}, {"jobUid", entry.job_uid}, {"attempt", entry.attempt}};
  if (entry.gang.ranks > 0) object[kRanks] = entry.gang.ranks;
  if (entry.gang.devices > 0) object[kDevices] = entry.gang.devices;
  object[kDoubtful] = entry.doubtful;
  if (entry.answered) object[kAnswered] = true;
  return volume.files.write(volume.layout.made(entry.order), to_text(object), Sync::Yes);
}

void forget_gone(const Volume& volume, MadeCheckpoints& made, std::string_view expected) {
  std::erase_if(made, [&, gone = Gone(volume, made, expected)](const MadeCheckpoint& each) {
    return gone(each) && volume.files.remove(volume.layout.made(each.order)).has_value();
  });
}

MadeCheckpoints without_gone(const Volume& volume, MadeCheckpoints made, std::string_view expected) {
  std::erase_if(made, Gone(volume, made, expected));
  return made;
}

void forget(const Volume& volume, MadeCheckpoints& made, const std::set<std::string>& directories) {
  std::erase_if(made, [&](const MadeCheckpoint& each) {
    return directories.contains(each.name) && volume.files.remove(volume.layout.made(each.order)).has_value();
  });
}

}  // namespace reprise::agent
