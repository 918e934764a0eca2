// Lists that a rank with a volume of its own makes of checkpoints that it could resume from.
#include "agent/core/aside/list_checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <utility>

#include "agent/core/aside/set_aside.h"
#include "agent/core/restore/common_name.h"
#include "agent/core/restore/resume_point.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/testing/layout_format_test.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::int64_t> listed_steps(const Volume& volume, const Environment& env, const Identity& self) {
  const auto listed = list_checkpoints(volume, env, self, UnreadOlder::IsAnError);
  EXPECT_TRUE(listed);
  std::vector<std::int64_t> steps;
  for (const protocol::ListedCheckpoint& each : listed->checkpoints) steps.push_back(each.step);
  return steps;
}

class ListCheckpoints : public testing_support::VolumeTest {
 protected:
  ListCheckpoints() {
    env_.parallelism = 2;
    env_.access = VolumeAccess::PerIndex;
    self_.index = 1;
  }

  [[nodiscard]] std::vector<std::int64_t> steps() const { return listed_steps(*volume_, env_, self_); }
  // "300?": not known to be durable.
  [[nodiscard]] std::vector<std::string> durable() const {
    const auto listed = list_checkpoints(*volume_, env_, self_, UnreadOlder::IsAnError);
    EXPECT_TRUE(listed);
    std::vector<std::string> all;
    for (const protocol::ListedCheckpoint& each : listed->checkpoints)
      all.push_back(std::to_string(each.step) + (each.is_durable ? "" : "?"));
    return all;
  }
  void published(std::int32_t attempt) const {
    const ResumePoint point{
        .job_uid = "job", .attempt = attempt, .pod_uid = "pod", .step = {}, .path = {}, .rejection = {}};
    ASSERT_TRUE(volume_->files.write(volume_->layout.resume_point(attempt), encode_resume_point(point), Sync::No));
  }
  // Each file on the volume with its text.
  [[nodiscard]] std::map<std::string, std::string> all_files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(root()))
      files[entry.path().string()] = entry.is_regular_file() ? testing_support::text_in(entry.path()) : "";
    return files;
  }
};

TEST_F(ListCheckpoints, names_complete_ones_the_newest_first) {
  EXPECT_THAT(steps(), IsEmpty());
  for (const char* name : {"step-100", "step-200", "step-300"}) checkpoint(name);
  checkpoint("step-400", false);
  const auto listed = list_checkpoints(*volume_, env_, self_, UnreadOlder::IsAnError);
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->attempt, 2);
  EXPECT_EQ(listed->index, 1);
  EXPECT_THAT(steps(), ElementsAre(300, 200, 100));
  EXPECT_EQ(listed->checkpoints.front().name, protocol::fingerprint("step-300"));
}

TEST_F(ListCheckpoints, the_newest_is_what_was_made_last_whatever_its_number) {
  std::int64_t order = 0;
  for (const char* name : {"step-31", "step-1"}) {
    checkpoint(name);
    ++order;
    ASSERT_TRUE(write_made(
        *volume_, {.order = order, .name = name, .job_uid = "job", .attempt = static_cast<std::int32_t>(order)}));
  }
  EXPECT_THAT(steps(), ElementsAre(1, 31));
}

TEST_F(ListCheckpoints, names_no_more_than_fit) {
  for (std::size_t step = 100; step <= 101 + protocol::kMostListedSteps; ++step)
    checkpoint("step-" + std::to_string(step));
  EXPECT_EQ(steps().size(), protocol::kMostListedSteps);
  EXPECT_EQ(steps().front(), static_cast<std::int64_t>(101 + protocol::kMostListedSteps));
}

TEST_F(ListCheckpoints, data_with_a_marker_counts_only_where_the_format_is_named) {
  checkpoint("imagenet-2012");
  checkpoint("step-10");
  EXPECT_THAT(steps(), ElementsAre(10, 2012));
  env_.format = "Auto";
  EXPECT_THAT(steps(), ElementsAre(10));
}

TEST_F(ListCheckpoints, what_is_set_aside_or_damaged_is_not_there) {
  for (const char* name : {"step-100", "step-200", "step-300"}) checkpoint(name);
  const auto found = volume_->scan();
  ASSERT_TRUE(found);
  for (const Checkpoint& each : *found) {
    if (each.step == 100) continue;
    const auto why = each.step == 300 ? SetAside::Why::Damaged : SetAside::Why::CannotMove;
    ASSERT_TRUE(SetAside::add(volume_->files, volume_->layout, {each}, self_, why));
  }
  EXPECT_THAT(steps(), ElementsAre(100));
}

TEST_F(ListCheckpoints, nothing_is_there_while_this_volume_starts_from_scratch) {
  checkpoint("step-100");
  env_.resume = ResumePolicy::FromScratch;
  env_.from_scratch_since = 1;
  EXPECT_THAT(steps(), IsEmpty());
  published(1);
  EXPECT_THAT(steps(), ElementsAre(100)) << "what has been saved since";
}

TEST_F(ListCheckpoints, changes_nothing_on_the_volume) {
  checkpoint("step-100");
  checkpoint("step-200", false);
  ASSERT_TRUE(write_made(*volume_, {.order = 1, .name = "step-50", .job_uid = "job", .attempt = 1}));
  const auto before = all_files();
  EXPECT_THAT(steps(), ElementsAre(100));
  EXPECT_EQ(all_files(), before) << "also what the next restore would tidy";
}

// All load what all have listed, and each deletes what is older as soon as its own copy is on the storage: so must the
// others' be by then.
TEST_F(ListCheckpoints, what_is_listed_has_reached_the_storage) {
  checkpoint("step-100");
  const int before = calls_->syncs;
  EXPECT_THAT(steps(), ElementsAre(100));
  EXPECT_GT(calls_->syncs, before);
  calls_->sync_problem = EIO;
  EXPECT_FALSE(list_checkpoints(*volume_, env_, self_, UnreadOlder::IsAnError));
}

// A checkpoint that nothing shows to be durable may be lost with its machine, and is there now: a restore of a shared
// volume takes it, too.
TEST_F(ListCheckpoints, what_nothing_shows_to_be_durable_is_listed_and_called_so) {
  for (const char* name : {"step-100", "step-200", "step-300"}) checkpoint(name);
  calls_->mount = MountKind{.type = "fuse.s3fs", .fuse = true};
  calls_->open = OpenFiles{};
  EXPECT_THAT(durable(), ElementsAre("300?", "200?", "100?"));
  calls_->mount = MountKind{.type = "fuse.gcsfuse", .proof = DurabilityProof::Close, .fuse = true};
  EXPECT_THAT(durable(), ElementsAre("300", "200", "100"));
  calls_->open = OpenFiles{.paths = {"step-200/weights"}};
  EXPECT_THAT(durable(), ElementsAre("300", "200?", "100")) << "its close has not finished the object";
}

TEST_F(ListCheckpoints, a_file_system_is_asked_once_for_all) {
  for (const char* name : {"step-100", "step-200", "step-300"}) checkpoint(name);
  EXPECT_THAT(durable(), ElementsAre("300", "200", "100"));
  EXPECT_EQ(calls_->syncs, 1);
}

TEST_F(ListCheckpoints, a_mount_by_fuse_is_asked_of_each_that_may_be_chosen) {
  for (const char* name : {"step-100", "step-200", "step-300"}) checkpoint(name);
  calls_->mount = MountKind{.type = "fuse.gcsfuse", .proof = DurabilityProof::Close, .fuse = true};
  calls_->open = OpenFiles{};
  EXPECT_THAT(durable(), ElementsAre("300", "200", "100"));
  EXPECT_EQ(calls_->syncs, 3);
  env_.expected_step = 200;
  EXPECT_THAT(durable(), ElementsAre("300", "200", "100?"));
  EXPECT_EQ(calls_->syncs, 5);
}

// A format that cannot tell of one checkpoint whether its sums hold.
class CannotReadOne final : public CheckpointFormat {
 public:
  explicit CannotReadOne(std::string name) : name_(std::move(name)) {}
  runtime::Result<Checkpoints> discover(const VolumeFiles& files, const Path& root) const override {
    return marker_.discover(files, root);
  }
  runtime::Result<bool> sums_hold(const VolumeFiles&, const Path&, const std::string& name) const override {
    if (name == name_) return runtime::fail(runtime::ErrorClass::Unavailable, "Input/output error");
    return true;
  }
  runtime::Result<std::optional<runtime::WallTime>> completed(const VolumeFiles& files,
                                                              const Path& checkpoint) const override {
    return marker_.completed(files, checkpoint);
  }
  runtime::Result<void> invalidate(const VolumeFiles& files, const Path& checkpoint) const override {
    return marker_.invalidate(files, checkpoint);
  }

 private:
  MarkerFormat marker_;
  std::string name_;
};

// The unreadable one may be the one that all have: it is tried again for a while first.
TEST_F(ListCheckpoints, an_older_one_that_cannot_be_read_keeps_nobody_from_newer_ones_in_the_end) {
  for (const char* name : {"step-100", "step-200", "step-300"}) checkpoint(name);
  volume_->format = std::make_unique<CannotReadOne>("step-200");
  EXPECT_FALSE(list_checkpoints(*volume_, env_, self_, UnreadOlder::IsAnError));
  const auto listed = list_checkpoints(*volume_, env_, self_, UnreadOlder::EndsTheList);
  ASSERT_TRUE(listed);
  EXPECT_TRUE(listed->cut) << "there may be more";
  ASSERT_EQ(listed->checkpoints.size(), 1U);
  EXPECT_EQ(listed->checkpoints.front().step, 300);
  volume_->format = std::make_unique<CannotReadOne>("step-300");
  EXPECT_FALSE(list_checkpoints(*volume_, env_, self_, UnreadOlder::EndsTheList)) << "with nothing newer";
}

TEST_F(ListCheckpoints, an_older_one_of_which_no_proof_can_be_sought_keeps_nobody_from_newer_ones_in_the_end) {
  for (const char* name : {"step-100", "step-200", "step-300"}) checkpoint(name);
  calls_->mount = MountKind{.type = "fuse.gcsfuse", .proof = DurabilityProof::Close, .fuse = true};
  calls_->open = OpenFiles{};
  calls_->on_sync = [this] { calls_->sync_problem = calls_->syncs % 2 == 0 ? EIO : 0; };
  EXPECT_FALSE(list_checkpoints(*volume_, env_, self_, UnreadOlder::IsAnError));
  const auto listed = list_checkpoints(*volume_, env_, self_, UnreadOlder::EndsTheList);
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->checkpoints.size(), 1U);
}

// A restore forgets it first: what it then takes for data is nothing to promise.
TEST_F(ListCheckpoints, names_like_those_of_what_is_gone_prove_nothing) {
  env_.format = "Auto";
  checkpoint("model-8");
  ASSERT_TRUE(write_made(*volume_, {.order = 1, .name = "model-7", .job_uid = "job", .attempt = 1}));
  EXPECT_THAT(steps(), IsEmpty());
  checkpoint("model-7");
  EXPECT_THAT(steps(), ElementsAre(7, 8));
}

// Lists of sums. A scan compares those of what was completed last alone, and the ranks may agree on an older one.
class ListListed : public testing_support::LayoutFormatTest {
 protected:
  ListListed() {
    use("Manifest");
    env_.parallelism = 2;
    env_.access = VolumeAccess::PerIndex;
    for (const char* name : {"step-100", "step-200", "step-300"}) {
      testing_support::put_listed(root() / name);
      const auto time = fs::file_time_type::clock::now() + std::chrono::seconds(name[5] - '0');
      fs::last_write_time(root() / name / "SHA256SUMS", time);
    }
  }
  void damage(const std::string& name) const {
    testing_support::put_text(root() / name / "model.npz", "other weights");
  }
  [[nodiscard]] std::vector<std::int64_t> steps() const { return listed_steps(*volume_, env_, self_); }
};

TEST_F(ListListed, what_all_may_resume_from_has_the_right_sums) {
  damage("step-200");
  EXPECT_THAT(steps(), ElementsAre(300, 100));
  env_.expected_step = 200;
  EXPECT_THAT(steps(), ElementsAre(300, 100)) << "it was known to all, and is damaged since";
}

TEST_F(ListListed, what_is_older_than_what_all_have_is_not_read) {
  damage("step-100");
  env_.expected_step = 200;
  EXPECT_THAT(steps(), ElementsAre(300, 200, 100)) << "for a person, who is asked before anybody resumes from it";
  env_.expected_checkpoint = "run/step-200";
  EXPECT_THAT(steps(), ElementsAre(300, 200)) << "that one is not here";
}

TEST_F(ListListed, what_was_read_is_not_read_again) {
  EXPECT_THAT(steps(), ElementsAre(300, 200, 100));
  int calls = 0;
  calls_->on_call = [&] { ++calls; };
  EXPECT_THAT(steps(), ElementsAre(300, 200, 100));
  const int known = std::exchange(calls, 0);
  use("Manifest");
  calls_->on_call = [&] { ++calls; };
  EXPECT_THAT(steps(), ElementsAre(300, 200, 100));
  EXPECT_LT(known, calls);
}

TEST_F(ListCheckpoints, a_volume_that_cannot_be_read_is_an_error_and_not_empty) {
  testing_support::put_text(root() / ".reprise", "no directory");
  EXPECT_FALSE(list_checkpoints(*volume_, env_, self_, UnreadOlder::IsAnError));
  fs::remove_all(root());
  EXPECT_FALSE(list_checkpoints(*volume_, env_, self_, UnreadOlder::IsAnError));
}

TEST(name_in_common, is_the_same_for_what_each_rank_calls_after_itself) {
  for (const char* name : {"checkpoint_100_rank?.pt", "rank_?/step_100", "run/ckpt-100/shard-0000?-of-00008",
                           "step_100_?.pt", "node?/epoch=3-step=100.ckpt", "checkpoints/gpu?/iter_0000100"}) {
    const auto of_rank = [name = std::string(name)](char rank) {
      std::string own = name;
      own.replace(own.find('?'), 1, 1, rank);
      return own;
    };
    EXPECT_EQ(name_in_common(of_rank('0')), name_in_common(of_rank('1'))) << name;
    EXPECT_NE(told_in_common(of_rank('1')), "") << name;
  }
}

TEST(name_in_common, tells_apart_what_is_another_save) {
  const std::pair<const char*, const char*> kOthers[] = {{"step-100", "step-200"},
                                                         {"run-1/step-100", "run-2/step-100"},
                                                         {"ckpt-1112-28", "ckpt-120-28"},
                                                         {"epoch_1_step_500", "epoch_2_step_500"},
                                                         {"seed_1/checkpoint-5", "seed_2/checkpoint-5"},
                                                         {"step_100_20260101.pt", "step_100_20260102.pt"}};
  for (const auto& [one, other] : kOthers) {
    EXPECT_NE(name_in_common(one), name_in_common(other)) << one;
    EXPECT_EQ(name_in_common(one), one) << "older agents compare the path as it is";
  }
}

TEST_F(ListCheckpoints, the_parts_of_several_ranks_of_one_volume_are_one_save) {
  checkpoint("step-300-rank8");
  checkpoint("step-300-rank9");
  checkpoint("step-200-rank8");
  checkpoint("step-200-rank9");
  ASSERT_THAT(steps(), ElementsAre(300, 200));
  const auto listed = list_checkpoints(*volume_, env_, self_, UnreadOlder::IsAnError);
  EXPECT_EQ(listed->checkpoints.front().name, fingerprint_in_common("step-300-rank0"));
}

}  // namespace
}  // namespace reprise::agent
