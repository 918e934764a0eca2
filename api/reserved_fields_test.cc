// Fields that a job's template sets although they are the operator's to set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/resumable_job.h"

namespace reprise::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> reserved(const std::string& pod_spec) {
  const auto job = kube::KindOf<ResumableJob>::decode(R"({"spec":{"template":{"spec":)" + pod_spec + "}}}");
  if (!job) return {job.error().path + ": " + job.error().message};
  const kube::List<kube::Text>& found = job->spec.pod_template.reserved;
  return {found.begin(), found.end()};
}

TEST(ReservedFields, are_the_pool_the_node_and_the_agents_variables) {
  EXPECT_THAT(reserved(R"({"nodeName":"n","nodeSelector":{"reprise.dev/pool":"a100","zone":"a"},)"
                       R"("containers":[{"name":"t","env":[{"name":"REPRISE_ATTEMPT","value":"9"},{"name":"HOME"}]}],)"
                       R"("initContainers":[{"name":"i","env":[{"name":"REPRISE_FENCE"}]}]})"),
              ElementsAre("spec.nodeName", "spec.nodeSelector[reprise.dev/pool]",
                          "spec.containers[t].env[REPRISE_ATTEMPT]", "spec.initContainers[i].env[REPRISE_FENCE]"));
}

TEST(ReservedFields, are_none_of_the_variables_that_users_may_set) {
  EXPECT_THAT(
      reserved(R"({"containers":[{"name":"t","env":[{"name":"REPRISE_PROGRESS_PATTERN","value":"[0-9]+"},)"
               R"({"name":"REPRISE_WATCH_OUTPUT"},{"name":"REPRISE_HANG_SIGNAL"},{"name":"REPRISE_VOLUME_TYPE"}]}]})"),
      IsEmpty());
}

// Containers that are restarted, and pods that end by a clock of their own, would leave open what an end means.
TEST(ReservedFields, are_restarts_of_single_containers_but_for_sidecars_and_the_pod_s_own_deadline) {
  EXPECT_THAT(
      reserved(R"({"activeDeadlineSeconds":60,"containers":[{"name":"t","restartPolicy":"OnFailure"},)"
               R"({"name":"u","restartPolicy":"Never"},{"name":"v","restartPolicyRules":[{"action":"Restart"}]}],)"
               R"("initContainers":[{"name":"i","restartPolicy":"Always"},{"name":"j","restartPolicy":"OnFailure"}]})"),
      ElementsAre("spec.activeDeadlineSeconds", "spec.containers[t].restartPolicy",
                  "spec.containers[v].restartPolicyRules", "spec.initContainers[j].restartPolicy"));
}

TEST(ReservedFields, are_found_in_both_kinds_of_node_affinity) {
  const std::string term = R"("matchExpressions":[{"key":"reprise.dev/pool","operator":"In","values":["a100"]}])";
  const std::string path = "spec.affinity.nodeAffinity.";
  EXPECT_THAT(reserved(R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
                       R"({"nodeSelectorTerms":[{)" +
                       term + "}]}}}}"),
              ElementsAre(path + "requiredDuringSchedulingIgnoredDuringExecution[reprise.dev/pool]"));
  EXPECT_THAT(reserved(R"({"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":)"
                       R"([{"weight":1,"preference":{)" +
                       term + "}}]}}}"),
              ElementsAre(path + "preferredDuringSchedulingIgnoredDuringExecution[reprise.dev/pool]"));
}

TEST(ReservedFields, do_not_count_what_keeps_away_from_pools_or_names_no_pool) {
  EXPECT_THAT(
      reserved(R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
               R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"reprise.dev/pool","operator":"DoesNotExist"},)"
               R"({"key":"zone","operator":"In","values":["a"]}]}]}}},"nodeSelector":{"zone":"a"},)"
               R"("containers":[{"name":"t","env":[{"name":"MY_REPRISE"}]}]})"),
      IsEmpty());
}

}  // namespace
}  // namespace reprise::api
