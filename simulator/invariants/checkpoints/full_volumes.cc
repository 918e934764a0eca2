#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

class FullVolumesCountNothing final : public Invariant {
 public:
  FullVolumesCountNothing(const ApiServer& api, const TrainingLog& training)
      : jobs_(api.resource("reprise.dev", "resumablejobs")), training_(training) {}
  [[nodiscard]] std::string_view name() const override { return "full-volumes-count-nothing"; }

  // Counts only attempts whose agent left a record: without one nobody can know.
  void on_step(const Disks& disks, const TrainingLog& training, const Objection& /*object_to*/) override {
    if (training.no_room.empty()) return;
    for (const auto& [volume, disk] : disks)
      for (const auto& [number, attempt] : disk.attempts)
        for (const auto& [rank, record] : attempt.records)
          if (record.exit_code != 0 && !record.stop_requested) recorded_.emplace(record.job_uid, number);
  }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource != jobs_ || change.change != Change::Modified) return;
    const Value &before = *change.before, &job = *change.object;
    const std::int64_t attempt = number(job, {"status", "lastEnd", "attempt"});
    if (attempt != number(before, {"status", "lastEnd", "attempt"})) judge_end(before, job, attempt, object_to);
    judge_wait(before, job, object_to);
  }

 private:
  void judge_end(const Value& before, const Value& job, std::int64_t attempt, const Objection& object_to) const {
    const std::string uid(uid_of(job));
    const bool no_room =
        recorded_.contains({uid, attempt}) && std::ranges::any_of(training_.no_room, [&](const TrainerId& each) {
          return each.job_uid == uid && each.attempt == attempt;
        });
    if (!no_room || number(before, {"status", "failures"}) == number(job, {"status", "failures"})) return;
    object_to("attempt " + std::to_string(attempt) + " of job " + std::string(name_of(job)) +
              " found no room for its save, and counts among its failures");
  }

  // Its claim may have grown, which kGrownClaim alone shows.
  static void judge_wait(const Value& before, const Value& job, const Objection& object_to) {
    const bool waited = find(before, {"status", "volumeFull"}) != nullptr;
    const bool begins = number(before, {"status", "attempt"}) != number(job, {"status", "attempt"});
    const bool edited =
        number(before, {"status", "volumeFull", "generation"}) != number(job, {"metadata", "generation"});
    const bool grew = !text(job, {"metadata", "annotations", kGrownClaim}).empty();
    if (waited && begins && !edited && !grew)
      object_to("job " + std::string(name_of(job)) + " begins another attempt, and nobody has made room");
  }

  ResourceId jobs_;
  const TrainingLog& training_;
  std::set<std::pair<std::string, std::int64_t>> recorded_;  // uid of the job, attempt
};

}  // namespace

std::unique_ptr<Invariant> full_volumes_count_nothing(const ApiServer& api, const TrainingLog& training) {
  return std::make_unique<FullVolumesCountNothing>(api, training);
}

}  // namespace reprise::simulator
