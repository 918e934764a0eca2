// A mount that does not do as a disk does: on a directory of the test's own that plays such a mount.
#include "agent/volume/posix_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/fencing/fence.h"
#include "agent/core/fencing/writers.h"
#include "agent/core/heartbeats/heartbeat_writer.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing_support::put_text;
using testing_support::text_in;

const MountKind kMountpoint{.type = "fuse.mountpoint-s3",
                            .proof = DurabilityProof::Reopen,
                            .fuse = true,
                            .object_store = true,
                            .new_names = true};
const MountKind kGcsfuse{
    .type = "fuse.gcsfuse", .proof = DurabilityProof::Close, .fuse = true, .object_store = true, .new_names = false};
const MountKind kUnknownFuse{.type = "fuse.s3fs", .fuse = true, .object_store = true};

class PosixFilesTest : public testing_support::VolumeTest {
 protected:
  [[nodiscard]] const VolumeFiles& files() const { return volume_->files; }
  [[nodiscard]] Durability durability(const std::string& checkpoint) const {
    return files().sync_volume(root(), root() / checkpoint).value();
  }
  void hold(const std::string& file) const { calls_->open = OpenFiles{.paths = {file}}; }
};

// ---- files that somebody writes

TEST_F(PosixFilesTest, on_a_mount_by_fuse_a_file_that_somebody_writes_is_not_there_yet) {
  put_text(root() / "step-5" / "weights", "half");
  for (const MountKind& mount : {kMountpoint, kGcsfuse, kUnknownFuse}) {
    const auto volume = posix_volume(root(), nullptr, [&] {
      auto calls = std::make_shared<testing_support::FakeCalls>();
      calls->mount = mount;
      calls->open = OpenFiles{.paths = {"step-5/weights"}};
      return calls;
    }());
    EXPECT_FALSE(volume->files.read(root() / "step-5" / "weights").value()) << mount.type;
    const auto range = volume->files.read_range(root() / "step-5" / "weights", 0, 2);
    ASSERT_FALSE(range) << mount.type;
    EXPECT_EQ(range.error().error_class, runtime::ErrorClass::NotFound);
  }
}

TEST_F(PosixFilesTest, a_text_is_read_whole_or_is_an_error) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{65'536}, std::size_t{65'537}, VolumeFiles::kMostText}) {
    put_text(root() / "text", std::string(size, 'x'));
    EXPECT_EQ(files().read(root() / "text").value()->size(), size);
  }
  put_text(root() / "text", std::string(VolumeFiles::kMostText + 1, 'x'));
  const auto read = files().read(root() / "text");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().error_class, runtime::ErrorClass::Invalid);
  EXPECT_FALSE(files().read_all({root() / "text"}, [](std::size_t, const auto&) { FAIL(); }));
}

TEST_F(PosixFilesTest, on_any_other_nobody_looks_who_writes) {
  put_text(root() / "step-5" / "weights", "half");
  hold("step-5/weights");
  EXPECT_EQ(files().read(root() / "step-5" / "weights").value(), "half");
  EXPECT_EQ(durability("step-5"), Durability::Proven);
  EXPECT_EQ(calls_->looks_for_writers, 0);
}

TEST_F(PosixFilesTest, the_agent_s_own_files_are_read_without_such_a_look) {
  calls_->mount = kGcsfuse;
  put_text(root() / ".reprise" / "fence.json", "{}");
  EXPECT_TRUE(files().read(root() / ".reprise" / "fence.json").value());
  EXPECT_EQ(calls_->looks_for_writers, 0);
}

// ---- durability

TEST_F(PosixFilesTest, a_checkpoint_on_an_object_store_is_durable_once_nobody_holds_it_and_its_files_open) {
  for (const MountKind& mount : {kMountpoint, kGcsfuse}) {
    calls_->mount = mount;
    checkpoint("step-5");
    put_text(root() / "model-6.ckpt", "weights");
    calls_->open = OpenFiles{};
    EXPECT_EQ(durability("step-5"), Durability::Proven) << mount.type;
    EXPECT_EQ(durability("model-6.ckpt"), Durability::Proven) << mount.type;
    hold("step-50/weights");
    EXPECT_EQ(durability("step-5"), Durability::Proven) << mount.type;
    hold("step-5/deep/weights");
    EXPECT_EQ(durability("step-5"), Durability::NotYet) << mount.type;
    calls_->open = OpenFiles{.paths = {}, .unknown = true};
    EXPECT_EQ(durability("step-5"), Durability::NotYet) << mount.type << ", and who holds it is not known";
    calls_->open = OpenFiles{};
    EXPECT_EQ(durability("step-7"), Durability::NotYet) << mount.type << ", and it has gone";
  }
}

TEST_F(PosixFilesTest, on_a_mount_of_which_nothing_is_known_nothing_is_durable) {
  checkpoint("step-5");
  calls_->open = OpenFiles{};
  for (const MountKind& mount : {kUnknownFuse, MountKind{}}) {
    calls_->mount = mount;
    EXPECT_EQ(durability("step-5"), Durability::Unproven) << mount.type;
  }
}

TEST_F(PosixFilesTest, no_proof_hides_that_syncfs_failed) {
  checkpoint("step-5");
  calls_->mount = kGcsfuse;
  calls_->open = OpenFiles{};
  calls_->sync_problem = EIO;
  EXPECT_FALSE(files().sync_volume(root(), root() / "step-5"));
}

// ---- the agent's own files where nothing may be written twice

class WrittenOnce : public PosixFilesTest {
 protected:
  WrittenOnce() {
    calls_->mount = kMountpoint;
    calls_->overwrites = false;
    calls_->rename_problem = calls_->unlink_problem = EPERM;
  }
  [[nodiscard]] VolumeLayout layout() const { return volume_->layout; }
};

TEST_F(WrittenOnce, a_file_has_its_newest_text_however_often_it_was_written) {
  for (int i = 1; i <= 40; ++i) {
    ASSERT_TRUE(files().write(layout().fence(), std::to_string(i), Sync::Yes)) << i;
    EXPECT_EQ(files().read(layout().fence()).value(), std::to_string(i));
  }
  EXPECT_EQ(text_in(layout().fence()), "1") << "nothing was written again";
  // An agent that has seen none of it, as the next attempt's agent.
  auto calls = std::make_shared<testing_support::FakeCalls>();
  calls->mount = kMountpoint;
  const auto other = posix_volume(root(), nullptr, std::move(calls));
  EXPECT_EQ(other->files.read(layout().fence()).value(), "40");
  EXPECT_FALSE(other->files.read(layout().record(1, 0)).value());
}

TEST_F(WrittenOnce, what_may_be_written_again_is) {
  ASSERT_TRUE(files().write(layout().fence(), "1", Sync::Yes));
  ASSERT_TRUE(files().write(layout().fence(), "2", Sync::Yes));
  calls_->overwrites = true;
  ASSERT_TRUE(files().write(layout().fence(), "3", Sync::Yes));
  EXPECT_EQ(files().read(layout().fence()).value(), "3");
  EXPECT_FALSE(exists(".reprise/fence.json.2")) << "the last of them takes it";
}

TEST_F(WrittenOnce, a_newer_fence_is_seen_and_a_writer_s_heartbeat_moves) {
  Identity older = self_;
  older.attempt = 1;
  older.pod_uid = "older";
  ASSERT_TRUE(raise_fence(files(), layout(), older));
  HeartbeatWriter writer(files(), layout(), older, std::chrono::seconds(60));
  writer.own_fence_raised();
  ASSERT_THAT(writer.next().fenced, IsEmpty());
  WriterSearch search(files(), layout(), self_);
  const auto look = [&] { return search.look([] { return runtime::Instant(); }).value(); };
  const auto first = look();
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_THAT(writer.next().problem, IsEmpty());
  const auto second = look();
  ASSERT_THAT(second, SizeIs(1)) << "each version is the same writer's";
  EXPECT_NE(second[0].text, first[0].text);
  ASSERT_TRUE(raise_fence(files(), layout(), self_));
  EXPECT_THAT(writer.next().fenced, testing::HasSubstr("attempt 2"));
}

TEST_F(WrittenOnce, a_trainer_s_file_is_no_version_of_another) {
  put_text(root() / "log", "old");
  put_text(root() / "log.1", "rotated");
  EXPECT_EQ(files().read(root() / "log").value(), "old");
}

// ---- the probe

class Probe : public PosixFilesTest {
 protected:
  VolumeAbilities probe(int number = 1) const {
    return files().probe(volume_->layout.probe(), "2-0-pod-" + std::to_string(number));
  }
};

TEST_F(Probe, finds_out_what_can_be_done_and_leaves_nothing_behind) {
  EXPECT_EQ(probe(), (VolumeAbilities{.rename = true, .overwrite = true, .remove = true}));
  EXPECT_FALSE(exists(".reprise/probe"));
}

TEST_F(Probe, names_what_is_refused) {
  calls_->rename_problem = EPERM;
  EXPECT_EQ(probe(), (VolumeAbilities{.rename = false, .overwrite = true, .remove = true}));
  calls_->overwrites = false;
  EXPECT_EQ(probe(), (VolumeAbilities{.rename = false, .overwrite = false, .remove = true}));
  calls_->unlink_problem = ENOSYS;
  EXPECT_EQ(probe(), (VolumeAbilities{.rename = false, .overwrite = false, .remove = false}));
}

TEST_F(Probe, says_nothing_of_what_a_failing_volume_did_not_do) {
  calls_->rename_problem = EIO;
  EXPECT_EQ(probe(), (VolumeAbilities{.rename = std::nullopt, .overwrite = true, .remove = true}));
  std::filesystem::create_directories(root() / ".reprise");
  put_text(root() / ".reprise/probe", "no directory can be made here");
  EXPECT_EQ(probe(), VolumeAbilities{});
}

TEST_F(Probe, leaves_a_bounded_number_of_files_where_nothing_can_be_deleted) {
  calls_->rename_problem = calls_->unlink_problem = EPERM;
  calls_->overwrites = false;
  for (int i = 0; i < 30; ++i)
    EXPECT_EQ(probe(i), (VolumeAbilities{.rename = false, .overwrite = false, .remove = false})) << i;
  EXPECT_THAT(files().list(volume_->layout.probe()).value(), SizeIs(8));
  calls_->unlink_problem = 0;
  EXPECT_EQ(probe(99).remove, true);
  EXPECT_FALSE(exists(".reprise/probe")) << "once they can be deleted they go";
}

TEST_F(Probe, removes_what_one_that_was_killed_has_left) {
  put_text(volume_->layout.probe() / "1-0-former-1", "first");
  EXPECT_EQ(probe().remove, true);
  EXPECT_FALSE(exists(".reprise/probe"));
}

TEST_F(PosixFilesTest, reads_a_file_through_to_its_end_in_order) {
  std::string text;
  for (int i = 0; text.size() < 3 * VolumeFiles::kPiece + 5; ++i) text += std::to_string(i) + ",";
  put_text(root() / "weights", text);
  for (const auto& [offset, length] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, text.size()},
                                                                                           {0, text.size() + 7},
                                                                                           {3, VolumeFiles::kPiece},
                                                                                           {1000, text.size() - 2000},
                                                                                           {text.size(), 1}}) {
    std::string got;
    const auto count =
        files().read_through(root() / "weights", offset, length, [&](std::string_view bytes) { got += bytes; });
    EXPECT_EQ(count.value(), got.size());
    EXPECT_TRUE(got == text.substr(offset, length)) << offset << " " << length;
  }
  for (const std::uint64_t length : {VolumeFiles::kPiece, 2 * VolumeFiles::kPiece})
    EXPECT_EQ(files().read_through(root() / "gone", 0, length, [](std::string_view) {}).error().error_class,
              runtime::ErrorClass::NotFound);
}

}  // namespace
}  // namespace reprise::agent
