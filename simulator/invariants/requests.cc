#include <boost/json/parse.hpp>

#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

using runtime::Method;
using runtime::Request;

class DeletesWhatWasSeen final : public Invariant {
 public:
  [[nodiscard]] std::string_view name() const override { return "deletes-what-was-seen"; }

  void on_request(std::string_view who, const Request& request, const Objection& object_to) override {
    if (request.method != Method::Delete) return;
    const std::string what = std::string(who) + " deletes " + path_of(request);
    boost::system::error_code problem;
    const Value options = boost::json::parse(request.body, problem);
    if (problem || text(options, {"preconditions", "uid"}).empty()) object_to(what + " whatever its uid is");
    if (!problem && number(options, {"gracePeriodSeconds"}, 1) < 1) object_to(what + " by force");
  }
};

class WriterHoldsLease final : public Invariant {
 public:
  explicit WriterHoldsLease(const ApiServer& api) : api_(api), leases_(api.resource("coordination.k8s.io", "leases")) {}
  [[nodiscard]] std::string_view name() const override { return "writer-holds-lease"; }

  void on_request(std::string_view who, const Request& request, const Objection& object_to) override {
    if (request.method == Method::Get || asks_for_leases(request)) return;
    const ObjectPtr lease = api_.get({leases_, "reprise-system", "reprise-operator"});
    const std::string_view holder = lease ? text(*lease, {"spec", "holderIdentity"}) : std::string_view();
    if (holder != who)
      object_to(std::string(who) + " writes " + path_of(request) + " while " +
                (holder.empty() ? "nobody" : std::string(holder)) + " holds the lease");
  }

 private:
  const ApiServer& api_;
  ResourceId leases_;
};

}  // namespace

std::string path_of(const Request& request) {
  return request.path_and_query.substr(0, request.path_and_query.find('?'));
}

bool asks_for_leases(const Request& request) {
  return request.path_and_query.find("/leases") != std::string::npos;
}

std::unique_ptr<Invariant> deletes_what_was_seen() {
  return std::make_unique<DeletesWhatWasSeen>();
}

std::unique_ptr<Invariant> writer_holds_lease(const ApiServer& api) {
  return std::make_unique<WriterHoldsLease>(api);
}

}  // namespace reprise::simulator
