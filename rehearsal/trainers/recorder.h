// Collects facts about the jobs of a rehearsal: from the processes as they come and go, and from the disk.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/record/record.h"
#include "rehearsal/processes/real_time.h"
#include "rehearsal/trainers/trainer_id.h"
#include "rehearsal/trainers/volume_watch.h"
#include "rehearsal/verdict/facts.h"

namespace reprise::rehearsal {

// A job as it is known before its first pod.
struct RecordedJob {
  std::string key;               // namespace/name
  std::filesystem::path volume;  // the volume of rank 0
  std::string format, checkpoint_path;
  std::int64_t bytes_there = 0;
  bool notice_by_request = false;
  std::int64_t grace_seconds = 0;
  runtime::Duration start_limit = std::chrono::seconds(120);  // the longest that a start may take, in this machine's
                                                              // time
};

// How a rank's container ended.
struct TrainerEnd {
  int exit_code = 0;
  bool killed = false;    // by the kubelet, or with its node
  bool vanished = false;  // with its node
  int left_behind = 0;
  std::optional<agent::Record> record = {};
};

class Recorder {
 public:
  explicit Recorder(const RealTime& time) : time_(time) {}

  void follow(const RecordedJob& job);

  // ---- from the processes
  // `on_term`: the trainer's disposition of SIGTERM at this moment; called while it runs.
  void began(const TrainerKey& trainer, std::filesystem::path output, std::function<Disposition()> on_term = {});
  void asked(const TrainerKey& trainer, Disposition on_term, Disposition on_notice);
  void ended(const TrainerKey& trainer, const TrainerEnd& end);

  // An initContainer begins, and has ended by itself; forgotten: it was stopped with its pod.
  void prepares(const TrainerKey& trainer, const std::string& container, std::filesystem::path output);
  void prepared(const TrainerKey& trainer, const std::string& container, int exit_code, std::string message = {});
  void forget_preparation(const TrainerKey& trainer, const std::string& container);

  // ---- from the disk; often
  void look();
  // Slower: sums up the whole volume; reads the output of an initContainer that still runs.
  void measure();
  [[nodiscard]] bool volume_overflows() const;

  // Others add outcome, message and checkpoints elsewhere.
  [[nodiscard]] const JobFacts* facts(const std::string& job) const;
  // Highest step that is known of that rank; nothing yet: -1.
  [[nodiscard]] std::int64_t step_of(const TrainerKey& trainer) const;
  // Newest complete checkpoint; -1: none.
  [[nodiscard]] std::int64_t newest_step(const std::string& job) const;
  [[nodiscard]] std::optional<runtime::Duration> newest_time(const std::string& job) const;
  // All ranks of the newest attempt run, none was asked to stop, and they are past their start: a step was printed, a
  // checkpoint written, or all of them have a handler for SIGTERM. A handler is not enough any more when one attempt
  // that showed no more was interrupted in vain: it may have been starting. A trainer that shows nothing is taken to
  // train when it has had all the time that a start may take.
  [[nodiscard]] bool trains(const std::string& job, std::int64_t parallelism) const;
  // The longest time of all attempts from the last rank's start to the first sign of work, by this machine's clock.
  [[nodiscard]] runtime::Duration start_took(const std::string& job) const;
  // A trainer was asked to stop and may be saving: this is measured against the grace. Not so one that ignores SIGTERM,
  // and one whose checkpoint was complete ten seconds ago and that begins no other.
  [[nodiscard]] bool saving() const;

 private:
  struct Followed {
    RecordedJob job;
    std::unique_ptr<VolumeWatch> watch;
    JobFacts facts;
    std::map<TrainerKey, std::filesystem::path> outputs;
    std::map<TrainerKey, std::function<Disposition()>> on_term;
    std::int64_t at_work = 0;         // the newest attempt that was seen to be past its start
    std::int64_t shown = 0;           // the newest attempt that printed a step or wrote a checkpoint
    bool handler_is_no_sign = false;  // no sign of work: one attempt with a handler was interrupted in vain
    // Times by this machine's clock.
    runtime::Duration began{0};  // the last rank of the newest attempt
    runtime::Duration start_took{0};
    std::optional<runtime::Duration> answered = {};  // the newest attempt's checkpoint after it was asked
  };
  enum class Sign { Nothing, Handler, Work };
  [[nodiscard]] Followed* find(const std::string& job);
  [[nodiscard]] const Followed* find(const std::string& job) const;
  static AttemptFacts& attempt_of(Followed& followed, std::int64_t number);
  InitContainerFacts* init_container_of(const TrainerKey& trainer, const std::string& container);
  static RankFacts* rank_of(Followed& followed, const TrainerKey& trainer);
  void look(Followed& followed);
  [[nodiscard]] static Sign sign_of(const Followed& followed, const AttemptFacts& attempt);
  void look_at_start(Followed& followed, const AttemptFacts& attempt) const;
  static void look_for_handlers(const Followed& followed, AttemptFacts& attempt);
  [[nodiscard]] bool had_its_start(const Followed& followed) const;
  [[nodiscard]] bool saving(const Followed& followed) const;
  static void look_at_disk(Followed& followed, const RankFacts* rank);
  CheckpointFacts& add(AttemptFacts& attempt, const SeenCheckpoint& seen) const;
  static std::optional<std::int64_t> last_printed(const Followed& followed, const AttemptFacts& attempt);

  const RealTime& time_;
  std::map<std::string, Followed> jobs_;
};

}  // namespace reprise::rehearsal
