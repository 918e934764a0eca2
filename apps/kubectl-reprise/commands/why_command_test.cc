#include "apps/kubectl-reprise/run/plugin_for_tests.h"

namespace reprise::plugin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kJobPath = std::string(kJobsPath) + "/finetune";
constexpr const char* kLease =
    R"({"metadata":{"name":"reprise-operator","namespace":"reprise-system"},"spec":{"holderIdentity":"one",)"
    R"("leaseDurationSeconds":15,"renewTime":"2025-12-31T23:59:55.000000Z"}})";

// A cluster in which the user sees everything; only the job matters in it.
struct Why : PluginTest {
  Why() {
    answer("/apis/coordination.k8s.io/v1/leases", list_of({kLease}));
    for (const char* path :
         {"/apis/apps/v1/deployments", "/api/v1/namespaces/vision/pods",
          "/api/v1/namespaces/vision/persistentvolumeclaims", "/api/v1/namespaces/vision/resourcequotas",
          "/apis/storage.k8s.io/v1/storageclasses", "/api/v1/namespaces/vision/events"}) {
      answer(path, list_of({}));
    }
  }
  void job(const std::string& type, const std::string& reason, const std::string& message) {
    answer(kJobPath, job_json("finetune", R"("observedGeneration":1,"attempt":1,"conditions":[{"type":")" + type +
                                              R"(","status":"True","reason":")" + reason + R"(","message":")" +
                                              message + R"("}])"));
  }
};

TEST_F(Why, what_blocks_is_told_with_its_command_and_an_exit_code_of_its_own) {
  job("Suspended", "Suspended", "spec.suspend is true");
  EXPECT_EQ(run({"why", "job/finetune"}), kBlocked) << err;
  EXPECT_THAT(out, AllOf(HasSubstr("BLOCKS  ResumableJob vision/finetune: spec.suspend is true"),
                         HasSubstr("kubectl patch resumablejob finetune -n vision"), Not(HasSubstr("\033"))));
}

TEST_F(Why, a_job_that_nothing_blocks_is_an_exit_code_of_zero) {
  job("PodsReady", "Started", "attempt 1 runs");
  EXPECT_EQ(run({"why", "finetune"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("nothing blocks ResumableJob vision/finetune"));
}

TEST_F(Why, a_program_reads_it_as_json_or_yaml) {
  job("Suspended", "Suspended", "spec.suspend is true");
  EXPECT_EQ(run({"why", "finetune", "-o", "json"}), kBlocked) << err;
  EXPECT_THAT(out, HasSubstr(R"("cause": "Suspended")"));
  EXPECT_EQ(run({"why", "finetune", "-o", "yaml"}), kBlocked) << err;
  EXPECT_THAT(out, HasSubstr("cause: Suspended\n"));
}

TEST_F(Why, a_name_alone_is_a_pools_where_there_is_no_such_job) {
  answer(std::string(kPoolsPath) + "/t4",
         R"({"metadata":{"name":"t4","generation":1},"status":{"observedGeneration":1,"conditions":[)"
         R"({"type":"Stalled","status":"True","reason":"ChangedBack","message":"somebody does"}]}})");
  EXPECT_EQ(run({"why", "t4"}), kBlocked) << err;
  EXPECT_THAT(out, HasSubstr("ChangedBack: somebody in the cluster changes back"));
}

TEST_F(Why, what_is_not_there_is_not_found) {
  EXPECT_EQ(run({"why", "job/other"}), kNotFound);
  EXPECT_THAT(err, HasSubstr("other"));
}

TEST_F(Why, what_the_user_may_not_read_is_unseen_and_the_answer_is_there_all_the_same) {
  answers["/apis/coordination.k8s.io/v1/leases"] = {{403, R"({"kind":"Status","message":"leases is forbidden"})"}};
  answers["/apis/apps/v1/deployments"] = {{403, R"({"kind":"Status","message":"deployments is forbidden"})"}};
  job("Suspended", "Suspended", "spec.suspend is true");
  EXPECT_EQ(run({"why", "finetune"}), kBlocked) << err;
  EXPECT_THAT(out, AllOf(HasSubstr("unseen  Lease: "), HasSubstr("BLOCKS")));
}

TEST_F(Why, the_tables_of_causes_need_no_name_and_no_kubeconfig) {
  EXPECT_EQ(run({"why", "--causes"}), kDone);
  EXPECT_THAT(out, HasSubstr("| `QuotaExceeded` |"));
  EXPECT_TRUE(chosen.empty()) << "it has asked for a cluster";
}

}  // namespace
}  // namespace reprise::plugin
