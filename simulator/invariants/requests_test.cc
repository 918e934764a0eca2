// The invariants about requests of operators and agents object to violations and to nothing else.
#include "simulator/invariants/invariants.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using testing::trainer;

class RequestInvariants : public testing::InvariantBench {};

TEST_F(RequestInvariants, a_deletion_names_the_uid_of_what_was_seen_and_uses_no_force) {
  const auto reported = [](const char* body, runtime::Method method = runtime::Method::Delete) {
    std::vector<std::string> said;
    deletes_what_was_seen()->on_request(
        "operator", {.method = method, .path_and_query = "/api/v1/namespaces/team/pods/p", .body = body},
        [&](std::string what) { said.push_back(std::move(what)); });
    return said.size();
  };
  EXPECT_EQ(reported(R"({"preconditions": {"uid": "u"}, "gracePeriodSeconds": 1})"), 0U);
  EXPECT_EQ(reported(R"({"preconditions": {"uid": "u"}})"), 0U);
  EXPECT_EQ(reported(R"({"gracePeriodSeconds": 1})"), 1U);
  EXPECT_EQ(reported(""), 1U);
  EXPECT_EQ(reported(R"({"preconditions": {"uid": "u"}, "gracePeriodSeconds": 0})"), 1U);
  EXPECT_EQ(reported("{}", runtime::Method::Post), 0U);
}

TEST_F(RequestInvariants, nothing_is_asked_that_the_operators_roles_do_not_grant) {
  const auto objections = [](runtime::Method method, const char* path) {
    std::vector<std::string> said;
    asks_what_is_permitted()->on_request("operator", {.method = method, .path_and_query = path},
                                         [&](std::string what) { said.push_back(std::move(what)); });
    return said.size();
  };
  EXPECT_EQ(objections(runtime::Method::Get, "/api/v1/pods?watch=1"), 0U);
  EXPECT_EQ(objections(runtime::Method::Post, "/api/v1/namespaces/team/pods"), 0U);
  EXPECT_EQ(objections(runtime::Method::Get, "/apis/karpenter.sh/v1"), 0U);
  EXPECT_EQ(objections(runtime::Method::Get, "/api/v1/namespaces/team/secrets/s"), 1U);
  EXPECT_EQ(objections(runtime::Method::Delete, "/api/v1/namespaces/team/persistentvolumeclaims/c"), 1U);
  EXPECT_EQ(objections(runtime::Method::Patch, "/apis/reprise.dev/v1alpha1/namespaces/team/resumablejobs/j"), 1U)
      << "status is a resource of its own";
  EXPECT_EQ(objections(runtime::Method::Patch, "/api/v1/namespaces/team/configmaps/c"), 1U)
      << "only in its own namespace";
  EXPECT_EQ(objections(runtime::Method::Patch, "/api/v1/namespaces/reprise-system/configmaps/c"), 0U);
}

TEST_F(RequestInvariants, whoever_writes_holds_the_lease) {
  const auto invariant = writer_holds_lease(api);
  const auto objections = [&](const char* who, runtime::Method method,
                              const char* path = "/api/v1/namespaces/team/pods") {
    std::vector<std::string> said;
    invariant->on_request(who, {.method = method, .path_and_query = path},
                          [&](std::string what) { said.push_back(std::move(what)); });
    return said.size();
  };
  EXPECT_EQ(objections("a", runtime::Method::Post), 1U) << "nobody holds it";
  ASSERT_TRUE(api.create(api.resource("", "namespaces"), boost::json::parse(R"({"apiVersion": "v1", "kind": "Namespace",
                                                "metadata": {"name": "reprise-system"}})")));
  ASSERT_TRUE(api.create(api.resource("coordination.k8s.io", "leases"),
                         boost::json::parse(R"({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                             "metadata": {"name": "reprise-operator", "namespace": "reprise-system"},
                             "spec": {"holderIdentity": "a"}})")));
  EXPECT_EQ(objections("a", runtime::Method::Post), 0U);
  EXPECT_EQ(objections("b", runtime::Method::Patch), 1U);
  EXPECT_EQ(objections("b", runtime::Method::Get), 0U);
  EXPECT_EQ(objections("b", runtime::Method::Patch,
                       "/apis/coordination.k8s.io/v1/namespaces/reprise-system/leases/reprise-operator"),
            0U);
}

TEST_F(RequestInvariants, a_trainer_keeps_what_it_saves_with_while_the_save_can_be_complete_in_time) {
  const auto cut_short = [](int needed, int left) {
    return SaveCutShort{.by = trainer(1, 0),
                        .needed = runtime::Duration{needed * 1'000},
                        .left = runtime::Duration{left * 1'000},
                        .grace = runtime::Duration{60'000}};
  };
  EXPECT_EQ(step(*stop_lets_save(), {}, {.cut_short = {cut_short(5, 60), cut_short(60, 60), cut_short(2, 10)}}).size(),
            1U);
}

}  // namespace
}  // namespace reprise::simulator
