#include <algorithm>
#include <string>
#include <vector>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

std::string_view job_uid_of(const Value& pod) {
  return text(pod, {"metadata", "labels", "reprise.dev/job-uid"});
}

// A standby pod mounts nothing.
bool is_of_rank(const Value& pod) {
  return !text(pod, {"metadata", "labels", "reprise.dev/attempt"}).empty();
}

bool pod_has_ended(const Value& pod) {
  const std::string_view phase = text(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

std::vector<std::string_view> claims_of(const Value& pod) {
  std::vector<std::string_view> claims;
  for (const Value& volume : array(pod, {"spec", "volumes"}))
    if (const auto claim = text(volume, {"persistentVolumeClaim", "claimName"}); !claim.empty())
      claims.push_back(claim);
  return claims;
}

class OneJobPerClaim final : public Invariant {
 public:
  explicit OneJobPerClaim(const ApiServer& api) : api_(api), pods_(api.resource("", "pods")) {}
  [[nodiscard]] std::string_view name() const override { return "one-job-per-claim"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource != pods_ || change.change != Change::Added || !is_of_rank(*change.object)) return;
    const Value& made = *change.object;
    const std::vector<std::string_view> claims = claims_of(made);
    for (const ObjectPtr& other : api_.list(pods_, namespace_of(made))) {
      if (!is_of_rank(*other) || job_uid_of(*other) == job_uid_of(made) || pod_has_ended(*other)) continue;
      for (const std::string_view claim : claims_of(*other))
        if (std::ranges::find(claims, claim) != claims.end())
          object_to("pod " + std::string(name_of(made)) + " is made while pod " + std::string(name_of(*other)) +
                    " of another job mounts claim " + std::string(claim));
    }
  }

 private:
  const ApiServer& api_;
  ResourceId pods_;
};

}  // namespace

std::unique_ptr<Invariant> one_job_per_claim(const ApiServer& api) {
  return std::make_unique<OneJobPerClaim>(api);
}

}  // namespace reprise::simulator
