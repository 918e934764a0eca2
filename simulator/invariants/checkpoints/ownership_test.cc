// The invariants about ownership and reporters object to violations and to nothing else.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <utility>
#include <vector>

#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

class Ownership : public testing::InvariantBench {
 protected:
  [[nodiscard]] ObjectChange change_of(const char* plural, Change change, const std::string& now,
                                       const std::string& before = "{}") const {
    return {.resource = api.resource("", plural),
            .change = change,
            .object = std::make_shared<const Value>(boost::json::parse(now)),
            .before = std::make_shared<const Value>(boost::json::parse(before))};
  }
  static std::string pod(const std::string& ns, const std::string& references) {
    return R"({"metadata": {"name": "p", "uid": "pod", "namespace": ")" + ns + R"(", "ownerReferences": [)" +
           references + "]}}";
  }
  static std::string reference(const std::string& uid, const char* controller) {
    return R"({"kind": "ResumableJob", "uid": ")" + uid + R"(", "controller": )" + controller + "}";
  }
  // Objections to a rank that is that pod, and to its deletion in "team".
  std::pair<std::size_t, std::size_t> objections(const std::string& made) {
    const auto invariant = believes_its_own(api);
    (void)reported(*invariant, change_of("pods", Change::Added, made));
    const auto of_status =
        reported(*invariant, job_change("{}", R"({"metadata": {"name": "j", "uid": "job", "namespace": "team"},
                                         "status": {"members": [{"index": 0, "podUID": "pod"}]}})"));
    std::size_t of_deletion = 0;
    invariant->on_request("operator",
                          {.method = runtime::Method::Delete,
                           .path_and_query = "/api/v1/namespaces/team/pods/p",
                           .body = R"({"preconditions": {"uid": "pod"}})"},
                          [&](const std::string&) { ++of_deletion; });
    return {of_status.size(), of_deletion};
  }
};

TEST_F(Ownership, a_job_believes_and_deletes_what_it_controls) {
  using Objections = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(objections(pod("team", reference("job", "true"))), Objections(0, 0));
  EXPECT_EQ(objections(pod("team", reference("job", "false"))), Objections(1, 1));
  EXPECT_EQ(objections(pod("team", "")), Objections(1, 1));
  EXPECT_EQ(objections(pod("team", reference("other", "true"))), Objections(1, 0));
  EXPECT_EQ(objections(pod("mallory", reference("job", "true"))), Objections(1, 1));
  EXPECT_EQ(objections(pod("reprise-system", "")).second, 0U) << "a pool's own";
}

// Somebody has made a claim, a Service and a Workload under the job's names.
TEST_F(Ownership, what_somebody_has_forged_is_neither_recorded_nor_changed_nor_deleted_nor_shown) {
  const auto invariant = believes_its_own(api);
  const std::string mark = R"("annotations": {"example.com/forged": "true"})";
  ASSERT_TRUE(api.create(api.resource("", "persistentvolumeclaims"),
                         boost::json::parse(R"({"metadata": {"name": "c", "namespace": "default", )" + mark + R"(},
                                                "spec": {"accessModes": ["ReadWriteOnce"],
                                                         "resources": {"requests": {"storage": "1Gi"}}}})")));
  (void)reported(*invariant,
                 change_of("persistentvolumeclaims", Change::Added,
                           R"({"metadata": {"name": "c", "uid": "claim", "namespace": "team", )" + mark + "}}"));
  const auto shown = [&](const std::string& status) {
    const std::string job =
        R"({"metadata": {"name": "j", "uid": "job", "namespace": "team"}, "status": )" + status + "}";
    return reported(*invariant, job_change("{}", job.c_str())).size();
  };
  EXPECT_EQ(shown(R"({"claims": [{"name": "c", "uid": "own"}], "progress": {"step": 7}})"), 0U);
  EXPECT_EQ(shown(R"({"claims": [{"name": "c", "uid": "claim"}]})"), 1U);
  EXPECT_EQ(shown(R"({"progress": {"step": 900000001}})"), 1U);
  std::size_t objections = 0;
  const auto ask = [&](runtime::Method method, const std::string& path, const std::string& body) {
    invariant->on_request("operator", {.method = method, .path_and_query = path, .body = body},
                          [&](const std::string&) { ++objections; });
    return std::exchange(objections, 0);
  };
  const std::string claims = "/api/v1/namespaces/default/persistentvolumeclaims/";
  EXPECT_EQ(ask(runtime::Method::Patch, claims + "c", "{}"), 1U);
  EXPECT_EQ(ask(runtime::Method::Patch, claims + "d", "{}"), 0U);
  EXPECT_EQ(ask(runtime::Method::Delete, claims + "c", R"({"preconditions": {"uid": "claim"}})"), 1U);
  EXPECT_EQ(ask(runtime::Method::Delete, claims + "c", R"({"preconditions": {"uid": "own"}})"), 0U);
}

TEST_F(Ownership, known_reporters_ask_for_checkpoints_and_not_often) {
  const auto invariant = heeds_known_reporters(api, loop);
  for (const char* writer : {"karpenter", "mallory"})
    for (const char* number : {"1", "2"})
      (void)reported(*invariant, change_of("events", Change::Added,
                                           R"({"metadata": {"uid": ")" + std::string(writer) + number +
                                               R"("}, "involvedObject": {"kind": "Node"}, "source": {"component": ")" +
                                               writer + R"("}})"));
  const auto asks = [&](const std::string& pod_uid, const std::string& id) {
    return reported(*invariant,
                    change_of("pods", Change::Modified,
                              R"({"metadata": {"name": "p", "uid": ")" + pod_uid +
                                  R"(", "annotations": {"reprise.dev/checkpoint-request": ")" + id + R"("}}})"))
        .size();
  };
  EXPECT_EQ(asks("a", "karpenter1"), 0U);
  EXPECT_EQ(asks("a", "taint/uid"), 0U);
  EXPECT_EQ(asks("a", "karpenter2"), 1U);
  EXPECT_EQ(asks("b", "mallory1"), 1U);
  loop.run_until(loop.now() + Duration{5 * 60'000});
  EXPECT_EQ(asks("a", "karpenter1"), 0U);
}

}  // namespace
}  // namespace reprise::simulator
