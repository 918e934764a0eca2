#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

bool says_quota_rejects(const Value& job) {
  return std::ranges::any_of(array(job, {"status", "conditions"}), [](const Value& each) {
    return text(each, {"message"}).find("exceeded quota") != std::string_view::npos;
  });
}

class StandbyGivesWay final : public Invariant {
 public:
  StandbyGivesWay(const ApiServer& api, const EventLoop& loop)
      : api_(api), jobs_(api.resource("reprise.dev", "resumablejobs")), pods_(api.resource("", "pods")), loop_(loop) {}
  [[nodiscard]] std::string_view name() const override { return "standby-gives-way"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource == jobs_) hear(change);
    for (const auto& [uid, since] : rejected_since_)
      if (loop_.now() - since >= idle_timeout && !reported_.contains(uid)) judge(uid, object_to);
  }

 private:
  // No operator may have run for ten minutes.
  static constexpr Duration idle_timeout{15 * 60'000};

  void hear(const ObjectChange& change) {
    const std::string uid(uid_of(*change.object));
    if (change.change != Change::Deleted && says_quota_rejects(*change.object))
      rejected_since_.try_emplace(uid, loop_.now());
    else
      rejected_since_.erase(uid);
  }

  void judge(const std::string& job_uid, const Objection& object_to) {
    for (const ObjectPtr& pod : api_.list(pods_)) {
      const bool stands_by = text(*pod, {"metadata", "labels", "reprise.dev/job-uid"}) == job_uid &&
                             !text(*pod, {"metadata", "labels", "reprise.dev/standby"}).empty();
      if (!stands_by || is_forged(*pod) || text(*pod, {"spec", "nodeName"}).empty() || being_deleted(*pod)) continue;
      reported_.insert(job_uid);
      return object_to("a quota rejects a pod of the attempt, and standby pod " + std::string(name_of(*pod)) +
                       " keeps its machine");
    }
  }

  const ApiServer& api_;
  ResourceId jobs_, pods_;
  const EventLoop& loop_;
  std::map<std::string, Duration> rejected_since_;  // by uid of the job
  std::set<std::string> reported_;
};

}  // namespace

std::unique_ptr<Invariant> standby_gives_way(const ApiServer& api, const EventLoop& loop) {
  return std::make_unique<StandbyGivesWay>(api, loop);
}

}  // namespace reprise::simulator
