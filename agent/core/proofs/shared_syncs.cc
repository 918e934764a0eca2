#include "agent/core/proofs/shared_syncs.h"

#include <algorithm>
#include <utility>

#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/heartbeats/own_heart.h"
#include "agent/core/run/session.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {
namespace {

std::optional<SyncWord> read_word(const Volume& volume, const std::filesystem::path& file) {
  // A user who may write there may put a pipe in its place, whose reader waits for ever.
  const auto info = volume.files.look(file, Links::Stay);
  if (!info || !*info || (*info)->kind != FileInfo::Kind::File) return std::nullopt;
  const auto text = volume.files.read(file);
  return text && *text ? decode_sync_word(**text) : std::nullopt;
}

}  // namespace

std::optional<std::filesystem::path> SharedSyncs::file_on(const Volume& volume) {
  const auto cache = volume.files.write_cache(volume.layout.root);
  return cache ? std::optional(volume.layout.synced() / (*cache + ".json")) : std::nullopt;
}

bool SharedSyncs::is_of_this_attempt(const Identity& pod) const {
  return pod.job_uid == options_.self.job_uid && pod.attempt == options_.self.attempt;
}

bool SharedSyncs::may_speak(const Volume& volume) const {
  return options_.speaks && options_.may_write() && volume.files.write_errors().count == 0;
}

bool SharedSyncs::write(const Volume& volume, const std::filesystem::path& file, const SyncWord& word) const {
  return volume.files.write(file, encode_sync_word(word), Sync::No).has_value();
}

void SharedSyncs::step_forward(const Volume& volume) {
  if (has_stepped_forward_ || !may_speak(volume)) return;
  const auto file = file_on(volume);
  if (!file) return;
  has_stepped_forward_ = true;
  static_cast<void>(write(volume, *file, {.by = options_.self}));
  forget_others(volume, *file);
}

// Removes the words of former attempts and former boots.
void SharedSyncs::forget_others(const Volume& volume, const std::filesystem::path& own) const {
  const auto names = volume.files.list(volume.layout.synced());
  if (!names) return;
  for (const std::string& name : *names) {
    const auto file = volume.layout.synced() / name;
    const auto word = file == own ? std::nullopt : read_word(volume, file);
    if (word && !is_of_this_attempt(word->by)) static_cast<void>(volume.files.remove(file));
  }
}

SharedSyncs::Answer SharedSyncs::ask(const Volume& volume, const CheckpointShape& save) {
  const auto file = file_on(volume);
  if (!file || volume.files.write_errors().count > 0) return Answer::SyncAlone;
  const Answer by_itself = may_speak(volume) ? Answer::SyncForAll : Answer::SyncAlone;
  if (options_.keeps_volume) return by_itself;
  const auto word = read_word(volume, *file);
  if (!word || !is_of_this_attempt(word->by)) return by_itself;
  if (word->synced == save) return Answer::IsSynced;
  if (word->by.pod_uid == options_.self.pod_uid) return by_itself;
  if (hurries_) return Answer::SyncAlone;  // who is followed is about to sync, too
  return is_waited_for(volume, *word) ? Answer::Wait : by_itself;
}

// All by the clock of this machine.
bool SharedSyncs::is_waited_for(const Volume& volume, const SyncWord& word) {
  const auto heart_text = volume.files.read(volume.layout.alive(word.by.attempt, word.by.index));
  const auto heart = heart_text && *heart_text ? decode_heartbeat(**heart_text) : std::nullopt;
  if (!heart || heart->who.pod_uid != word.by.pod_uid) return false;
  const std::string text = encode_sync_word(word);
  const auto now = options_.now();
  const std::lock_guard lock(mutex_);
  if (waiting_.word != text) {
    waiting_.word = text;
    waiting_.word_since = now;
  }
  if (waiting_.heart != **heart_text) {
    waiting_.heart = **heart_text;
    waiting_.heart_since = now;
  }
  const auto still = std::max(options_.heartbeat_period, heart->period) * kStillHalfPeriods / 2;
  if (now - waiting_.heart_since >= still) return false;
  // A rank that has not begun has not seen that save, or sees another one.
  const std::chrono::milliseconds patience = word.begun.empty() ? std::max(still, 3 * options_.watch) : kLongestSync;
  return now - waiting_.word_since < patience;
}

void SharedSyncs::begin(const Volume& volume, const std::string& save) {
  if (const auto file = file_on(volume)) static_cast<void>(write(volume, *file, {.by = options_.self, .begun = save}));
}

// Another agent may keep the volume meanwhile: it is followed then.
void SharedSyncs::tell(const Volume& volume, const std::string& save, const CheckpointShape& shape) {
  const auto file = file_on(volume);
  if (!file) return;
  if (!may_speak(volume)) return give_up(volume);
  const auto word = read_word(volume, *file);
  const bool is_own = word && word->by.pod_uid == options_.self.pod_uid;
  if (!is_own && !options_.keeps_volume) return;
  if (is_own && word->begun.empty() && word->synced == shape) return;
  if (!write(volume, *file, {.by = options_.self, .save = save, .synced = shape})) give_up(volume);
}

void SharedSyncs::give_up(const Volume& volume) {
  const auto file = file_on(volume);
  const auto word = file && options_.may_write() ? read_word(volume, *file) : std::nullopt;
  if (word && word->by.pod_uid == options_.self.pod_uid) static_cast<void>(volume.files.remove(*file));
}

std::shared_ptr<SharedSyncs> share_syncs(const Session& session) {
  if (!session.env.is_gang()) return nullptr;
  return std::make_shared<SharedSyncs>(
      SharedSyncs::Options{.self = session.self,
                           .keeps_volume = session.env.is_volume_leader(),
                           .speaks = !session.follows_unsynced_end,
                           .heartbeat_period = session.env.heartbeat_period,
                           .watch = session.env.watch,
                           .now = [clock = &session.clock] { return clock->steady(); },
                           .may_write = [heartbeat = session.heartbeat] { return heartbeat->may_write(); }});
}

}  // namespace reprise::agent
