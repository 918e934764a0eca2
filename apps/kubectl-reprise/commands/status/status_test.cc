#include "apps/kubectl-reprise/cluster/scene.h"
#include "apps/kubectl-reprise/run/plugin_for_tests.h"

namespace reprise::plugin {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kPool =
    R"({"metadata":{"name":"t4","creationTimestamp":"2025-12-30T00:00:00Z"},"spec":{"capacity":[]},"status":{)"
    R"("conditions":[{"type":"Ready","status":"True","reason":"Ready","message":""}],)"
    R"("capacity":[{"type":"Spot","nodes":2,"gpus":2,"gpusUsed":1},{"type":"OnDemand","nodes":1,"gpus":1,"gpusUsed":1}],)"
    R"("units":{"total":12,"used":5},"cost":{"perHour":"1.579","idlePerHour":"0.105","onDemandPerHour":"0.526"},)"
    R"("jobs":2,"gpus":"2/3","sharing":"TimeSlicing x4"}})";

struct Status : PluginTest {
  Status() { answer(kPoolsPath, list_of({kPool})); }
  void jobs(const std::vector<std::string>& objects) { answer(kJobsPath, list_of(objects)); }
};

TEST_F(Status, one_screen_has_the_summary_first_then_pools_then_jobs) {
  jobs({job_json("finetune", ready_condition("Recovered") +
                                 R"(,"attempt":3,"interruptionCount":2,"lostSeconds":95,"ready":2,)"
                                 R"("checkpoint":{"step":4000,"path":"s","time":"2025-12-31T23:57:00Z"})"),
        job_json("align", ready_condition("WaitForStart"))});
  EXPECT_EQ(run({"status"}), kDone) << err;
  EXPECT_EQ(
      out,
      "1 pool, 2 jobs: 1 Recovered, 1 WaitForStart; 2 of 3 GPUs in use; 1.58 USD per hour, 0.11 of it idle "
      "(estimates)\n\n"
      "POOL   READY   GPUS   UNITS   SPOT   ON-DEMAND   SHARING          COST/H   IDLE/H   JOBS   AGE\n"
      "t4     True    2/3    5/12    2      1           TimeSlicing x4   1.579    0.105    2      2d\n\n"
      "JOB        STATE          PODS   PROGRESS   ATTEMPT   INTERRUPTIONS   LOST   STEP   CHECKPOINT   POOL   AGE\n"
      "finetune   Recovered      2/2    -          3         2               95s    4000   3m           t4     60m\n"
      "align      WaitForStart   0/2    -          0         0               0s     -      -            t4     60m\n");
}

TEST_F(Status, what_waits_for_somebody_is_told_with_its_message) {
  jobs({job_json("finetune", ready_condition("WriterNotFenced", "pod finetune-1-0 is gone")),
        job_json("align", ready_condition("Recovered"))});
  EXPECT_EQ(run({"status"}), kDone) << err;
  EXPECT_THAT(
      out, EndsWith("\nWhat waits for somebody:\n  job vision/finetune: WriterNotFenced: pod finetune-1-0 is gone\n"));
}

TEST_F(Status, who_may_not_see_pools_sees_the_jobs) {
  answers[kPoolsPath] = {{403, R"({"kind":"Status","message":"gpupools is forbidden"})"}};
  jobs({job_json("finetune", ready_condition("Started"))});
  EXPECT_EQ(run({"status"}), kDone) << err;
  EXPECT_THAT(out, AllOf(StartsWith("1 job: 1 Started\nPools are not shown: "), HasSubstr("finetune   Started")));
}

TEST_F(Status, a_name_that_is_not_there_is_not_found) {
  jobs({job_json("finetune")});
  EXPECT_EQ(run({"status", "job/other"}), kNotFound);
  EXPECT_EQ(err, "kubectl reprise status: there is no ResumableJob other in namespace vision\n");
}

TEST_F(Status, a_cluster_without_the_kinds_says_what_to_install) {
  EXPECT_EQ(run({"status"}), kNotFound);
  EXPECT_THAT(err, HasSubstr("install Reprise's chart first"));
}

TEST_F(Status, a_word_names_a_job_or_a_pool_and_nothing_else_is_shown) {
  jobs({job_json("finetune"), job_json("align")});
  EXPECT_EQ(run({"status", "rj/align", "-o", "name"}), kDone) << err;
  EXPECT_EQ(out, "resumablejob.reprise.dev/align\n");
  EXPECT_EQ(run({"status", "t4", "-oname"}), kDone) << err;
  EXPECT_EQ(out, "gpupool.reprise.dev/t4\n");
  EXPECT_EQ(run({"status", "pod/t4"}), kUsage);
}

TEST_F(Status, json_and_yaml_show_the_objects_as_the_server_has_them) {
  jobs({job_json("finetune", R"("of-tomorrow":{"kept":[1,"2"]})")});
  EXPECT_EQ(run({"status", "finetune", "-o", "json"}), kDone) << err;
  EXPECT_EQ(parse_json(out), parse_json(job_json("finetune", R"("of-tomorrow":{"kept":[1,"2"]})")));
  EXPECT_EQ(run({"status", "--output=yaml"}), kDone) << err;
  EXPECT_THAT(
      out,
      AllOf(StartsWith("apiVersion: v1\nkind: List\nitems:\n- apiVersion: reprise.dev/v1alpha1\n  kind: GpuPool\n"),
            EndsWith("    of-tomorrow:\n      kept:\n      - 1\n      - \"2\"\n")));
}

TEST_F(Status, all_namespaces_show_whose_the_jobs_are) {
  answer("/apis/reprise.dev/v1alpha1/resumablejobs", list_of({job_json("finetune", ready_condition("Started"))}));
  EXPECT_EQ(run({"-n", "elsewhere", "status", "-A"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("vision      finetune   Started"));
}

TEST_F(Status, long_lists_are_read_page_by_page) {
  answer(kJobsPath, R"({"metadata":{"continue":"more"},"items":[)" + job_json("a") + "]}");
  answer(kJobsPath, list_of({job_json("b")}));
  EXPECT_EQ(run({"status", "-o", "name"}), kDone) << err;
  EXPECT_THAT(out, AllOf(HasSubstr("/a\n"), HasSubstr("/b\n")));
  EXPECT_THAT(transport.requests()[1].path_and_query, HasSubstr("continue=more"));
}

TEST_F(Status, kubectls_flags_choose_the_cluster_and_who_asks) {
  jobs({});
  EXPECT_EQ(run({"status", "--context", "c", "--kubeconfig=k", "--as", "u", "--as-group", "a", "--as-group", "b"}),
            kDone);
  const ClusterChoice& choice = chosen.back();
  EXPECT_EQ(choice.context + choice.kubeconfig + choice.as, "cku");
  EXPECT_THAT(choice.as_groups, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace reprise::plugin
