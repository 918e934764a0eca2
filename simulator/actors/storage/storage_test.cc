#include <gtest/gtest.h>

#include <map>
#include <string>

#include "simulator/actors/testing/ranks.h"

namespace reprise::simulator::testing {
namespace {

struct TwoNodes : Scene {
  TwoNodes() {
    node("one", 8);
    node("two", 8);
  }
  bool runs(const std::string& name, Duration within = minutes(3)) {
    return becomes(within, [&] { return phase_of(name) == "Running"; });
  }
  ObjectPtr pod_on(const std::string& name, const std::string& where, const std::string& claim_name) {
    return pod(name, R"("nodeName":")" + where + R"(",)" + with_claim(claim_name));
  }
  [[nodiscard]] ObjectPtr get_claim(const std::string& name) const { return api.get({kinds.claims, "default", name}); }
};

TEST(Storage, a_claim_that_waits_for_its_consumer_stays_unbound_until_there_is_one) {
  TwoNodes scene;
  scene.claim("data");
  scene.run(minutes(5));
  EXPECT_EQ(text(*scene.get_claim("data"), {"status", "phase"}), "Pending");
  scene.pod("a", Scene::with_claim("data"));
  ASSERT_TRUE(scene.runs("a"));
  EXPECT_EQ(text(*scene.get_claim("data"), {"status", "phase"}), "Bound");
  EXPECT_EQ(disk_of(scene).zone, "us-west-2a");
}

TEST(Storage, a_share_is_bound_at_once_and_known_in_every_zone) {
  TwoNodes scene;
  scene.claim("data", "share", "ReadWriteMany");
  scene.run(seconds(2));
  EXPECT_EQ(text(*scene.get_claim("data"), {"status", "phase"}), "Bound");
  EXPECT_EQ(disk_of(scene).zone, "");
}

TEST(Storage, a_volume_for_one_machine_is_not_mounted_on_a_second) {
  TwoNodes scene;
  scene.claim("data");
  scene.pod("a", Scene::with_claim("data"));
  ASSERT_TRUE(scene.runs("a"));
  const std::string other = scene.node_of("a") == "one" ? "two" : "one";
  scene.pod_on("b", other, "data");
  scene.run(minutes(10));
  EXPECT_EQ(scene.phase_of("b"), "Pending");
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "a"}));
  EXPECT_TRUE(scene.runs("b"));
}

// A pod that runs with an attached volume.
struct Attached : TwoNodes {
  Attached() {
    claim("data");
    pod("a", with_claim("data"));
    EXPECT_TRUE(runs("a"));
    node = node_of("a");
    volume = actors->volume_of("default", "data");
  }
  // nullptr: there is none.
  [[nodiscard]] ObjectPtr attachment() const {
    const auto all = api.list(kinds.volume_attachments);
    return all.empty() ? nullptr : all.front();
  }
  [[nodiscard]] bool being_detached() const { return attachment() && being_deleted(*attachment()); }
  std::string node, volume;
};

TEST(Storage, an_attachment_is_shown_before_it_is_made) {
  TwoNodes scene;
  scene.claim("data");
  scene.pod("a", Scene::with_claim("data"));
  const auto attachments = [&] { return scene.api.list(scene.kinds.volume_attachments); };
  ASSERT_TRUE(scene.becomes(minutes(1), [&] { return !attachments().empty(); }));
  EXPECT_FALSE(flag(*attachments().front(), {"status", "attached"}));
  scene.run(Volumes::kAttach);
  EXPECT_TRUE(flag(*attachments().front(), {"status", "attached"}));
  EXPECT_EQ(scene.phase_of("a"), "Pending");
}

TEST(Storage, an_attachment_says_what_is_attached_where_and_by_whom) {
  Attached scene;
  const ObjectPtr attachment = scene.attachment();
  ASSERT_TRUE(attachment);
  EXPECT_EQ(text(*attachment, {"spec", "nodeName"}), scene.node);
  EXPECT_EQ(text(*attachment, {"spec", "source", "persistentVolumeName"}), scene.volume);
  EXPECT_EQ(text(*attachment, {"spec", "attacher"}), "block");
  EXPECT_EQ(array(*attachment, {"metadata", "finalizers"}), JsonArray{"external-attacher/block"});
  EXPECT_EQ(VolumeAttachments::finalizer("ebs.csi.aws.com"), "external-attacher/ebs-csi-aws-com");
}

// An object with another's uid ends the other's dependents with itself.
TEST(Storage, an_attachment_has_a_uid_of_its_own) {
  Attached scene;
  ASSERT_TRUE(scene.attachment());
  std::map<std::string, std::string> names;
  for (const ObjectChange& change : scene.api.changes_after(0)) {
    const std::string name(name_of(*change.object));
    EXPECT_EQ(names.emplace(uid_of(*change.object), name).first->second, name);
  }
}

TEST(Storage, an_attachment_goes_when_its_volume_is_detached) {
  Attached scene;
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "a"}));
  ASSERT_TRUE(scene.becomes(minutes(1), [&] { return scene.being_detached(); }));
  scene.run(Volumes::kDetach - Duration{1});
  EXPECT_TRUE(scene.being_detached());
  scene.run(Duration{1});
  EXPECT_FALSE(scene.attachment());
}

TEST(Storage, a_share_is_not_attached) {
  TwoNodes scene;
  scene.claim("data", "share", "ReadWriteMany");
  scene.pod("a", Scene::with_claim("data"));
  ASSERT_TRUE(scene.runs("a"));
  EXPECT_TRUE(scene.api.list(scene.kinds.volume_attachments).empty());
}

TEST(Storage, the_volume_of_a_node_that_is_gone_is_taken_six_minutes_after_its_pod) {
  Attached scene;
  scene.actors->power_loss(scene.node);
  scene.actors->delete_node_object(scene.node);
  ASSERT_TRUE(scene.becomes(minutes(2), [&] { return !scene.find_pod("a"); }));
  scene.run(Volumes::kForceDetach - Duration{1});
  EXPECT_TRUE(scene.attachment() && !scene.being_detached());
  scene.run(Duration{1});
  EXPECT_TRUE(scene.being_detached());
  scene.run(Volumes::kDetach);
  EXPECT_FALSE(scene.attachment());
}

TEST(Storage, the_volume_of_a_node_out_of_service_is_taken_at_once) {
  Attached scene;
  scene.actors->power_loss(scene.node);
  scene.actors->force_delete_pod("default", "a");
  scene.run(minutes(1));
  EXPECT_TRUE(scene.attachment() && !scene.being_detached());
  scene.actors->out_of_service(scene.node);
  scene.run(AttachDetach::kLatency + Volumes::kDetach);
  EXPECT_FALSE(scene.attachment());
}

TEST(Storage, what_runs_on_a_silent_machine_keeps_its_volume_until_it_runs_no_more) {
  Attached scene;
  scene.actors->silence(scene.node);
  scene.actors->force_delete_pod("default", "a");
  scene.run(minutes(30));
  EXPECT_TRUE(scene.attachment() && !scene.being_detached());
  scene.actors->power_loss(scene.node);
  scene.run(AttachDetach::kLatency + Volumes::kDetach);
  EXPECT_FALSE(scene.attachment());
}

TEST(Storage, a_machine_that_booted_again_has_nothing_mounted_of_the_boot_before) {
  Attached scene;
  scene.actors->reboot(scene.node);
  EXPECT_TRUE(scene.becomes(minutes(2), [&] { return !scene.attachment(); }));
  EXPECT_EQ(scene.phase_of("a"), "Failed");
}

TEST(Storage, a_volume_is_deleted_when_it_is_detached) {
  Attached scene;
  static_cast<void>(scene.api.remove({scene.kinds.claims, "default", "data"}));
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "a"}));
  ASSERT_TRUE(scene.becomes(minutes(1), [&] { return !scene.get_claim("data"); }));
  scene.run(seconds(1));
  ASSERT_TRUE(scene.attachment());
  EXPECT_TRUE(scene.api.get({scene.kinds.volumes, "", scene.volume}));
  scene.run(Volumes::kDetach);
  EXPECT_FALSE(scene.attachment());
  EXPECT_FALSE(scene.api.get({scene.kinds.volumes, "", scene.volume}));
  EXPECT_EQ(scene.actors->volumes.disk(scene.volume), nullptr);
}

TEST(Storage, a_volume_of_a_machine_without_power_is_taken_after_six_minutes) {
  TwoNodes scene;
  scene.claim("data");
  scene.pod("a", Scene::with_claim("data"));
  ASSERT_TRUE(scene.runs("a"));
  const std::string first = scene.node_of("a");
  const std::string other = first == "one" ? "two" : "one";
  scene.actors->power_loss(first);
  scene.actors->force_delete_pod("default", "a");
  scene.pod_on("b", other, "data");
  scene.run(seconds(350));
  EXPECT_EQ(scene.phase_of("b"), "Pending");
  EXPECT_TRUE(scene.runs("b"));
}

TEST(Storage, a_claim_in_use_is_kept_and_its_volume_goes_with_it) {
  TwoNodes scene;
  scene.claim("data");
  scene.pod("a", Scene::with_claim("data"));
  ASSERT_TRUE(scene.runs("a"));
  const std::string volume = scene.actors->volume_of("default", "data");
  static_cast<void>(scene.api.remove({scene.kinds.claims, "default", "data"}));
  scene.run(minutes(1));
  ASSERT_NE(scene.get_claim("data"), nullptr);
  EXPECT_NE(scene.actors->volumes.disk(volume), nullptr);
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "a"}));
  scene.run(minutes(1));
  EXPECT_EQ(scene.get_claim("data"), nullptr);
  EXPECT_EQ(scene.actors->volumes.disk(volume), nullptr);
}

TEST(Storage, power_loss_takes_a_checkpoint_that_was_not_synced) {
  TwoNodes scene;
  scene.claim("data");
  start(scene, {});
  ASSERT_TRUE(scene.becomes(minutes(20), [&] {
    const Disk* disk = scene.actors->volumes.disk(scene.actors->volume_of("default", "data"));
    return disk != nullptr && disk->newest_complete().has_value();
  }));
  scene.actors->power_loss(scene.node_of("fit-1-0"));
  EXPECT_FALSE(disk_of(scene).newest_complete());
}

TEST(Storage, a_volume_that_does_not_answer_holds_a_start_up_until_it_does) {
  TwoNodes scene;
  scene.claim("data", "share", "ReadWriteMany");
  scene.run(seconds(2));
  scene.actors->stick_volume(scene.actors->volume_of("default", "data"));
  start(scene, {});
  scene.run(minutes(10));
  EXPECT_TRUE(disk_of(scene).writers.empty());
  scene.actors->stick_volume(scene.actors->volume_of("default", "data"), false);
  scene.run(seconds(5));
  EXPECT_EQ(disk_of(scene).writers.size(), 1U);
}

TEST(Storage, whatever_could_change_a_disk_counts_as_a_touch) {
  TwoNodes scene;
  Volumes& volumes = scene.actors->volumes;
  struct Row {
    std::string sentence;
    std::function<void()> change;
  };
  const Row rows[] = {{"it is made", [&] { volumes.make("v", "", true); }},
                      {"somebody gets hold of it", [&] { static_cast<void>(volumes.disk("v")); }},
                      {"heartbeats are held up", [&] { volumes.stick("v", true); }},
                      {"heartbeats go on", [&] { volumes.stick("v", false); }},
                      {"another takes its place", [&] { volumes.swap("v", {}); }},
                      {"it is emptied", [&] { volumes.empty("v"); }},
                      {"a machine loses power", [&] { volumes.lose_power("one"); }},
                      {"it is removed", [&] { volumes.remove("v"); }}};
  for (const Row& row : rows) {
    const std::uint64_t before = volumes.touches();
    row.change();
    EXPECT_GT(volumes.touches(), before) << row.sentence;
  }
}

}  // namespace
}  // namespace reprise::simulator::testing
