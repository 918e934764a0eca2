#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

class ProvenBeforeNext final : public Invariant {
 public:
  explicit ProvenBeforeNext(const ApiServer& api)
      : jobs_(api.resource("reprise.dev", "resumablejobs")), pods_(api.resource("", "pods")) {}
  [[nodiscard]] std::string_view name() const override { return "proven-before-next"; }

  void on_change(const ObjectChange& change, const Objection& /*object_to*/) override {
    // A person's word is a proof, wrong as it may be: of what it names, it is the agents who keep out of each other's
    // way.
    if (change.resource == jobs_)
      hear(std::string(uid_of(*change.object)),
           text(*change.object, {"metadata", "annotations", "reprise.dev/confirm-ended"}));
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
          if (writer.job_uid == made.job_uid && writer.attempt != made.attempt && !vouched_for(writer))
            object_to("pod " + made.name + " is made while rank " + std::to_string(writer.rank) + " of attempt " +
                      std::to_string(writer.attempt) + " can still write to volume " + volume);
  }

 private:
  struct Made {
    std::string name, job_uid;
    std::int64_t attempt;
  };

  // "<node uid>/<attempt>", or the uid of a pod whose node is not known; several with commas between.
  void hear(const std::string& job_uid, std::string_view words) {
    while (!words.empty()) {
      const std::size_t comma = words.find(',');
      std::string_view word = words.substr(0, comma);
      words.remove_prefix(comma == std::string_view::npos ? words.size() : comma + 1);
      word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
      if (word.empty()) continue;
      const std::size_t slash = word.rfind('/');
      vouched_for_.emplace(job_uid, slash == std::string_view::npos ? word : word.substr(slash + 1));
    }
  }

  [[nodiscard]] bool vouched_for(const TrainerId& writer) const {
    return vouched_for_.contains({writer.job_uid, std::to_string(writer.attempt)}) ||
           vouched_for_.contains({writer.job_uid, writer.pod_uid});
  }

  ResourceId jobs_, pods_;
  std::vector<Made> made_;
  std::set<std::pair<std::string, std::string>> vouched_for_;  // job's uid; attempt or pod's uid
};

}  // namespace

std::unique_ptr<Invariant> proven_before_next(const ApiServer& api) {
  return std::make_unique<ProvenBeforeNext>(api);
}

}  // namespace reprise::simulator
