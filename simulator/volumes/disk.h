// The content of a checkpoint volume, and its present writers: the truth that the invariants look at. The actors that
// play kubelets, storage and agents change it; the operator never sees it.
//
// A write is first in the page cache of the machine it was made on and becomes durable with that machine's sync; power
// loss takes data that was not durable. Times are the event loop's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "simulator/volumes/library_layouts.h"

namespace reprise::simulator {

struct TrainerId {
  std::string pod_uid, job_uid;
  std::int64_t attempt = 0;
  int rank = 0;
  friend auto operator<=>(const TrainerId&, const TrainerId&) = default;
};

struct DiskCheckpoint {
  std::int64_t step = 0;
  bool complete = false;     // false: torn
  bool quarantined = false;  // set aside by a restore: moved away, or written down where nothing can be moved
  std::string unsynced_on;   // machine that holds it in memory alone; empty: durable
  TrainerId by;
  runtime::Duration time{0};   // when its last piece was written
  runtime::Duration begun{0};  // when its trainer began to write it
  // Names, sizes and mark are there, and its bytes are not: its machine was lost before, or a write of them has failed.
  // For own trainers, whose bytes nobody reads: files of libraries show it by themselves (lose_power).
  bool hollow = false;
  bool unproven = false;  // quarantined since nothing showed that it was on the disk
  bool listed = false;    // an agent has written down that it is on the disk
  std::string name = {};  // its directory; empty: "step-<step>". A library's: the path from the root
  Library library = Library::None;
  FilesByName files = {};  // a library's
  // The directories of the other ranks, by their paths from the root, where each has one.
  std::map<std::string, FilesByName, std::less<>> of_other_ranks = {};
  [[nodiscard]] std::string directory() const { return name.empty() ? "step-" + std::to_string(step) : name; }
  // The directory of any of its ranks.
  [[nodiscard]] bool lies_in(std::string_view path) const;
  // Cuts off or removes one file that the checkpoint needs; the step decides which one.
  void tear();
};

// A torn checkpoint that a restore has moved away.
struct DiskAside {
  std::string directory;
  std::string place;  // below .reprise: "torn", which goes later, "ahead", "unproven", "quarantine"
  Library library = Library::None;
  FilesByName files = {};
};

// .reprise/attempts/<n>/<rank>.json
struct DiskRecord {
  std::string job_uid, pod_uid;
  int exit_code = 0;
  std::optional<std::int64_t> step;  // newest complete checkpoint it knew: the number in its name
  std::string path = {};             // and its directory
  bool stop_requested = false, saved = false, finished = false, durable = false;
  std::string text = {};
};

// .reprise/attempts/<n>/resume.json
struct DiskResume {
  std::string job_uid, pod_uid;
  std::optional<std::int64_t> step;  // empty: from the start
  std::string rejection;             // not empty: nobody may start
  bool from_scratch = false;         // earlier checkpoints are renounced
  std::string text = {};
};

// .reprise/attempts/<n>/<rank>.alive: the counter of a living writer moves once per period, while the volume answers
// and its machine does not stand still.
struct DiskHeartbeat {
  std::string job_uid, pod_uid;
  runtime::Duration since{0}, period{5'000};
  runtime::Duration written_period{5'000};          // calls of a slow volume add to it
  std::optional<runtime::Duration> until = {};      // its writer has ended
  std::optional<runtime::Duration> held_from = {};  // held up, for so many reasons:
  int holds = 0;
  [[nodiscard]] std::uint64_t counter(runtime::Duration now) const;
  // Goes on from where it was when the last reason is gone.
  void hold(runtime::Duration now);
  void release(runtime::Duration now);
};

// The step that a trainer process really started from; -1: from the start.
struct DiskLoad {
  TrainerId by;
  std::int64_t step = -1;
};

struct DiskAttempt {
  std::optional<DiskResume> resume;
  std::map<int, DiskRecord> records;  // by rank
  std::map<int, DiskHeartbeat> heartbeats;
  std::map<int, DiskLoad> loads;
  std::set<int> told = {};  // ranks whose pods were told to stop
  bool renounces = false;   // its restore puts earlier checkpoints aside: a start from scratch
};

// The properties of the storage.
struct DiskTraits {
  runtime::Duration call{0};  // time of one call of an agent; 0: next to nothing
  bool moves = true;          // directories; false: object stores
  bool tells_kinds = false;   // with the names of a directory; false: each is asked for
  std::int64_t capacity = 0;  // in checkpoints, whole or torn; 0: endless
  // A lost machine leaves names and sizes of checkpoints that it had completed so long ago, and not their bytes; 0:
  // nothing of them. ext4 commits names each five seconds.
  runtime::Duration names_stay{0};
  runtime::Duration flush{0};  // time of a sync that has data to write; 0: next to nothing
  // The number of syncs with data to write that fail, each once, before others say 0 again; they take the bytes along.
  std::int64_t failing_syncs = 0;
};

// Files left by a job that had the volume before: attempts from 1 on, the ranks of the last silent without a record.
struct DiskFormer {
  std::string job_uid;
  std::int64_t attempts = 0;
  int ranks = 0;
  std::set<std::int64_t> folded = {};  // attempts of which nothing is left
  [[nodiscard]] bool has(std::int64_t attempt) const {
    return attempt >= 1 && attempt <= attempts && !folded.contains(attempt);
  }
};

struct Disk {
  DiskTraits traits;
  DiskFormer former;
  std::string volume;                                  // PersistentVolume
  std::string zone;                                    // empty: every zone
  std::map<std::int64_t, DiskCheckpoint> checkpoints;  // by step
  std::vector<DiskAside> aside;
  std::map<std::string, std::string> texts;       // other files below .reprise, by their paths from the root
  std::map<std::string, runtime::Duration> data;  // somebody's directories with a marker, and since when
  FilesByName beside;            // files of somebody, by their paths from the root, that belong to no checkpoint
  std::set<std::string> tidied;  // the part of these that its owner has deleted
  // Folders in which libraries have put their checkpoints, or somebody other files, and when that last changed.
  std::map<std::string, runtime::Duration, std::less<>> folders;
  int gang_volumes = 1;  // volumes of the job whose agents have it: more than one where every rank has its own
  std::set<std::int64_t> rotated;  // steps of which a trainer itself has deleted the checkpoint
  std::map<std::int64_t, DiskAttempt> attempts;
  // Newest fence: {job UID, attempt}.
  std::string fence_job_uid;
  std::int64_t fence_attempt = 0;
  std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> fence_open;  // attempts; nothing: all
  // The most files that an agent has read in one look for other writers.
  std::int64_t longest_look = 0;
  // Trainer processes that run now on a machine that has it mounted.
  std::set<TrainerId> writers;
  // Writers that cannot write until their machine goes on or the volume answers it; and writers that can again and have
  // not looked at the fence since, which comes with their next heartbeat.
  std::set<TrainerId> standing_still, waking;

  [[nodiscard]] std::optional<std::int64_t> newest_complete() const;  // not quarantined
  // The attempt that the fence names, which need not be the highest: another job may have had more. Where none stands
  // yet, the highest; null: there is none.
  [[nodiscard]] const std::pair<const std::int64_t, DiskAttempt>* newest_attempt() const;
  // The step of the checkpoint in that directory, whatever number its name has.
  [[nodiscard]] std::optional<std::int64_t> step_in(std::string_view directory) const;
  // The step of the checkpoint to which that path leads, whatever the root is called.
  [[nodiscard]] std::optional<std::int64_t> step_at(std::string_view path) const;
  // -1: there is none.
  [[nodiscard]] std::int64_t newest_durable() const;
  // True when it was put aside for lack of a proof: its agent had no time to write down that it was on the disk.
  [[nodiscard]] bool is_put_aside_unproven(std::int64_t step) const;
  // Room for so many more checkpoints; empty: for any number.
  [[nodiscard]] std::optional<std::int64_t> room() const;
  // Notes a change of a directory's content; its folders are there from then on.
  void touch_folders(std::string_view path, runtime::Duration now);
  void sync(const std::string& machine);
  [[nodiscard]] bool has_unsynced(const std::string& machine) const;
  // True: the remaining checkpoints are older than one that a trainer has deleted because it had a newer one.
  bool lose_power(const std::string& machine, runtime::Duration now);
  // Fails a sync of that machine, if it is one of those; true when it did.
  bool fail_sync(const std::string& machine);
  // The volume stops to answer, or answers again.
  void hold_heartbeats(runtime::Duration now);
  void release_heartbeats(runtime::Duration now);
};

}  // namespace reprise::simulator
