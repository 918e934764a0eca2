// The bytes of a checkpoint that are tried before it is resumed from, and the meaning of an answer.
#include "agent/core/unreadable/read_back.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "agent/testing/faulty_files.h"
#include "agent/testing/temporary_directory.h"

namespace reprise::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::put_text;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

std::vector<std::uint64_t> offsets_of(std::size_t file, const std::vector<SmallRead>& reads) {
  std::vector<std::uint64_t> offsets;
  for (const SmallRead& each : reads)
    if (each.file == file) offsets.push_back(each.offset);
  return offsets;
}

TEST(read_back, the_last_block_of_each_file_comes_before_all_others) {
  const auto reads = plan_read_back({100, 0, 10'000}, {.reads = 10, .per_file = 10});
  EXPECT_THAT(reads, ElementsAre(SmallRead{.file = 0, .offset = 0, .length = 100},
                                 SmallRead{.file = 2, .offset = 5'904, .length = 4'096},
                                 SmallRead{.file = 2, .offset = 0, .length = 4'096}));
}

TEST(read_back, each_block_of_a_store_in_a_file_is_tried_where_reads_are_left) {
  const auto reads = plan_read_back({64 * kMiB}, read_back_bound(MountKind{.fuse = true}));
  std::set<std::uint64_t> blocks;
  for (const std::uint64_t offset : offsets_of(0, reads)) blocks.insert(offset / (4 * kMiB));
  EXPECT_EQ(blocks.size(), 16U);
}

TEST(read_back, no_more_is_read_than_the_bound_says_of_however_many_files) {
  const ReadBackBound bound{.reads = 100, .per_file = 3};
  EXPECT_EQ(plan_read_back(std::vector<std::uint64_t>(1'000, kMiB), bound).size(), 100U);
  const auto reads = plan_read_back({std::uint64_t{1} << 40U, 512 * kMiB}, bound);
  EXPECT_EQ(offsets_of(0, reads).size(), 3U);
  EXPECT_EQ(offsets_of(1, reads).size(), 3U);
  const auto some = plan_read_back(std::vector<std::uint64_t>(1'000, 10), bound);
  EXPECT_GT(some.back().file, 900U) << "some of them stand for all";
  EXPECT_THAT(plan_read_back({10}, {}), IsEmpty());
}

TEST(read_back, a_mount_by_fuse_is_asked_for_more_than_a_disk) {
  const auto fuse = read_back_bound(MountKind{.fuse = true}), disk = read_back_bound(MountKind{});
  EXPECT_GT(fuse.reads, disk.reads);
  EXPECT_GT(fuse.time, disk.time);
}

class ReadBack : public testing::Test {
 protected:
  ReadBack() {
    put_text(root() / "weights", "weights");
    put_text(root() / "below/state", "state");
    put_text(root() / "_COMPLETE", "");
  }
  [[nodiscard]] std::filesystem::path root() const { return directory_.path(); }
  [[nodiscard]] std::string said(std::function<bool()> goes_on = [] { return true; }) const {
    const testing_support::FaultyFiles files(faults_, std::make_shared<VolumeCalls>(), root());
    const auto flaw = read_back(files, root(), read_back_bound(std::nullopt), goes_on);
    return flaw ? flaw->reason : "";
  }
  testing_support::TemporaryDirectory directory_;
  std::shared_ptr<testing_support::Faults> faults_ = std::make_shared<testing_support::Faults>();
};

TEST_F(ReadBack, what_can_be_read_has_no_flaw) {
  EXPECT_EQ(said(), "");
}

TEST_F(ReadBack, the_file_that_gives_an_error_is_named_wherever_it_lies) {
  faults_->of_bytes(root() / "below/state");
  EXPECT_EQ(said(), "below/state: cannot be read: Input/output error");
  faults_->mend();
  faults_->of_bytes(root() / "below");
  EXPECT_EQ(said(), "below: cannot be read: Input/output error");
}

TEST_F(ReadBack, what_does_not_answer_or_not_this_user_has_lost_nothing) {
  for (const int problem : {EACCES, ETIMEDOUT, ENOTCONN, ESTALE, EINVAL, ENOENT}) {
    faults_->of_bytes(root() / "weights", problem);
    EXPECT_EQ(said(), "") << problem;
  }
}

TEST_F(ReadBack, nothing_is_read_once_the_time_is_over) {
  faults_->of_bytes(root() / "weights");
  faults_->reads = 0;
  EXPECT_EQ(said([] { return false; }), "");
  EXPECT_LE(faults_->reads, 1);
}

}  // namespace
}  // namespace reprise::agent
