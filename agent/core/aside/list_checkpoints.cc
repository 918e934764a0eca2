#include "agent/core/aside/list_checkpoints.h"

#include <algorithm>
#include <csignal>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "agent/core/aside/volume_scan.h"
#include "agent/core/heartbeats/patience.h"
#include "agent/core/heartbeats/probe_volume.h"
#include "agent/core/proofs/unproven.h"
#include "agent/core/record/utf8.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/core/restore/common_name.h"
#include "agent/core/restore/restore.h"
#include "agent/core/unreadable/unreadable_checkpoints.h"
#include "agent/formats/verify/lost_bytes.h"

namespace reprise::agent {
namespace {

using protocol::ListedCheckpoint;
using protocol::ListedCheckpoints;
using runtime::Result;

constexpr std::chrono::hours kUntilWoken{1};

// A separate thread reads: the volume may hang, and a stop request is to end this all the same.
class Listing {
 public:
  struct Try {
    Result<ListedCheckpoints> listed;
    bool is_last = false;
  };
  void set(Try made) {
    const std::lock_guard lock(mutex_);
    listed_ = std::move(made);
  }
  // The try that has come since this was last called.
  [[nodiscard]] std::optional<Try> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(listed_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<Try> listed_;
};

std::string unreadable(const Environment& env, const std::string& why) {
  return "the checkpoints on the volume at " + env.checkpoint_dir + " cannot be listed: " + why +
         "; see to it that the volume answers and that the user of the container that trains may read it";
}

// All volumes have had it, under rank 0's name or one like it: without a person's word no rank resumes from an older
// one.
bool is_expected(const Environment& env, const Checkpoint& each) {
  return each.step == env.expected_step &&
         (env.expected_checkpoint.empty() || name_in_common(each.name) == name_in_common(env.expected_checkpoint));
}

// The parts that several ranks of one volume have saved are one save.
ListedCheckpoint* listed_part_of(const ListedCheckpoint& save, ListedCheckpoints& listed) {
  const auto found = std::ranges::find_if(
      listed.checkpoints, [&](const auto& each) { return each.step == save.step && each.name == save.name; });
  return found == listed.checkpoints.end() ? nullptr : &*found;
}

// Each rank takes a checkpoint that all have listed for safe with the others, and deletes older ones once its own copy
// is durable: a checkpoint that nothing shows to be so is listed as such. A file system that is asked for the whole
// answers once for all.
class StorageProof {
 public:
  explicit StorageProof(const Volume& volume) : volume_(volume) {}

  Result<bool> look_for(const Checkpoint& each) {
    if (all_ != All::NotAsked) return is_known();
    const auto synced = volume_.files.sync_volume(volume_.layout.root, volume_.layout.root / each.name);
    if (!synced) return std::unexpected(synced.error());
    const auto kind = volume_.files.kind();
    if (*synced == Durability::Unproven) all_ = All::Unproven;
    if (*synced == Durability::Proven && !(kind && kind->fuse)) all_ = All::Proven;
    return *synced == Durability::Proven;
  }
  // True if even a checkpoint that was not looked at is proven.
  [[nodiscard]] bool is_known() const { return all_ == All::Proven; }

 private:
  const Volume& volume_;
  enum class All { NotAsked, Unproven, Proven };
  All all_ = All::NotAsked;
};

// All ranks would start anew in silence.
std::string said_of_unfit(const Volume& volume, const VolumeScan& scan) {
  constexpr std::size_t kMostSaid = 400;  // the operator's Event has room for a few of them
  std::string said = volume.format->not_taken();
  if (said.empty()) said = say_halves(scan.halves, std::nullopt);
  said = as_utf8(said);
  cut(said, kMostSaid);
  return said;
}

Result<ListedCheckpoints> unreadable_for_now(std::string why) {
  return runtime::fail(runtime::ErrorClass::Unavailable, std::move(why));
}

// Says why the list may not be made. Checkpoints older than the one that all have matter to nobody. Empty: the list may
// be made.
std::string why_not_listed(const VolumeScan& scan, const Environment& env, bool is_last_try) {
  ResumeChoice known;
  for (const Checkpoint& each : scan.found)
    if (each.complete && is_expected(env, each)) known.resume = each;
  return why_unreadable(scan, known, env, false, is_last_try);
}

}  // namespace

Result<ListedCheckpoints> list_checkpoints(const Volume& volume, const Environment& env, const Identity& self,
                                           UnreadOlder unread_older, const Now& now) {
  ListedCheckpoints listed{.attempt = self.attempt, .index = self.index, .checkpoints = {}};
  const bool is_last_try = unread_older == UnreadOlder::EndsTheList;
  const auto policy = policy_in_force(volume, env, self);
  if (!policy) return std::unexpected(policy.error());
  if (*policy != ResumePolicy::Latest) return listed;
  const auto scan = scan_volume(volume, env, MadeList::ReadOnly);
  if (!scan) return std::unexpected(scan.error());
  if (std::string why = why_not_listed(*scan, env, is_last_try); !why.empty())
    return unreadable_for_now(std::move(why));
  const auto unproven = find_unproven(volume, env, self, *scan);
  if (!unproven) return std::unexpected(unproven.error());
  StorageProof proof(volume);
  bool may_be_chosen = true;
  std::string lost;  // the last that gives no bytes
  for (const Checkpoint& each : scan->found) {
    if (each.step < 0 || !may_be_resumed(each, scan->made, env.format != "Auto")) continue;
    if (listed.checkpoints.size() == protocol::kMostListedSteps &&
        listed_part_of({.step = each.step, .name = fingerprint_in_common(each.name)}, listed) == nullptr) {
      listed.cut = true;
      break;
    }
    bool is_durable = proof.is_known();
    if (may_be_chosen) {
      const auto hold = volume.format->sums_hold(volume.files, volume.layout.root, each.name);
      if (hold && !*hold) continue;
      const auto path = volume.layout.root / each.name;
      const auto flaw = hold ? read_back_in_time(volume, each, now)
                             : lost_is_flaw(std::unexpected(hold.error()), path).value_or(std::nullopt);
      if (flaw) {
        lost = say_unreadable({{{each.name, flaw->reason}}, {}});
        if (!is_last_try) return unreadable_for_now(std::move(lost));
        continue;
      }
      const auto proven = hold ? proof.look_for(each) : hold;
      // Newer ones may be common to all: an older one that cannot be read must not keep the job from them.
      listed.cut = !proven && !listed.checkpoints.empty() && is_last_try;
      if (listed.cut) break;
      if (!proven) return std::unexpected(proven.error());
      is_durable = *proven;
      may_be_chosen = !is_expected(env, each);
    }
    const bool is_unproven = unproven->names.contains(each.name);
    const ListedCheckpoint save{.step = each.step,
                                .name = fingerprint_in_common(each.name),
                                .is_durable = is_durable && !is_unproven,
                                .is_unproven = is_unproven};
    if (ListedCheckpoint* const other = listed_part_of(save, listed)) {
      other->is_durable = other->is_durable && save.is_durable;
      other->is_unproven = other->is_unproven || is_unproven;
    } else {
      listed.checkpoints.push_back(save);
    }
  }
  // All ranks would start anew beside what one of them cannot read.
  if (listed.checkpoints.empty() && !lost.empty()) return unreadable_for_now(std::move(lost));
  if (listed.checkpoints.empty() && !listed.cut) listed.unfit = said_of_unfit(volume, *scan);
  return listed;
}

Ended list_for_operator(const Environment& env, std::shared_ptr<const Volume> volume, Host& host) {
  const Identity self{.job_uid = env.job_uid, .pod_uid = env.pod_uid, .attempt = env.attempt, .index = env.index};
  const auto [pace, limit] = patience(heartbeat_period(env, volume->files.kind()));
  const auto signals = host.signals();
  const auto deadline = host.clock().steady() + limit;
  const auto listing = std::make_shared<Listing>();
  const auto reading = host.threads().repeat(pace, [volume = std::move(volume), env, self, signals, listing, deadline,
                                                    clock = &host.clock(), over = false]() mutable {
    if (over) return;
    const bool is_last = clock->steady() >= deadline;
    const auto list = [&] {
      return list_checkpoints(*volume, env, self, is_last ? UnreadOlder::EndsTheList : UnreadOlder::IsAnError,
                              [clock] { return clock->steady(); });
    };
    auto listed = is_last ? volume->lost_texts->try_last<Result<ListedCheckpoints>>(list) : list();
    over = is_last || listed.has_value();
    listing->set({std::move(listed), is_last});
    signals->wake();
  });
  const auto end = [&](int exit_code, const std::string& text) {
    if (!text.empty()) {
      host.write_termination_log(env.termination_log, text);
      host.say(text);
    }
    return Ended{.exit_code = exit_code, .all_threads = reading->finish(std::chrono::milliseconds(50))};
  };
  for (;;) {
    if (const auto tried = listing->take()) {
      if (tried->listed) return end(0, encode_listed_checkpoints(*tried->listed));
      if (tried->is_last) return end(1, unreadable(env, tried->listed.error().message));
    }
    const auto signal = signals->wait(host.clock().steady() + kUntilWoken);
    if (signal && ends_without_trainer(*signal))
      return end(128 + (is_stop_request(*signal) ? SIGTERM : signal->number), "");
  }
}

}  // namespace reprise::agent
