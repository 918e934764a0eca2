// Commands that change something.
#include "apps/kubectl-reprise/run/plugin_for_tests.h"

namespace reprise::plugin {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kJob = "/apis/reprise.dev/v1alpha1/namespaces/vision/resumablejobs/finetune";
constexpr const char* kRanksPath = "/api/v1/namespaces/vision/pods";

std::string node_json(const std::string& name, const std::string& ready) {
  return R"({"metadata":{"name":")" + name + R"(","uid":"uid-)" + name +
         R"("},"status":{"conditions":[{"type":"Ready","status":")" + ready + R"("}]}})";
}

std::string pod_json(const std::string& name, int attempt, int index, const std::string& more = {}) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"vision","uid":"uid-)" + name +
         R"(","labels":{"reprise.dev/attempt":")" + std::to_string(attempt) +
         R"(","batch.kubernetes.io/job-completion-index":")" + std::to_string(index) + R"("})" + more +
         R"(},"status":{"phase":"Running"}})";
}

std::string member_json(int index, const std::string& node, const std::string& more = {}) {
  const std::string pod = "finetune-3-" + std::to_string(index);
  return R"({"index":)" + std::to_string(index) + R"(,"podName":")" + pod + R"(","podUID":"uid-)" + pod + R"(")" +
         (node.empty() ? "" : R"(,"nodeName":")" + node + R"(","nodeUID":"uid-)" + node + R"(")") + more + "}";
}

struct Steering : PluginTest {
  void job(const std::string& status, const std::string& spec = {}) {
    answer(kJob, job_json("finetune", status, spec));
  }
};

TEST_F(Steering, suspend_and_resume_set_one_field) {
  job("");
  answer("PATCH " + std::string(kJob), "{}");
  EXPECT_EQ(run({"suspend", "finetune"}), kDone) << err;
  EXPECT_EQ(out, "resumablejob.reprise.dev/finetune suspended\n");
  EXPECT_THAT(writes(), ElementsAre("PATCH " + std::string(kJob) + R"( {"spec":{"suspend":true}})"));
  EXPECT_EQ(run({"resume", "job/finetune"}), kDone) << err;
  EXPECT_THAT(writes(), SizeIs(1)) << "it is not suspended";
}

TEST_F(Steering, a_finished_job_is_not_suspended_and_the_others_are) {
  job(R"("conditions":[{"type":"Complete","status":"True","reason":"Completed"}])");
  answer("/apis/reprise.dev/v1alpha1/namespaces/vision/resumablejobs/align", job_json("align"));
  answer("PATCH /apis/reprise.dev/v1alpha1/namespaces/vision/resumablejobs/align", "{}");
  EXPECT_EQ(run({"suspend", "finetune", "align"}), kFailed);
  EXPECT_THAT(err, HasSubstr("vision/finetune has finished"));
  EXPECT_THAT(out, HasSubstr("align suspended"));
}

TEST_F(Steering, usage_prints_what_the_pool_says_or_that_it_says_nothing_yet) {
  const std::string path = std::string(kPoolsPath) + "/t4";
  const auto pool = [](const std::string& status) {
    return R"({"apiVersion":"reprise.dev/v1alpha1","kind":"GpuPool","metadata":{"name":"t4"},"spec":{},"status":{)" +
           status + "}}";
  };
  answer(path, pool(R"("usage":"spec:\n  nodeSelector: {}\n")"));
  for (const char* word : {"t4", "gpupool/t4"}) {
    EXPECT_EQ(run({"usage", word}), kDone) << err;
    EXPECT_EQ(out, "spec:\n  nodeSelector: {}\n");
  }
  answers[path] = {{200, pool("")}};
  EXPECT_EQ(run({"usage", "t4"}), kFailed);
  EXPECT_THAT(err, HasSubstr("offers nothing yet"));
  EXPECT_EQ(run({"usage", "job/finetune"}), kUsage);
  EXPECT_THAT(err, HasSubstr("must be a pool"));
  EXPECT_THAT(writes(), IsEmpty());
}

struct ConfirmEnded : Steering {
  ConfirmEnded() {
    answer(kRanksPath, list_of({pod_json("finetune-3-1", 3, 1)}));
    answer("/api/v1/nodes/silent", node_json("silent", "Unknown"));
    answer("/api/v1/nodes/answers", node_json("answers", "True"));
    answer("PATCH " + std::string(kJob), "{}");
  }
  void ending(const std::string& members) {
    job(R"("attempt":3,"attemptEnd":{"attempt":3,"cause":"Interruption","reason":"NodeLost","time":"2025-12-31T23:59:00Z"},)"
        R"("members":[)" +
        members + "]");
  }
};

TEST_F(ConfirmEnded, a_claim_names_the_node_and_the_attempt_of_each_silent_rank) {
  ending(member_json(0, "silent") + "," + member_json(1, "answers") + "," +
         member_json(2, "gone", R"(,"proof":"KubeletReport")"));
  EXPECT_EQ(run({"confirm-ended", "finetune", "--yes"}), kDone) << err;
  EXPECT_THAT(writes(), ElementsAre(HasSubstr(R"("annotations":{"reprise.dev/confirm-ended":"uid-silent/3"})")));
  EXPECT_THAT(writes()[0], HasSubstr(R"("uid":"uid-finetune")"));
  EXPECT_THAT(
      err,
      HasSubstr("Pod finetune-3-1 is left out, for its end will be reported: its pod is there and its node answers"));
}

TEST_F(ConfirmEnded, a_rank_whose_node_was_never_seen_is_claimed_by_its_pod) {
  ending(member_json(0, ""));
  EXPECT_EQ(run({"confirm-ended", "finetune", "-y"}), kDone) << err;
  EXPECT_THAT(writes(), ElementsAre(HasSubstr(R"("uid-finetune-3-0")")));
}

TEST_F(ConfirmEnded, a_node_that_answers_is_claimed_only_by_its_name_and_with_a_warning) {
  ending(member_json(1, "answers"));
  EXPECT_EQ(run({"confirm-ended", "finetune", "--yes"}), kDeclined);
  EXPECT_THAT(writes(), IsEmpty());
  EXPECT_EQ(run({"confirm-ended", "finetune", "--yes", "--node", "answers"}), kDone) << err;
  EXPECT_THAT(err, HasSubstr("this rank may well be running"));
  EXPECT_THAT(writes(), ElementsAre(HasSubstr("uid-answers/3")));
  EXPECT_EQ(run({"confirm-ended", "finetune", "--yes", "--node", "other"}), kNotFound);
}

TEST_F(ConfirmEnded, a_node_that_may_not_be_looked_at_is_not_taken_for_silent) {
  ending(member_json(1, "hidden"));
  answer("/api/v1/nodes/hidden", R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403})", 403);
  EXPECT_EQ(run({"confirm-ended", "finetune", "--yes"}), kDeclined);
  EXPECT_THAT(writes(), IsEmpty());
  EXPECT_EQ(run({"confirm-ended", "finetune", "--yes", "--node", "hidden"}), kDone) << err;
  EXPECT_THAT(err, HasSubstr("not allowed to look whether its node answers"));
}

TEST_F(ConfirmEnded, nothing_is_claimed_while_no_attempt_is_ending) {
  job(R"("attempt":3,"members":[)" + member_json(0, "silent") + "]");
  EXPECT_EQ(run({"confirm-ended", "finetune", "--yes"}), kDeclined);
  EXPECT_THAT(writes(), IsEmpty());
}

TEST_F(ConfirmEnded, nothing_is_claimed_that_nobody_has_confirmed) {
  ending(member_json(0, "silent"));
  EXPECT_EQ(run({"confirm-ended", "finetune"}), kDeclined);
  EXPECT_THAT(err, HasSubstr("confirm with --yes"));
  asks = true;
  typed = "n\n";
  EXPECT_EQ(run({"confirm-ended", "finetune"}), kDeclined);
  EXPECT_THAT(writes(), IsEmpty());
  typed = "y\n";
  EXPECT_EQ(run({"confirm-ended", "finetune"}), kDone) << err;
  EXPECT_THAT(writes(), SizeIs(1));
}

TEST_F(ConfirmEnded, another_job_of_the_same_name_is_not_claimed_for) {
  ending(member_json(0, "silent"));
  answers["PATCH " + std::string(kJob)] = {{409, R"({"kind":"Status","reason":"Conflict","message":"changed"})"}};
  EXPECT_EQ(run({"confirm-ended", "finetune", "--yes"}), kFailed);
  EXPECT_THAT(err, HasSubstr("the job is another one meanwhile, nothing was written"));
}

struct Interrupt : Steering {
  Interrupt() {
    answer(kRanksPath,
           list_of({pod_json("finetune-3-0", 3, 0), pod_json("finetune-3-1", 3, 1), pod_json("finetune-2-0", 2, 0),
                    pod_json("finetune-3-2", 3, 2, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")")}));
    for (const char* name : {"finetune-3-0", "finetune-3-1"})
      answer("DELETE " + std::string(kRanksPath) + "/" + name, "{}");
  }
  static std::string running(int attempt, int interruptions, int step, int lost) {
    return R"("attempt":)" + std::to_string(attempt) + R"(,"interruptionCount":)" + std::to_string(interruptions) +
           R"(,"lostSeconds":)" + std::to_string(lost) + R"(,"checkpoint":{"step":)" + std::to_string(step) +
           R"(,"path":"s","time":"2025-12-31T23:59:30Z"},"lastInterruption":{"time":"2026-01-01T00:00:00Z",)"
           R"("reason":"PodDeleted","asked":true,"saved":true},)"
           R"("conditions":[{"type":"PodsReady","status":"True","reason":"Recovered"}])";
  }
};

TEST_F(Interrupt, every_running_pod_of_the_attempt_goes_and_only_as_the_very_pod_that_was_seen) {
  job(running(3, 1, 100, 5));
  EXPECT_EQ(run({"interrupt", "finetune", "--yes", "--wait=false"}), kDone) << err;
  EXPECT_THAT(writes(), ElementsAre(AllOf(HasSubstr("/finetune-3-0 "), HasSubstr(R"("uid":"uid-finetune-3-0")")),
                                    AllOf(HasSubstr("/finetune-3-1 "), HasSubstr(R"("uid":"uid-finetune-3-1")"))));
  EXPECT_THAT(writes(), Not(::testing::Contains(HasSubstr("gracePeriodSeconds"))));
}

TEST_F(Interrupt, what_was_lost_is_told_when_the_next_attempt_runs) {
  job(running(3, 1, 100, 5));
  job(running(3, 1, 100, 5));
  job(running(4, 2, 140, 17));
  EXPECT_EQ(run({"interrupt", "finetune", "--yes"}), kDone) << err;
  EXPECT_EQ(out,
            "resumablejob.reprise.dev/finetune interrupted\n"
            "Attempt 3 was interrupted; attempt 4 runs with all its pods after 0s.\n"
            "  step before    100 (saved 30s before)\n"
            "  step after     140 (saved 30s before)\n"
            "  asked to save  yes\n"
            "  saved          yes\n"
            "  work lost      12s\n");
}

TEST_F(Interrupt, who_has_waited_long_enough_is_told_so_and_of_no_outcome) {
  job(running(3, 1, 100, 5));
  EXPECT_EQ(run({"interrupt", "finetune", "--yes", "--timeout=3s"}), kNotYet) << err;
  EXPECT_THAT(out, AllOf(HasSubstr("After 3s the job still says Recovered"), HasSubstr("asked to save  not known")));
}

TEST_F(Interrupt, an_attempt_that_is_ending_is_left_alone) {
  job(R"("attempt":3,"attemptEnd":{"attempt":3,"cause":"Interruption","reason":"x","time":"2025-12-31T23:59:00Z"})");
  EXPECT_EQ(run({"interrupt", "finetune", "--yes"}), kDeclined);
  EXPECT_THAT(err, HasSubstr("attempt 3 is ending already"));
  EXPECT_THAT(writes(), IsEmpty());
}

}  // namespace
}  // namespace reprise::plugin
