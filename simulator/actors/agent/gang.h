// The trainers of one attempt: they step together, save together, and none goes on without the others. While one stands
// still with its machine, all wait for it in the next collective. Ranks that train apart (training_plan.h) are a gang
// each.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "simulator/actors/agent/training_plan.h"
#include "simulator/actors/storage/volumes.h"
#include "simulator/actors/support/wake.h"
#include "simulator/volumes/library_layouts.h"
#include "simulator/volumes/training_log.h"

namespace reprise::simulator {

// One trainer process, as it is started.
struct Trainer {
  TrainerId id;
  std::string machine, volume;
  Duration longest_hang{0};        // until its agent has ended it where it hangs; 0: nobody watches
  std::int64_t loaded = -1;        // the step it resumes from; -1: from the start
  std::function<void()> on_begun;  // the directory of a checkpoint is there, a file of it, or one is going
  std::function<void(std::int64_t step)> on_saved;  // a checkpoint carries its marker
  std::function<void(int exit_code)> on_exit;       // its own exit code; the trainer is gone before
};

class Gang {
 public:
  // `log`: takes in the trainers that came to the last step and ended with 0, and those whose helpers were ended.
  Gang(Cluster& cluster, Volumes& volumes, TrainingPlan plan, int size, TrainingLog& log);
  Gang(const Gang&) = delete;
  Gang& operator=(const Gang&) = delete;

  void join(int rank, Trainer trainer);
  // A notice: save soon. All ranks hear of it, as a flag that is reduced over all of them with every step.
  void request_save(int rank);
  // Sends SIGTERM.
  void terminate(int rank);
  // A preStop hook: save and exit with 0.
  void end_by_hook(int rank);
  // Sends SIGKILL, or the machine is gone.
  void leave(int rank);
  // A signal has ended its helper processes, with so much of its grace left: it fails, and the save at hand stays torn.
  void lose_helpers(int rank, Duration left, Duration grace);
  // Tells the gang that the rank's machine stands still, or goes on.
  void stood_still(int rank, bool still);
  // The volume hangs for its machine alone, or answers again: it steps on, and writes nothing.
  void cut_off(int rank, bool cut);
  // A rank that has gone on has looked at the fence.
  void looked(int rank);
  [[nodiscard]] bool empty() const { return ranks_.empty(); }
  [[nodiscard]] std::int64_t position() const;
  // The step in its progress file: empty before the first step.
  [[nodiscard]] std::optional<std::int64_t> told_step() const;

 private:
  enum class Phase { Gathering, Loading, Training, Hung, Saving, Broken, Finished };
  struct RankState {
    Trainer trainer;
    bool terminating = false;
    bool hooked = false;  // by a preStop hook
    bool saved_since_request = false;
    bool still = false;       // with its machine
    bool cut_off = false;     // from the volume
    bool end_is_due = false;  // should have ended meanwhile
  };
  // The next step that all do together.
  struct Step {
    Duration at{0};
    std::function<void()> work;
  };
  // Now; while a rank stands still, when that began.
  [[nodiscard]] Duration time() const;
  void plan(Duration delay, std::function<void()> work);
  void begin_loading();
  template <class Change>
  void change_writing(RankState& state, Change change);
  void hold();
  void go_on();
  void hang_is_noticed();
  void end_of_work(int rank);
  void plan_next();
  void train_from(std::int64_t step);
  void hang();
  [[nodiscard]] bool save_of_hung_begins();
  void note_end_of_hang(const RankState& state);
  void note_stand();
  void begin_save(std::int64_t step);
  [[nodiscard]] bool has_room(std::int64_t step);
  void fail_for_want_of_room();
  void end_save();
  void tidy_former_run();
  void complete_next();
  void plan_piece();
  void write_piece();
  void begin_rotation(std::int64_t before);
  void end_rotation();
  void tell_begun();
  [[nodiscard]] Duration rest_of_save() const;  // without the next piece
  [[nodiscard]] Duration spread_of_save() const;
  void skip_save(std::int64_t step);
  void note_saved(std::int64_t step);
  void after_save(std::int64_t step);
  void end_terminated();
  void end_when_saved(int rank, RankState& state, bool saves);
  [[nodiscard]] int code_when_stopped(int rank) const;
  void exit(int rank, int code);
  void exit_all(int code);
  void end_well();
  RankState take(int rank);
  void break_up();
  [[nodiscard]] bool saves() const;
  [[nodiscard]] bool volume_hangs() const;  // for one of them
  // True when a save must wait for the volume: all stand still until it answers.
  [[nodiscard]] bool waits_for_volume();
  template <class Does>
  void on_volumes(Does does);

  Cluster& cluster_;
  Volumes& volumes_;
  TrainingPlan plan_;
  int size_;
  TrainingLog& log_;
  Phase phase_ = Phase::Gathering;
  std::map<int, RankState> ranks_;
  std::int64_t from_ = 0, last_saved_ = -1, saving_ = 0;
  Duration since_{0};
  bool save_requested_ = false;
  std::vector<LibraryFile> files_;  // the files of a library's save
  std::size_t pieces_ = 0;          // pieces written of them
  std::set<std::string> saved_on_;  // volumes on which the save at hand is complete
  std::optional<Duration> still_since_;
  std::optional<Duration> hung_since_;
  bool disturbed_ = false;  // a machine or a volume of it stood still, or a rank was lost
  std::optional<Step> next_;
  Timers timers_;
  Wake hang_;
};

// Gangs by job UID and attempt, and by rank where the ranks train apart.
class Gangs {
 public:
  Gangs(Cluster& cluster, Volumes& volumes) : cluster_(cluster), volumes_(volumes) {}
  // The gang that this trainer joins, of `size` where ranks train together; made with the plan of the first that comes.
  std::shared_ptr<Gang> of(const TrainerId& trainer, const TrainingPlan& plan, int size);
  // The deeds of all trainers that ever were.
  [[nodiscard]] const TrainingLog& log() const { return log_; }

 private:
  Cluster& cluster_;
  Volumes& volumes_;
  TrainingLog log_;
  std::map<std::tuple<std::string, std::int64_t, int>, std::weak_ptr<Gang>> gangs_;
};

}  // namespace reprise::simulator
