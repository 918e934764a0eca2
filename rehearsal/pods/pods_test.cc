#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "rehearsal/pods/checkpoint_place.h"
#include "rehearsal/pods/container_plan.h"

namespace reprise::rehearsal {
namespace {

using simulator::set;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const char* const kPod = R"pod({
  "metadata": {"name": "a-1-0", "namespace": "ml", "uid": "u1", "labels": {"team": "x"},
               "annotations": {"b": "two \"words\"", "a": "1"}},
  "spec": {
    "volumes": [
      {"name": "reprise-agent", "emptyDir": {}},
      {"name": "reprise-checkpoints", "persistentVolumeClaim": {"claimName": "a-checkpoints"}},
      {"name": "reprise-podinfo",
       "downwardAPI": {"items": [{"path": "annotations", "fieldRef": {"fieldPath": "metadata.annotations"}}]}},
      {"name": "shm", "emptyDir": {"medium": "Memory"}},
      {"name": "keys", "secret": {"secretName": "k"}}],
    "containers": [{
      "name": "trainer",
      "command": ["/reprise/reprise-agent", "run", "--", "python", "train.py"],
      "args": ["--dir", "$(REPRISE_CHECKPOINT_DIR)", "--at", "$(REPRISE_COORDINATOR)", "$$HOME", "$(UNKNOWN)"],
      "env": [
        {"name": "REPRISE_JOB_UID", "value": "j1"},
        {"name": "REPRISE_POD_UID", "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}}},
        {"name": "TEAM", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['team']"}}},
        {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "k", "key": "t"}}},
        {"name": "OTHER", "valueFrom": {"secretKeyRef": {"name": "k", "key": "o"}}},
        {"name": "REPRISE_CHECKPOINT_DIR", "value": "/checkpoints"},
        {"name": "REPRISE_CHECKPOINT_GRACE_SECONDS", "value": "110"},
        {"name": "REPRISE_CHECKPOINT_PERIOD_SECONDS", "value": "600"},
        {"name": "REPRISE_ANNOTATIONS_FILE", "value": "/reprise-podinfo/annotations"},
        {"name": "REPRISE_NOTICE_FILE", "value": "/var/run/notice"},
        {"name": "REPRISE_COORDINATOR", "value": "a-1-0.a-rj.ml.svc:29500"},
        {"name": "PET_MASTER_ADDR", "value": "a-1-0.a-rj.ml.svc"},
        {"name": "PET_MASTER_PORT", "value": "29500"}],
      "volumeMounts": [
        {"name": "reprise-agent", "mountPath": "/reprise"},
        {"name": "reprise-checkpoints", "mountPath": "/checkpoints/"},
        {"name": "reprise-podinfo", "mountPath": "/reprise-podinfo", "readOnly": true},
        {"name": "shm", "mountPath": "/dev/shm"},
        {"name": "keys", "mountPath": "/keys"}]}],
    "initContainers": [
      {"name": "reprise-agent-install", "command": ["/reprise-agent", "install", "/reprise"]}]}})pod";

class Plan : public ::testing::Test {
 protected:
  ContainerPlan of(const char* list) const {
    return plan_container(pod_, simulator::array(pod_, {"spec", list})[0], machine_, places_);
  }
  ContainerPlan trainer() const { return of("containers"); }

  simulator::Value pod_ = boost::json::parse(kPod);
  LocalMachine machine_{.environment = {{"PATH", "/bin"}, {"TOKEN", "mine"}, {"REPRISE_STRAY", "1"}},
                        .directory = "/home/me",
                        .agent = "/build/reprise-agent",
                        .mounts = true,
                        .speed = 10,
                        .mark = "/rehearsal"};
  PodPlaces places_{.directory = "/rehearsal/pods/a-1-0",
                    .claim = [](const std::string& name) { return "/rehearsal/claims/" + name; },
                    .coordinator_port = 4711};
};

TEST_F(Plan, runs_the_command_below_the_real_agent_where_the_person_is) {
  const ContainerCommand command = trainer().command;
  EXPECT_THAT(command.words, ElementsAre("/build/reprise-agent", "run", "--", "python", "train.py", "--dir",
                                         "/checkpoints", "--at", "127.0.0.1:4711", "$HOME", "$(UNKNOWN)"));
  EXPECT_EQ(command.directory, "/home/me");
}

TEST_F(Plan, mounts_volumes_where_the_pod_wants_them) {
  const auto mounts = trainer().command.mounts;
  ASSERT_EQ(mounts.size(), 4U) << "shared memory stays the machine's";
  EXPECT_EQ(mounts[1], (Mount{.source = "/rehearsal/claims/a-checkpoints", .at = "/checkpoints/"}));
  EXPECT_EQ(
      mounts[2],
      (Mount{.source = "/rehearsal/pods/a-1-0/volumes/reprise-podinfo", .at = "/reprise-podinfo", .read_only = true}));
}

TEST_F(Plan, names_the_directories_where_mounts_are_not_allowed) {
  machine_.mounts = false;
  const ContainerCommand command = trainer().command;
  EXPECT_THAT(command.mounts, IsEmpty());
  EXPECT_THAT(command.environment, Contains(Pair("REPRISE_CHECKPOINT_DIR", "/rehearsal/claims/a-checkpoints")));
  EXPECT_THAT(command.environment,
              Contains(Pair("REPRISE_ANNOTATIONS_FILE", "/rehearsal/pods/a-1-0/volumes/reprise-podinfo/annotations")));
  EXPECT_THAT(command.words, Contains("/rehearsal/claims/a-checkpoints"));
}

TEST_F(Plan, a_path_that_is_used_as_it_stands_is_not_mounted) {
  places_.claim = [](const std::string&) { return "/checkpoints/"; };
  for (const Mount& mount : trainer().command.mounts) EXPECT_NE(mount.at, "/checkpoints/");
}

TEST_F(Plan, environment_is_the_persons_then_the_pods) {
  const auto environment = trainer().command.environment;
  EXPECT_THAT(environment, Contains(Pair("PATH", "/bin")));
  EXPECT_THAT(environment, Contains(Pair("REPRISE_POD_UID", "u1")));
  EXPECT_THAT(environment, Contains(Pair("TEAM", "x")));
  EXPECT_THAT(environment, Contains(Pair("TOKEN", "mine"))) << "secrets are taken from the person";
  EXPECT_THAT(environment, Contains(Pair("REPRISE_REHEARSAL", "/rehearsal")));
  EXPECT_EQ(value_of(environment, "REPRISE_STRAY"), nullptr);
}

TEST_F(Plan, times_are_scaled_to_the_speed_but_for_the_grace) {
  const auto environment = trainer().command.environment;
  EXPECT_THAT(environment, Contains(Pair("REPRISE_CHECKPOINT_GRACE_SECONDS", "110")))
      << "a save has the time that it has in the cloud";
  EXPECT_THAT(environment, Contains(Pair("REPRISE_HEARTBEAT_SECONDS", "0.500")));
  EXPECT_THAT(environment, Contains(Pair("REPRISE_CHECKPOINT_PERIOD_SECONDS", "60")));
}

TEST_F(Plan, ranks_meet_on_this_machine) {
  const auto environment = trainer().command.environment;
  EXPECT_THAT(environment, Contains(Pair("PET_MASTER_ADDR", "127.0.0.1")));
  EXPECT_THAT(environment, Contains(Pair("PET_MASTER_PORT", "4711")));
  EXPECT_THAT(environment, Contains(Pair("REPRISE_COORDINATOR", "127.0.0.1:4711")));
}

TEST_F(Plan, a_notice_file_outside_of_all_volumes_is_private) {
  EXPECT_THAT(trainer().command.environment,
              Contains(Pair("REPRISE_NOTICE_FILE", "/rehearsal/pods/a-1-0/notice/notice")));
}

TEST_F(Plan, shows_annotations_as_the_downward_api_does) {
  const auto plan = trainer();
  EXPECT_EQ(plan.annotations_file, "/rehearsal/pods/a-1-0/volumes/reprise-podinfo/annotations");
  EXPECT_THAT(plan.files, Contains(Pair(plan.annotations_file, "a=\"1\"\nb=\"two \\\"words\\\"\"\n")));
}

TEST_F(Plan, says_what_is_missing) {
  EXPECT_THAT(trainer().notes, ElementsAre(HasSubstr("volume keys is an empty directory"),
                                           HasSubstr("environment variable OTHER is not set")));
}

TEST_F(Plan, the_agent_need_not_be_installed_and_standby_pods_wait) {
  EXPECT_EQ(of("initContainers").kind, ContainerPlan::Kind::Nothing);
  set(pod_, {"spec", "initContainers"},
      boost::json::parse(R"([{"name": "trainer", "command": ["/reprise/reprise-agent", "pause"]}])"));
  EXPECT_EQ(of("initContainers").kind, ContainerPlan::Kind::Pause);
}

TEST_F(Plan, an_initcontainer_whose_command_is_in_its_image_keeps_nobody_waiting) {
  set(pod_, {"spec", "initContainers"}, boost::json::parse(R"([{"name": "fetch", "image": "i"}])"));
  const ContainerPlan plan = of("initContainers");
  EXPECT_EQ(plan.kind, ContainerPlan::Kind::Nothing);
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("initContainer fetch is not run")));
  EXPECT_FALSE(trainer().prepares);
  set(pod_, {"spec", "initContainers"},
      boost::json::parse(R"([{"name": "side", "image": "i", "restartPolicy": "Always"}])"));
  EXPECT_EQ(of("initContainers").kind, ContainerPlan::Kind::Pause) << "a sidecar stays";
}

TEST(CheckpointPlace, what_is_there_is_never_touched) {
  struct Row {
    std::string sentence;
    CheckpointPlaceFacts facts;
    CheckpointPlace want;
  };
  const Row rows[] = {
      {"an empty directory", {true, true, true, true, true}, CheckpointPlace::AsItStands},
      {"an empty directory without the right to mount", {true, true, true, false, true}, CheckpointPlace::AsItStands},
      {"checkpoints of a real run", {true, true, false, true, true}, CheckpointPlace::Mounted},
      {"checkpoints of a real run, no mounts", {true, true, false, false, true}, CheckpointPlace::Nowhere},
      {"those that are only closed above, no mounts", {true, false, false, false, true}, CheckpointPlace::Nowhere},
      {"empty, but wanted twice, no mounts", {true, true, true, false, false}, CheckpointPlace::Named},
      {"not there", {false, false, false, true, true}, CheckpointPlace::Mounted},
      {"not there, no mounts", {false, false, false, false, true}, CheckpointPlace::Named},
      {"not writable", {true, false, true, true, true}, CheckpointPlace::Mounted},
      {"a volume for each rank", {true, true, true, true, false}, CheckpointPlace::Mounted}};
  for (const Row& row : rows) {
    EXPECT_EQ(choose_place(row.facts), row.want) << row.sentence;
    EXPECT_THAT(explain(row.want, row.facts, "/checkpoints", "/rehearsal/c"), HasSubstr("/checkpoints"))
        << row.sentence;
  }
}

}  // namespace
}  // namespace reprise::rehearsal
