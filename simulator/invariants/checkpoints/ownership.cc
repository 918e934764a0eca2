#include <boost/json/parse.hpp>

#include <map>
#include <set>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

// The uid of the job that controls it; empty: none does.
std::string_view controlling_job(const Value& object) {
  for (const Value& each : array(object, {"metadata", "ownerReferences"}))
    if (flag(each, {"controller"}) && text(each, {"kind"}) == "ResumableJob") return text(each, {"uid"});
  return {};
}

class BelievesItsOwn final : public Invariant {
 public:
  explicit BelievesItsOwn(const ApiServer& api)
      : api_(api),
        jobs_(api.resource("reprise.dev", "resumablejobs")),
        pods_(api.resource("", "pods")),
        claims_(api.resource("", "persistentvolumeclaims")),
        services_(api.resource("", "services")) {}
  [[nodiscard]] std::string_view name() const override { return "believes-its-own"; }
  [[nodiscard]] bool looks_at_forgeries() const override { return true; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    // Judges the pod as it was made: it stays that pod when labels are taken off later.
    if (change.resource == pods_ && change.change == Change::Added) {
      made_[std::string(uid_of(*change.object))] = {std::string(namespace_of(*change.object)),
                                                    std::string(controlling_job(*change.object))};
      if (!is_forged(*change.object) && !controlling_job(*change.object).empty()) judge_pod(*change.object, object_to);
    }
    // Judges forgeries as they stand now: a forged object stays forged.
    if (is_forged(*change.object)) forged_.insert(std::string(uid_of(*change.object)));
    if (change.resource == jobs_ && change.change == Change::Modified) judge(*change.object, object_to);
  }

  void on_request(std::string_view who, const runtime::Request& request, const Objection& object_to) override {
    if (request.method == runtime::Method::Patch) return judge_patch(who, path_of(request), object_to);
    if (request.method != runtime::Method::Delete) return;
    boost::system::error_code problem;
    const Value options = boost::json::parse(request.body, problem);
    const std::string_view uid = problem ? std::string_view() : text(options, {"preconditions", "uid"});
    if (forged_.contains(std::string(uid)) && !made_.contains(uid))
      object_to(std::string(who) + " asks for DELETE " + path_of(request) + ", which somebody else has made");
    const auto pod = made_.find(uid);
    if (pod == made_.end() || pod->second.namespace_ == "reprise-system") return;
    const std::string path = path_of(request);
    const bool there = path.find("/namespaces/" + pod->second.namespace_ + "/pods/") != std::string::npos;
    if (!there || pod->second.job.empty())
      object_to(std::string(who) + " asks for DELETE " + path + ", with the uid of a pod in " + pod->second.namespace_ +
                (pod->second.job.empty() ? " that no job controls" : ""));
  }

 private:
  struct Made {
    std::string namespace_, job;
  };

  // A job's pod comes when its claims and its Service are there, and they are the job's.
  void judge_pod(const Value& pod, const Objection& object_to) {
    const std::string ns(namespace_of(pod));
    const auto forged = [&](ResourceId resource, std::string_view name) {
      const ObjectPtr there = api_.get({resource, ns, std::string(name)});
      return there && is_forged(*there);
    };
    const std::string who = "pod " + std::string(name_of(pod)) + " is made, and ";
    for (const Value& volume : array(pod, {"spec", "volumes"}))
      if (const auto claim = text(volume, {"persistentVolumeClaim", "claimName"}); forged(claims_, claim))
        object_to(who + "somebody else has made claim " + std::string(claim));
    const bool is_rank = !text(pod, {"metadata", "labels", "reprise.dev/attempt"}).empty();
    if (const auto service = text(pod, {"spec", "subdomain"}); is_rank && forged(services_, service))
      object_to(who + "somebody else has made Service " + std::string(service));
  }

  // "/api/v1/namespaces/team/persistentvolumeclaims/job-a-checkpoints"
  void judge_patch(std::string_view who, const std::string& path, const Objection& object_to) const {
    constexpr std::string_view kind = "/persistentvolumeclaims/", home = "/namespaces/";
    const std::size_t at = path.find(kind), from = path.find(home);
    if (at == std::string::npos || from == std::string::npos) return;
    const std::string ns = path.substr(from + home.size(), at - from - home.size());
    const ObjectPtr claim = api_.get({claims_, ns, path.substr(at + kind.size())});
    if (claim && is_forged(*claim))
      object_to(std::string(who) + " asks for PATCH " + path + ", which somebody else has made");
  }

  void judge(const Value& job, const Objection& object_to) {
    for (const Value& claim : array(job, {"status", "claims"}))
      if (forged_.contains(std::string(text(claim, {"uid"}))) && reported_.emplace(text(claim, {"uid"})).second)
        object_to("job " + std::string(name_of(job)) + " takes claim " + std::string(text(claim, {"name"})) +
                  " for its own, which somebody else has made");
    for (const char* part : {"checkpoint", "progress"})
      if (number(job, {"status", part, "step"}) == kForgedStep && reported_.emplace(uid_of(job)).second)
        object_to("job " + std::string(name_of(job)) + " shows what somebody else has reported");
    for (const Value& rank : array(job, {"status", "members"})) {
      const auto pod = made_.find(text(rank, {"podUID"}));
      if (pod == made_.end() || (pod->second.job == uid_of(job) && pod->second.namespace_ == namespace_of(job)))
        continue;
      if (!reported_.emplace(pod->first).second) continue;
      object_to("job " + std::string(name_of(job)) + " takes a pod in " + pod->second.namespace_ + " for its rank " +
                std::to_string(number(rank, {"index"})) + ", which it does not control");
    }
  }

  const ApiServer& api_;
  ResourceId jobs_, pods_, claims_, services_;
  std::map<std::string, Made, std::less<>> made_;  // by uid
  std::set<std::string> forged_;                   // uids
  std::set<std::string> reported_;
};

class HeedsKnownReporters final : public Invariant {
 public:
  HeedsKnownReporters(const ApiServer& api, const EventLoop& loop)
      : events_(api.resource("", "events")), pods_(api.resource("", "pods")), loop_(loop) {}
  [[nodiscard]] std::string_view name() const override { return "heeds-known-reporters"; }
  [[nodiscard]] bool looks_at_forgeries() const override { return true; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource == events_ && change.change == Change::Added &&
        text(*change.object, {"involvedObject", "kind"}).starts_with("Node"))
      written_[std::string(uid_of(*change.object))] = std::string(text(*change.object, {"source", "component"}));
    if (change.resource != pods_ || change.change != Change::Modified) return;
    const std::string_view request = asked(*change.object);
    if (request != asked(*change.before)) judge(*change.object, std::string(request), object_to);
  }

 private:
  // Clocks of replicas differ in pace.
  static constexpr Duration least_pause{4 * 60'000};

  static std::string_view asked(const Value& pod) {
    return text(pod, {"metadata", "annotations", "reprise.dev/checkpoint-request"});
  }
  void judge(const Value& pod, const std::string& request, const Objection& object_to) {
    const auto event = written_.find(request);
    if (event == written_.end()) return;  // a taint
    const std::string who = "pod " + std::string(name_of(pod)) + " is asked for a checkpoint";
    if (event->second != "karpenter") object_to(who + " since '" + event->second + "' has written an Event");
    const auto [last, first] = asked_.try_emplace(std::string(uid_of(pod)), loop_.now());
    if (!first && loop_.now() - last->second < least_pause) object_to(who + " by Events twice within four minutes");
    last->second = loop_.now();
  }

  ResourceId events_, pods_;
  const EventLoop& loop_;
  std::map<std::string, std::string, std::less<>> written_;  // reporter by uid
  std::map<std::string, Duration> asked_;                    // by uid of the pod
};

}  // namespace

std::unique_ptr<Invariant> believes_its_own(const ApiServer& api) {
  return std::make_unique<BelievesItsOwn>(api);
}

std::unique_ptr<Invariant> heeds_known_reporters(const ApiServer& api, const EventLoop& loop) {
  return std::make_unique<HeedsKnownReporters>(api, loop);
}

}  // namespace reprise::simulator
