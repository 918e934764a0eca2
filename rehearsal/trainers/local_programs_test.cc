#include "rehearsal/trainers/local_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "agent/testing/temporary_directory.h"
#include "rehearsal/processes/marked_processes.h"

namespace reprise::rehearsal {
namespace {

using agent::testing_support::TemporaryDirectory;
using agent::testing_support::text_in;
using simulator::find;
using simulator::JsonArray;
using simulator::ProgramEnd;
using simulator::set;
using simulator::Value;
using ::testing::HasSubstr;

// A pod of job "a" whose trainer is a shell below the real agent.
class LocalPod : public ::testing::TestWithParam<bool> {
 protected:
  LocalPod() {
    adopt_orphans_of_supervisors();
    recorder_.follow({.key = "ml/a", .volume = claims_.of("ml", "a-checkpoints"), .format = "Auto"});
    pod_ = boost::json::parse(R"pod({
      "metadata": {"name": "a-1-0", "namespace": "ml", "uid": "u1", "annotations": {"reprise.dev/other": "1"},
                   "labels": {"reprise.dev/job": "a", "reprise.dev/attempt": "1",
                              "batch.kubernetes.io/job-completion-index": "0"}},
      "spec": {
        "volumes": [
          {"name": "c", "persistentVolumeClaim": {"claimName": "a-checkpoints"}},
          {"name": "info", "downwardAPI": {"items": [
            {"path": "annotations", "fieldRef": {"fieldPath": "metadata.annotations"}}]}}],
        "containers": [{
          "name": "trainer",
          "command": ["/reprise/reprise-agent", "run", "--", "/bin/sh", "-c"],
          "env": [
            {"name": "REPRISE_JOB_UID", "value": "j1"}, {"name": "REPRISE_POD_UID", "value": "u1"},
            {"name": "REPRISE_ATTEMPT", "value": "1"}, {"name": "JOB_COMPLETION_INDEX", "value": "0"},
            {"name": "REPRISE_CHECKPOINT_DIR", "value": "/no-such-checkpoints"},
            {"name": "REPRISE_CHECKPOINT_GRACE_SECONDS", "value": "3"},
            {"name": "REPRISE_NOTICE_SIGNAL", "value": "SIGUSR1"},
            {"name": "REPRISE_ANNOTATIONS_FILE", "value": "/no-such-info/annotations"}],
          "volumeMounts": [{"name": "c", "mountPath": "/no-such-checkpoints"},
                           {"name": "info", "mountPath": "/no-such-info"}]}]}})pod");
  }

  std::unique_ptr<simulator::Program> start(const std::string& script) {
    if (!programs_) programs_ = programs();  // the processes that it has started need it to the end
    Value& container = find(pod_, {"spec", list_})->as_array()[0];
    set(container, {"args"}, JsonArray{script});
    return programs_->start({.pod = pod_, .container = container, .machine = "m", .on_end = [this](ProgramEnd end) {
                               end_ = std::move(end);
                             }});
  }
  std::unique_ptr<LocalPrograms> programs() {
    const Isolation isolation = GetParam() ? probe_isolation() : Isolation{};
    return std::make_unique<LocalPrograms>(
        cluster_, time_, claims_, recorder_,
        LocalPrograms::Setting{.machine = {.environment = {{"PATH", "/usr/bin:/bin"}},
                                           .directory = "/",
                                           .agent = REPRISE_AGENT_BINARY,
                                           .mounts = isolation.mounts,
                                           .speed = 10,
                                           .mark = directory_.path().string()},
                               .isolation = isolation,
                               .directory = directory_.path() / "pods"});
  }
  bool turn_until(const std::function<bool()>& done) {
    for (int turns = 0; turns < 4'000 && !done(); ++turns) time_.turn(std::chrono::milliseconds(10));
    return done();
  }
  std::string output() const { return text_in(directory_.path() / "pods/ml/a-1-0/trainer.log"); }
  bool says(const std::string& text) {
    return turn_until([&] { return output().find(text) != std::string::npos; });
  }
  const RankFacts& rank() const { return recorder_.facts("ml/a")->attempts.at(0).ranks.at(0); }
  std::size_t left() const { return marked_processes("REPRISE_REHEARSAL=" + directory_.path().string()).size(); }

  TemporaryDirectory directory_;
  simulator::EventLoop loop_;
  runtime::SystemClock clock_;
  RealTime time_{loop_, clock_, 10};
  runtime::SeededRandom random_{1};
  simulator::EventLog log_{loop_};
  simulator::ApiServer api_{loop_, random_};
  simulator::Cluster cluster_{loop_, random_, api_, log_};
  ClaimDirectories claims_{directory_.path() / "claims"};
  Recorder recorder_{time_};
  // Makes the container an initContainer, a plain shell, from now on.
  void prepare() {
    list_ = "initContainers";
    set(pod_, {"spec", list_}, boost::json::parse(R"([{"name": "fetch", "command": ["/bin/sh", "-c"]}])"));
  }
  const std::vector<InitContainerFacts>& init_containers() const { return recorder_.facts("ml/a")->init_containers; }

  const char* list_ = "containers";
  Value pod_;
  std::unique_ptr<LocalPrograms> programs_;
  std::optional<ProgramEnd> end_;
};

TEST_P(LocalPod, a_trainer_that_ends_well_has_finished) {
  const auto program = start("mkdir $REPRISE_CHECKPOINT_DIR/step-3; touch $REPRISE_CHECKPOINT_DIR/step-3/_COMPLETE");
  ASSERT_TRUE(turn_until([&] { return end_.has_value(); }));
  EXPECT_EQ(end_->exit_code, 0);
  const auto record = agent::decode_record(end_->message);
  ASSERT_TRUE(record) << end_->message;
  EXPECT_TRUE(record->finished);
  EXPECT_EQ(record->step, 3);
  EXPECT_LE(*record->checkpoint_time, loop_.wall()) << "in the cluster's time";
  EXPECT_TRUE(rank().finished);
  ASSERT_EQ(recorder_.facts("ml/a")->attempts[0].checkpoints.size(), 1U);
  EXPECT_EQ(left(), 0U);
}

TEST_P(LocalPod, is_asked_to_stop_by_the_real_sequence) {
  const auto program = start(
      "trap 'mkdir $REPRISE_CHECKPOINT_DIR/step-5; touch $REPRISE_CHECKPOINT_DIR/step-5/_COMPLETE' USR1;"
      "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done");
  ASSERT_TRUE(says("ready"));
  program->terminate();
  ASSERT_TRUE(turn_until([&] { return end_.has_value(); }));
  const auto record = agent::decode_record(end_->message);
  ASSERT_TRUE(record) << end_->message;
  EXPECT_TRUE(record->saved);
  EXPECT_TRUE(record->stop_requested);
  EXPECT_EQ(rank().on_term, Disposition::Handled);
  EXPECT_EQ(rank().on_notice, Disposition::Handled);
  EXPECT_FALSE(rank().killed);
}

TEST_P(LocalPod, of_a_gang_is_told_to_stop_later_than_its_kubelet_hears_of_it) {
  auto& env = find(pod_, {"spec", "containers"})->as_array()[0].as_object()["env"].as_array();
  env.push_back(boost::json::parse(R"({"name": "REPRISE_PARALLELISM", "value": "2"})"));
  const auto program = start("trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done");
  ASSERT_TRUE(says("ready"));
  program->terminate();
  EXPECT_FALSE(rank().asked);
  ASSERT_TRUE(turn_until([&] { return rank().asked.has_value(); }));
  EXPECT_FALSE(end_) << "the trainer hears of it no sooner";
  ASSERT_TRUE(turn_until([&] { return end_.has_value(); }));
  EXPECT_FALSE(rank().killed);
}

TEST_P(LocalPod, that_ignores_sigterm_is_seen_through_and_leaves_nothing) {
  const auto program = start("trap '' TERM; (setsid sleep 1000 &) ; echo ready; while :; do sleep 0.01; done");
  ASSERT_TRUE(says("ready"));
  program->terminate();
  ASSERT_TRUE(turn_until([&] { return end_.has_value(); }));
  EXPECT_EQ(end_->exit_code, 137);
  EXPECT_EQ(rank().on_term, Disposition::Ignored);
  EXPECT_TRUE(rank().killed);
  EXPECT_EQ(left(), 0U);
}

TEST_P(LocalPod, goes_with_its_node) {
  auto program = start("echo ready; sleep 1000");
  ASSERT_TRUE(says("ready"));
  program.reset();
  EXPECT_EQ(left(), 0U);
  EXPECT_TRUE(rank().vanished);
  EXPECT_FALSE(end_) << "nobody is called";
}

TEST_P(LocalPod, asks_for_a_checkpoint_when_its_annotation_changes) {
  const auto program = start("trap 'echo asked' USR1; echo ready; while :; do sleep 0.01; done");
  ASSERT_TRUE(says("ready"));
  set(pod_, {"metadata", "annotations", "reprise.dev/checkpoint-request"}, "now");
  program->annotations_changed(pod_);
  EXPECT_TRUE(says("asked"));
}

TEST_P(LocalPod, an_agent_that_is_not_there_ends_the_container) {
  set(find(pod_, {"spec", "containers"})->as_array()[0], {"command"}, JsonArray{"no-such-thing"});
  const auto program = start("");
  ASSERT_TRUE(turn_until([&] { return end_.has_value(); }));
  EXPECT_EQ(end_->exit_code, 127);
  EXPECT_THAT(end_->message, HasSubstr("no-such-thing"));
}

TEST_P(LocalPod, tells_which_initcontainer_failed_and_how) {
  prepare();
  const auto program = start("echo fetching; echo no such bucket >&2; exit 7");
  ASSERT_EQ(init_containers().size(), 1U) << "it runs";
  EXPECT_FALSE(init_containers()[0].exit_code);
  ASSERT_TRUE(turn_until([&] { return end_.has_value(); }));
  ASSERT_EQ(init_containers().size(), 1U);
  EXPECT_EQ(init_containers()[0].name, "fetch");
  EXPECT_EQ(init_containers()[0].exit_code, 7);
  EXPECT_EQ(init_containers()[0].last_output, "fetching | no such bucket");
  EXPECT_EQ(recorder_.facts("ml/a")->attempts.size(), 0U);
}

TEST_P(LocalPod, an_initcontainer_that_ends_well_or_with_its_pod_is_no_news) {
  prepare();
  const auto well = start("exit 0");
  ASSERT_TRUE(turn_until([&] { return end_.has_value(); }));
  EXPECT_TRUE(init_containers().empty());
  auto stopped = start("sleep 1000");
  EXPECT_EQ(init_containers().size(), 1U);
  stopped->terminate();
  stopped.reset();
  EXPECT_TRUE(init_containers().empty());
}

TEST_P(LocalPod, an_initcontainer_that_is_not_there_is_named) {
  prepare();
  set(find(pod_, {"spec", list_})->as_array()[0], {"command"}, JsonArray{"no-such-thing"});
  const auto program = start("");
  ASSERT_TRUE(turn_until([&] { return end_.has_value(); }));
  ASSERT_EQ(init_containers().size(), 1U);
  EXPECT_EQ(init_containers()[0].exit_code, 127);
  EXPECT_THAT(init_containers()[0].message, HasSubstr("no-such-thing"));
}

TEST_P(LocalPod, that_cannot_start_where_it_should_says_so) {
  set(find(pod_, {"spec", "containers"})->as_array()[0], {"workingDir"}, "/no/such/dir");
  const auto program = start("");
  ASSERT_TRUE(turn_until([&] { return end_.has_value(); }));
  EXPECT_EQ(rank().reason, "CannotStart");
  EXPECT_THAT(rank().message, HasSubstr("/no/such/dir"));
}

INSTANTIATE_TEST_SUITE_P(on_this_machine, LocalPod, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "isolated" : "plain"; });

}  // namespace
}  // namespace reprise::rehearsal
