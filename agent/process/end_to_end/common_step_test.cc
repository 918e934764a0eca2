// Ranks with a volume each, as the operator would start them: what each says that it has, and what it resumes from.
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <regex>

#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing_support::agent_binary;
using testing_support::eventually;
using testing_support::Process;
using testing_support::put_checkpoint;
using testing_support::put_text;
using testing_support::Rank;
using testing_support::Scene;
using testing_support::text_in;
using testing_support::Variables;

constexpr std::chrono::seconds kAtOnce{3};

const std::vector<std::string> kShow{
    "sh", "-c", "echo from=${REPRISE_RESUME_FROM-absent}; readlink -f \"$REPRISE_RESUME_FROM\" || true"};

// Two ranks, each with a volume and the annotations of its pod.
class CommonStepTest : public testing::Test {
 protected:
  CommonStepTest() {
    for (const int index : {0, 1}) fs::create_directory(volume(index));
  }

  [[nodiscard]] fs::path volume(int index) const { return scene_.path("volume-" + std::to_string(index)); }
  [[nodiscard]] fs::path annotations(int index) const { return scene_.path("annotations-" + std::to_string(index)); }
  void put(int index, int step, bool complete = true) const {
    put_checkpoint(volume(index), "step-" + std::to_string(step), complete);
  }
  [[nodiscard]] bool has(int index, const std::string& path) const { return fs::exists(volume(index) / path); }
  // As the kubelet does: there is the old text or the new.
  void say(int index, const std::string& text) const {
    put_text(annotations(index).string() + ".new", text);
    fs::rename(annotations(index).string() + ".new", annotations(index));
  }
  void say_to_all(const std::string& text) const {
    for (const int index : {0, 1}) say(index, text);
  }

  [[nodiscard]] Rank rank(int index, Variables more = {}) const {
    Rank rank{.attempt = 2, .index = index, .variables = std::move(more)};
    rank.variables.insert({{"REPRISE_PARALLELISM", "2"},
                           {"REPRISE_VOLUME_ACCESS", "PerIndex"},
                           {"REPRISE_CHECKPOINT_DIR", volume(index).string()},
                           {"REPRISE_ANNOTATIONS_FILE", annotations(index).string()}});
    return rank;
  }
  [[nodiscard]] Process run(int index, const std::vector<std::string>& command, Variables more = {}) const {
    return scene_.run(rank(index, std::move(more)), command);
  }
  [[nodiscard]] Process list(int index, Variables more = {}) const {
    put_text(scene_.termination_log(2, index), "");
    return Process({.words = {agent_binary(), "list-checkpoints"},
                    .variables = scene_.variables(rank(index, std::move(more))),
                    .output = scene_.path("output-2-" + std::to_string(index))});
  }
  // Without the fingerprints of the names.
  [[nodiscard]] std::string listed(int index) const {
    auto agent = list(index);
    EXPECT_EQ(agent.wait(), 0);
    return std::regex_replace(text_in(scene_.termination_log(2, index)), std::regex(":[0-9a-f]{16}"), "");
  }
  [[nodiscard]] bool waits(int index) const {
    return eventually([&] { return has(index, ".reprise/attempts/2/" + std::to_string(index) + ".alive"); });
  }

  Scene scene_;
};

TEST_F(CommonStepTest, each_rank_lists_what_its_volume_has_and_leaves_nothing_there) {
  for (const int step : {200, 300}) put(0, step);
  for (const int step : {100, 200}) put(1, step);
  put(1, 400, false);
  EXPECT_EQ(listed(0), "reprise-checkpoints attempt=2 index=0 steps=300,200;");
  EXPECT_EQ(listed(1), "reprise-checkpoints attempt=2 index=1 steps=200,100;");
  EXPECT_FALSE(has(0, ".reprise"));
}

TEST_F(CommonStepTest, all_ranks_resume_from_the_step_that_all_have_and_what_is_newer_stays_in_the_quarantine) {
  for (const int step : {200, 300}) put(0, step);
  for (const int step : {100, 200}) put(1, step);
  auto first = run(0, kShow), second = run(1, kShow);
  ASSERT_TRUE(waits(0) && waits(1));
  say(0, "a=\"1\"\nreprise.dev/resume-step=\"200\"");
  EXPECT_EQ(first.wait(), 0);
  EXPECT_TRUE(second.running()) << "nobody has told it yet";
  say(1, "reprise.dev/resume-step=\"200\"\n");
  EXPECT_EQ(second.wait(), 0);
  for (const int index : {0, 1}) {
    EXPECT_THAT(scene_.output(2, index), HasSubstr((volume(index) / "step-200").string() + "\n"));
    EXPECT_EQ(scene_.termination(2, index)->resumed_from, 200);
  }
  EXPECT_TRUE(has(0, ".reprise/quarantine/step-300.2/_COMPLETE"));
  EXPECT_FALSE(has(0, "step-300"));
  EXPECT_TRUE(has(1, "step-100"));
  EXPECT_EQ(listed(0), "reprise-checkpoints attempt=2 index=0 steps=200;");
}

TEST_F(CommonStepTest, where_no_step_is_on_all_volumes_all_start_anew_and_nothing_is_deleted) {
  put(0, 300);
  say_to_all("reprise.dev/resume-step=\"none\"");
  auto first = run(0, kShow), second = run(1, kShow);
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 0);
  for (const int index : {0, 1}) EXPECT_THAT(scene_.output(2, index), HasSubstr("from=absent"));
  EXPECT_TRUE(has(0, ".reprise/quarantine/step-300.2/_COMPLETE"));
}

TEST_F(CommonStepTest, where_a_step_was_expected_and_none_is_on_all_volumes_a_person_must_look) {
  put(0, 300);
  say_to_all("reprise.dev/resume-step=\"none\"");
  auto agent = run(0, kShow, {{"REPRISE_EXPECTED_STEP", "200"}});
  EXPECT_EQ(agent.wait(), 86);
  const auto record = scene_.termination(2, 0);
  EXPECT_EQ(record->reason, "CheckpointLost");
  EXPECT_THAT(record->message, HasSubstr("no step is on all of them"));
  EXPECT_FALSE(record->step) << "what other ranks may not have is nothing to expect";
  EXPECT_TRUE(has(0, "step-300"));
}

TEST_F(CommonStepTest, a_step_that_is_gone_ends_with_85_and_moves_nothing) {
  put(0, 300);
  put(0, 200, false);
  say(0, "reprise.dev/resume-step=\"200\"");
  auto agent = run(0, kShow);
  EXPECT_EQ(agent.wait(), 85);
  const auto record = scene_.termination(2, 0);
  EXPECT_EQ(record->reason, "ResumeStepGone");
  EXPECT_THAT(record->message, HasSubstr("step 200"));
  EXPECT_FALSE(record->step);
  EXPECT_TRUE(has(0, "step-300") && has(0, "step-200"));
}

TEST_F(CommonStepTest, who_is_never_told_asks_to_be_run_again_and_says_what_it_has_read) {
  put(0, 300);
  say(0, "reprise.dev/resume-step=\"soon\"");
  auto agent = run(0, kShow, {{"REPRISE_RESUME_WAIT_SECONDS", "0.3"}});
  EXPECT_EQ(agent.wait(), 85);
  EXPECT_EQ(scene_.termination(2, 0)->reason, "ResumeNotPublished");
  EXPECT_THAT(scene_.termination(2, 0)->message, HasSubstr("reprise.dev/resume-step is \"soon\""));
  EXPECT_FALSE(scene_.termination(2, 0)->step);
  auto nowhere = run(0, kShow, {{"REPRISE_ANNOTATIONS_FILE", ""}});
  EXPECT_EQ(nowhere.wait(), 2);
  EXPECT_THAT(scene_.termination(2, 0)->message, HasSubstr("REPRISE_ANNOTATIONS_FILE"));
}

TEST_F(CommonStepTest, a_stop_request_ends_the_wait_at_once) {
  auto agent = run(0, kShow);
  ASSERT_TRUE(waits(0));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(kAtOnce), 143);
  EXPECT_TRUE(scene_.termination(2, 0)->stop_requested);
}

TEST_F(CommonStepTest, a_newer_attempt_ends_the_wait) {
  auto agent = run(0, kShow);
  ASSERT_TRUE(waits(0));
  put_text(volume(0) / ".reprise/fence.json", R"({"jobUid":"job-1","attempt":3})");
  EXPECT_EQ(agent.wait(), 87);
}

TEST_F(CommonStepTest, a_stop_request_ends_a_list_at_once_also_while_the_volume_hangs) {
  fs::create_directories(volume(0) / ".reprise/made");
  ASSERT_EQ(::mkfifo((volume(0) / ".reprise/made/1.json").c_str(), 0600), 0);  // nobody writes: to open it hangs
  auto agent = list(0);
  EXPECT_EQ(agent.wait(std::chrono::milliseconds(300)), std::nullopt);
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(kAtOnce), 143);
  EXPECT_EQ(text_in(scene_.termination_log(2, 0)), "");
}

TEST_F(CommonStepTest, a_volume_that_comes_late_is_listed_and_one_that_never_does_is_no_empty_one) {
  fs::remove_all(volume(0));
  auto late = list(0, {{"REPRISE_HEARTBEAT_SECONDS", "0.3"}});
  EXPECT_EQ(late.wait(std::chrono::milliseconds(500)), std::nullopt);
  put(0, 300);
  EXPECT_EQ(late.wait(), 0);
  EXPECT_THAT(text_in(scene_.termination_log(2, 0)), HasSubstr("steps=300"));
  fs::remove_all(volume(0));
  auto never = list(0);
  EXPECT_EQ(never.wait(), 1);
  EXPECT_THAT(text_in(scene_.termination_log(2, 0)), HasSubstr(volume(0).string() + " cannot be listed"));
}

// Saves again and again, until it is stopped.
const std::vector<std::string> kTrain{
    "sh", "-c",
    "cd \"$REPRISE_CHECKPOINT_DIR\" || exit 1; for at in 210 220 230 240; do mkdir step-$at && "
    "echo of $at >step-$at/weights && : >step-$at/_COMPLETE; sleep 0.1; done; exec sleep 1000"};

TEST_F(CommonStepTest, what_all_ranks_have_is_pruned_only_once_they_have_a_newer_one) {
  put(0, 200);
  say(0, "reprise.dev/resume-step=\"200\"");
  auto agent = run(0, kTrain, {{"REPRISE_CHECKPOINT_KEEP", "1"}});
  ASSERT_TRUE(eventually([&] { return has(0, ".reprise/made/4.json"); }));
  say(0, "reprise.dev/resume-step=\"200\"\nreprise.dev/common-step=\"230\"");
  ASSERT_TRUE(eventually([&] { return !has(0, "step-210") && !has(0, "step-220"); }));
  EXPECT_TRUE(has(0, "step-230") && has(0, "step-240"));
  EXPECT_TRUE(has(0, "step-200")) << "no agent saw it appear";
  say(0, "reprise.dev/resume-step=\"200\"\nreprise.dev/common-step=\"240\"");
  EXPECT_TRUE(eventually([&] { return !has(0, "step-230"); }));
  EXPECT_TRUE(has(0, "step-240"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
}

TEST_F(CommonStepTest, while_nothing_newer_is_known_of_the_others_everything_stays) {
  put(0, 200);
  say(0, "reprise.dev/common-step=\"none\"\nreprise.dev/resume-step=\"200\"");
  auto agent = run(0, kTrain, {{"REPRISE_CHECKPOINT_KEEP", "1"}});
  ASSERT_TRUE(eventually([&] { return has(0, ".reprise/made/4.json"); }));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
  EXPECT_EQ(scene_.termination(2, 0)->step, 240);
  for (const int step : {200, 210, 220, 230, 240}) EXPECT_TRUE(has(0, "step-" + std::to_string(step))) << step;
}

TEST_F(CommonStepTest, nothing_older_goes_for_the_sake_of_a_step_that_a_volume_may_lose) {
  say(0, "reprise.dev/resume-step=\"none\"");
  auto before = run(0, kTrain);
  ASSERT_TRUE(eventually([&] { return has(0, ".reprise/made/4.json"); }));
  before.send(SIGTERM);
  EXPECT_EQ(before.wait(), 143);
  const auto resume = [&](const char* attempt, const std::string& step, int saved) {
    say(0, "reprise.dev/resume-step=\"" + step + "\"");
    const std::string name = "\"$REPRISE_CHECKPOINT_DIR\"/step-" + std::to_string(saved);
    return run(0,
               {"sh", "-c",
                "mkdir " + name + " && echo x >" + name + "/weights && : >" + name + "/_COMPLETE; exec sleep 1000"},
               {{"REPRISE_ATTEMPT", attempt},
                {"REPRISE_POD_UID", std::string("pod-0-") + attempt},
                {"REPRISE_CHECKPOINT_KEEP", "1"}});
  };
  auto unsure = resume("3", "240?", 250);
  ASSERT_TRUE(eventually([&] { return has(0, ".reprise/made/5.json"); }));
  unsure.send(SIGTERM);
  EXPECT_EQ(unsure.wait(), 143);
  for (const int step : {210, 220, 230, 240, 250}) EXPECT_TRUE(has(0, "step-" + std::to_string(step))) << step;
  auto sure = resume("4", "250", 260);
  EXPECT_TRUE(eventually([&] { return !has(0, "step-210") && !has(0, "step-240"); }));
  EXPECT_TRUE(has(0, "step-250") && has(0, "step-260"));
  sure.send(SIGTERM);
  EXPECT_EQ(sure.wait(), 143);
}

// An end that the record calls finished may be the last of a rank whose peers were interrupted.
TEST_F(CommonStepTest, a_rank_that_had_finished_resumes_from_the_common_step_like_the_others) {
  say(0, "reprise.dev/resume-step=\"none\"");
  const std::string save = "mkdir $REPRISE_CHECKPOINT_DIR/step-$at && : >$REPRISE_CHECKPOINT_DIR/step-$at/_COMPLETE";
  auto before = run(0, {"sh", "-c", "for at in 10 20; do " + save + "; done"});
  EXPECT_EQ(before.wait(), 0);
  ASSERT_TRUE(scene_.termination(2, 0)->finished);
  say(0, "reprise.dev/resume-step=\"10\"");
  auto again = run(0, kShow, {{"REPRISE_ATTEMPT", "3"}, {"REPRISE_POD_UID", "pod-3-0"}});
  EXPECT_EQ(again.wait(), 0);
  EXPECT_EQ(scene_.termination(2, 0)->resumed_from, 10);
  EXPECT_TRUE(has(0, ".reprise/ahead/step-20.3/_COMPLETE"));
}

}  // namespace
}  // namespace reprise::agent
