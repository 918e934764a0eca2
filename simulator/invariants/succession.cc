#include <set>
#include <utility>
#include <vector>

#include "simulator/invariants/laws.h"

namespace reprise::simulator {
namespace {

class ProvenBeforeNext final : public Invariant {
 public:
  explicit ProvenBeforeNext(const ApiServer& api)
      : jobs_(api.resource("reprise.dev", "resumablejobs")), pods_(api.resource("", "pods")) {}
  [[nodiscard]] std::string_view law() const override { return "proven-before-next"; }

  void on_change(const ObjectChange& change, const Objection& /*object_to*/) override {
    // A person's word is a proof, wrong as it may be: from then on it is the agents who keep out of each other's way.
    if (change.resource == jobs_ &&
        !text(*change.object, {"metadata", "annotations", "reprise.dev/confirm-ended"}).empty())
      vouched_for_.emplace(uid_of(*change.object));
    if (change.resource != pods_ || change.change != Change::Added) return;
    const Value& pod = *change.object;
    const std::string attempt(text(pod, {"metadata", "labels", "reprise.dev/attempt"}));
    if (attempt.empty()) return;  // a standby pod writes nothing
    made_.push_back({.name = std::string(name_of(pod)),
                     .job_uid = std::string(text(pod, {"metadata", "labels", "reprise.dev/job-uid"})),
                     .attempt = std::stoll(attempt)});
  }

  void on_step(const Disks& disks, const TrainingLog& /*training*/, const Objection& object_to) override {
    for (const Made& made : std::exchange(made_, {}))
      for (const auto& [volume, disk] : disks)
        for (const TrainerId& writer : disk.writers)
          if (writer.job_uid == made.job_uid && !vouched_for_.contains(made.job_uid) && writer.attempt != made.attempt)
            object_to("pod " + made.name + " is made while rank " + std::to_string(writer.rank) + " of attempt " +
                      std::to_string(writer.attempt) + " can still write to volume " + volume);
  }

 private:
  struct Made {
    std::string name, job_uid;
    std::int64_t attempt;
  };
  ResourceId jobs_, pods_;
  std::vector<Made> made_;
  std::set<std::string, std::less<>> vouched_for_;
};

}  // namespace

std::unique_ptr<Invariant> proven_before_next(const ApiServer& api) {
  return std::make_unique<ProvenBeforeNext>(api);
}

}  // namespace reprise::simulator
