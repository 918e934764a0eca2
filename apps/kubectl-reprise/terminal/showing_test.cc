// checkpoints, logs and cost.
#include "apps/kubectl-reprise/run/plugin_for_tests.h"
#include "apps/kubectl-reprise/terminal/json.h"

namespace reprise::plugin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPodsPath = "/api/v1/namespaces/vision/pods";

std::string rank_json(int attempt, int index, const std::string& state) {
  const std::string name = "finetune-" + std::to_string(attempt) + "-" + std::to_string(index);
  return R"({"metadata":{"name":")" + name + R"(","namespace":"vision","uid":"uid-)" + name +
         R"(","labels":{"reprise.dev/attempt":")" + std::to_string(attempt) +
         R"(","batch.kubernetes.io/job-completion-index":")" + std::to_string(index) +
         R"("}},"spec":{"containers":[{"name":"trainer"}]},"status":{"phase":"Running","containerStatuses":[{"name":"trainer","state":{)" +
         state + "}}]}}";
}

constexpr const char* kRunning = R"("running":{})";
constexpr const char* kEnded =
    R"("terminated":{"exitCode":0,"message":"{\"attempt\":1,\"index\":0,\"exitCode\":0,\"asked\":true,\"saved\":true,\"step\":120,\"sizeBytes\":1536}"})";

struct Showing : PluginTest {
  void job(const std::string& status) { answer(std::string(kJobsPath) + "/finetune", job_json("finetune", status)); }
  void log(const std::string& pod, const std::string& text) {
    answer(std::string(kPodsPath) + "/" + pod + "/log", text);
  }
};

TEST_F(Showing, checkpoints_tell_what_is_known_and_what_is_not) {
  job(R"("attempt":2,"active":1,"checkpoint":{"step":120,"path":"step-120","time":"2025-12-31T23:57:00Z","sizeBytes":1536,)"
      R"("verified":true,"claimName":"c"})");
  answer(kPodsPath, list_of({rank_json(2, 0, kRunning), rank_json(1, 0, kEnded)}));
  EXPECT_EQ(run({"checkpoints", "finetune"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("  step      120\n  path      step-120\n  format    not known\n  claim     c\n  saved     "
                             "3m ago (2025-12-31T23:57:00Z)\n"
                             "  size      1.5 KiB\n  verified  yes: complete and durable\n  snapshot  none\n"));
  EXPECT_THAT(
      out,
      HasSubstr(
          "1         0       finetune-1-0   ended     0      -              120    1.5 KiB   yes     yes     -\n"));
  EXPECT_THAT(
      out, AllOf(HasSubstr("what attempt 2 has saved since it began"), HasSubstr("older checkpoints on the volume")));
  EXPECT_THAT(out, Not(HasSubstr("attempts before number")));
}

TEST_F(Showing, checkpoints_tell_what_the_volume_proves_and_lacks) {
  answer(kPodsPath, list_of({rank_json(1, 0, kRunning)}));
  job(R"("attempt":1,"checkpoint":{"step":120,"volume":{"type":"fuse.gcsfuse","delete":false,"durability":"Closed"}})");
  EXPECT_EQ(run({"checkpoints", "finetune"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("  volume    fuse.gcsfuse, durable when closed; no delete\n"));
}

TEST_F(Showing, the_volume_is_the_one_that_was_found_last) {
  answer(kPodsPath, list_of({rank_json(1, 0, kRunning)}));
  job(R"("attempt":1,"checkpoint":{"step":120,"volume":{"type":"ext4","durability":"Synced"}},)"
      R"("progress":{"step":150,"checkpoint":{"step":140},"volume":{"type":"fuse","rename":false,"overwrite":false,"delete":true,"durability":"StructureOnly"}})");
  EXPECT_EQ(run({"checkpoints", "finetune"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("  volume    fuse, never says whether anything is durable; no rename, no overwrite\n"));
}

TEST_F(Showing, checkpoints_tell_what_was_put_aside) {
  job(R"("attempt":2,"unproven":{"attempt":2,"checkpoints":2,"step":45,"resumedFromStep":30,"message":"they lie aside"})");
  answer(kPodsPath, list_of({}));
  EXPECT_EQ(run({"checkpoints", "finetune"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("Put aside: they lie aside.\n"));
  EXPECT_EQ(run({"checkpoints", "finetune", "-o", "json"}), kDone) << err;
  EXPECT_EQ(text_at(member(parse_json(out).value(), "unproven"), {"message"}), "they lie aside");
}

TEST_F(Showing, a_checkpoint_that_is_reported_live_is_known) {
  const std::string reported =
      R"("progress":{"step":150,"activity":"Training",)"
      R"("checkpoint":{"step":140,"path":"step-140","format":"Lightning","time":"2025-12-31T23:59:00Z",)"
      R"("sizeBytes":1536,"saveSeconds":12,"verified":true}})";
  job(R"("attempt":1,"active":1,)" + reported);
  answer(kPodsPath, list_of({rank_json(1, 0, kRunning)}));
  EXPECT_EQ(run({"checkpoints", "finetune"}), kDone) << err;
  EXPECT_THAT(
      out, HasSubstr(
               "Newest complete checkpoint that job vision/finetune reports while it runs:\n"
               "  step      140\n  path      step-140\n  saved     60s ago (2025-12-31T23:59:00Z)\n"
               "  format    Lightning\n  size      1.5 KiB\n  took      12s\n  verified  yes: complete and durable\n"));
  EXPECT_THAT(out, AllOf(Not(HasSubstr("No complete checkpoint")), Not(HasSubstr("since it began"))));
  EXPECT_EQ(run({"checkpoints", "finetune", "-o", "json"}), kDone) << err;
  EXPECT_EQ(text_at(member(member(parse_json(out).value(), "progress"), "checkpoint"), {"path"}), "step-140");
}

TEST_F(Showing, checkpoints_say_how_often_to_save_once_interruptions_and_saves_are_known) {
  const auto shown = [this](int interruptions, int save_seconds) {
    answers.clear();
    job(R"("attempt":9,"active":1,"startTime":"2025-12-31T00:00:00Z","interruptionCount":)" +
        std::to_string(interruptions) +
        R"(,"progress":{"activity":"Training","checkpoint":{"step":140,"saveSeconds":)" + std::to_string(save_seconds) +
        "}}");
    answer(kPodsPath, list_of({}));
    EXPECT_EQ(run({"checkpoints", "finetune"}), kDone) << err;
    return out;
  };
  EXPECT_THAT(shown(4, 60),
              HasSubstr("Saving every 26m instead of every 10m would lose less: a save takes 60s, and the "
                        "job was interrupted 4 times in 24h.\n"))
      << "Daly: sqrt(2 * 60 s * 6 h), a little more";
  EXPECT_THAT(shown(4, 5), Not(HasSubstr("would lose less"))) << "10 min are about right";
  EXPECT_THAT(shown(1, 60), Not(HasSubstr("would lose less"))) << "of one interruption nobody knows how often";
}

// The operator shows a record in that place as well.
TEST_F(Showing, a_checkpoint_of_an_ended_attempt_says_nothing_of_the_one_under_way) {
  const std::string both = R"("step":120,"path":"step-120","time":"2025-12-31T23:57:00Z")";
  job(R"("attempt":2,"active":1,"checkpoint":{)" + both + R"(},"progress":{"step":120,"checkpoint":{)" + both + "}}");
  answer(kPodsPath, list_of({rank_json(2, 0, kRunning)}));
  EXPECT_EQ(run({"checkpoints", "finetune"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("what attempt 2 has saved since it began"));
}

TEST_F(Showing, of_two_checkpoints_the_newer_is_the_newest) {
  const auto reported = [this](const std::string& recorded_time, const std::string& live_time) {
    answers.clear();
    job(R"("attempt":2,"active":1,"checkpoint":{"step":120,"path":"step-120","time":")" + recorded_time +
        R"("},"progress":{"checkpoint":{"step":140,"path":"step-140","time":")" + live_time + R"("}})");
    answer(kPodsPath, list_of({}));
    answer(kPoolsPath, list_of({}));
    answer(kJobsPath, list_of({answers[std::string(kJobsPath) + "/finetune"][0].second}));
    EXPECT_EQ(run({"checkpoints", "finetune"}), kDone) << err;
  };
  reported("2025-12-31T23:00:00Z", "2025-12-31T23:59:00Z");
  EXPECT_THAT(out, HasSubstr("reports while it runs:\n  step      140\n"));
  EXPECT_THAT(out, HasSubstr("Newest of the attempts that have ended:\n  step      120\n"));
  EXPECT_EQ(run({"status"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr(" 140 "));
  reported("2025-12-31T23:30:00Z", "2025-12-31T23:00:00Z");
  EXPECT_THAT(out, AllOf(HasSubstr("finetune reports:\n  step      120\n"), Not(HasSubstr("step      140"))));
  EXPECT_EQ(run({"status"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr(" 120 "));
}

TEST_F(Showing, logs_of_the_last_attempt_say_whose_they_are_when_there_are_several) {
  job(R"("attempt":2)");
  answer(kPodsPath, list_of({rank_json(1, 0, kEnded), rank_json(2, 1, kRunning), rank_json(2, 0, kRunning),
                             rank_json(3, 0, R"("waiting":{})")}));
  log("finetune-1-0", "old\n");
  log("finetune-2-0", "a\nb");
  log("finetune-2-1", "c\n");
  EXPECT_EQ(run({"logs", "finetune"}), kDone) << err;
  EXPECT_EQ(out, "[2/0] a\n[2/0] b\n[2/1] c\n");
  EXPECT_EQ(run({"logs", "finetune", "--index", "1", "--tail=5"}), kDone) << err;
  EXPECT_EQ(out, "c\n");
  EXPECT_THAT(transport.requests().back().path_and_query, HasSubstr("/log?container=trainer&tailLines=5"));
  EXPECT_EQ(run({"logs", "finetune", "--all", "--prefix"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("[1/0] old\n[2/0] a\n"));
  EXPECT_EQ(run({"logs", "finetune", "--attempt", "7"}), kNotFound);
  EXPECT_EQ(run({"logs", "finetune", "--attempt", "x"}), kFailed);
}

TEST_F(Showing, followed_logs_go_on_with_the_next_attempt_and_end_with_the_job) {
  job(R"("attempt":1)");
  answer(kPodsPath, list_of({rank_json(1, 0, kRunning)}));
  int moment = 0;
  while_waiting = [&] {
    ++moment;
    if (moment == 1) {
      transport.streams().at(0)->status(200);
      transport.streams().at(0)->bytes("one\ntw");
      answers[kPodsPath] = {{200, list_of({rank_json(1, 0, kEnded), rank_json(2, 0, kRunning)})}};
    } else if (moment == 2) {
      transport.streams().at(0)->bytes("o\n");
      transport.streams().at(0)->close();
    } else if (transport.streams().size() == 2 && transport.streams()[1]->open()) {
      answers[std::string(kJobsPath) + "/finetune"] = {
          {200, job_json("finetune",
                         R"("attempt":2,"conditions":[{"type":"Complete","status":"True","reason":"Completed"}])")}};
      transport.streams()[1]->status(200);
      transport.streams()[1]->bytes("three");
      transport.streams()[1]->close();
    }
  };
  EXPECT_EQ(run({"logs", "-f", "finetune"}), kDone) << err;
  EXPECT_EQ(out, "[1/0] one\n[1/0] two\n[2/0] three\n");
  EXPECT_THAT(transport.streams().at(1)->request().path_and_query,
              "/api/v1/namespaces/vision/pods/finetune-2-0/log?container=trainer&follow=true");
}

TEST_F(Showing, costs_are_shared_by_the_units_that_jobs_use) {
  answer(kPoolsPath,
         list_of(
             {R"({"metadata":{"name":"t4"},"spec":{"capacity":[]},"status":{"units":{"total":8,"used":4},"gpus":"1/2",)"
              R"("cost":{"perHour":"3.00","idlePerHour":"1.00","onDemandPerHour":"9.00"}}})"}));
  answer(
      kJobsPath,
      list_of(
          {job_json("a",
                    R"("active":2,"startTime":"2025-12-31T22:00:00Z","cost":{"spent":"1.5","onDemandEquivalent":"4"})"),
           job_json(
               "b",
               R"("active":1,"cost":{"spent":"1.50","onDemandEquivalent":"4","perHour":"3","onDemandPerHour":"9","countedTime":"2025-12-31T23:30:00Z"})"),
           job_json("c")}));
  EXPECT_EQ(run({"cost"}), kDone) << err;
  EXPECT_THAT(out, HasSubstr("t4     3.00       1.00   9.00        6.00     1/2\n"));
  EXPECT_THAT(out, HasSubstr("a     1.00       1.50    4.00        2.50    120m   0s\n"));
  EXPECT_THAT(out, HasSubstr("b     0.50       3.00    8.50        5.50    0s     0s\n"));
  EXPECT_THAT(out, HasSubstr("USD, estimates"));
  EXPECT_EQ(run({"cost", "--by=namespace", "-o", "json"}), kDone) << err;
  EXPECT_EQ(
      parse_json(out),
      parse_json(
          R"([{"namespace":"vision","perHour":"1.50","spent":"4.50","onDemandEquivalent":"12.50","seconds":7200,"lostSeconds":0}])"));
  EXPECT_EQ(run({"cost", "--by=job", "--since", "1h"}), kDone) << err;
  EXPECT_THAT(out, AllOf(HasSubstr("\na "), Not(HasSubstr("\nb ")), HasSubstr("--since chooses jobs")));
}

}  // namespace
}  // namespace reprise::plugin
