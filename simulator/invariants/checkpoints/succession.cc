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
    // A person's confirmation is a proof, even a wrong one: between the ranks it names the agents keep out of each
    // other's way.
    if (change.resource == jobs_)
      note_confirmations(std::string(uid_of(*change.object)),
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
          if (writer.job_uid == made.job_uid && writer.attempt != made.attempt && !confirmed(writer))
            object_to("pod " + made.name + " is made while rank " + std::to_string(writer.rank) + " of attempt " +
                      std::to_string(writer.attempt) + " can still write to volume " + volume);
  }

 private:
  struct Made {
    std::string name, job_uid;
    std::int64_t attempt;
  };

  // "<node uid>/<attempt>", or the uid of a pod whose node is not known; several with commas between.
  void note_confirmations(const std::string& job_uid, std::string_view list) {
    while (!list.empty()) {
      const std::size_t comma = list.find(',');
      std::string_view one = list.substr(0, comma);
      list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
      one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
      if (one.empty()) continue;
      const std::size_t slash = one.rfind('/');
      confirmed_.emplace(job_uid, slash == std::string_view::npos ? one : one.substr(slash + 1));
    }
  }

  [[nodiscard]] bool confirmed(const TrainerId& writer) const {
    return confirmed_.contains({writer.job_uid, std::to_string(writer.attempt)}) ||
           confirmed_.contains({writer.job_uid, writer.pod_uid});
  }

  ResourceId jobs_, pods_;
  std::vector<Made> made_;
  std::set<std::pair<std::string, std::string>> confirmed_;  // job's uid; attempt or pod's uid
};

}  // namespace

std::unique_ptr<Invariant> proven_before_next(const ApiServer& api) {
  return std::make_unique<ProvenBeforeNext>(api);
}

}  // namespace reprise::simulator
