// The invariants about whose objects and whose word count object to what breaks them and to nothing else.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
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
  // Of a rank that is that pod, and of its deletion in "team".
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
