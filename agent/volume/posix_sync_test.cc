// The proofs of a sync, the descriptors for it, and the consequence of an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/testing/temporary_directory.h"
#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using testing_support::put_text;

// Writes down what is asked in which order: "open step-1/w", "syncfs", "fsync step-1/w".
class NotedCalls final : public VolumeCalls {
 public:
  explicit NotedCalls(fs::path root) : root_(std::move(root)) {}
  MountKind kind(int) override { return mount; }
  int open_to_sync(const char* path) override {
    if (const auto refused = refuses.find(relative(path)); refused != refuses.end()) return -refused->second;
    const int fd = VolumeCalls::open_to_sync(path);
    said.push_back("open " + relative(path));
    most_open = std::max(most_open, open_on_volume());
    return fd;
  }
  int syncfs(int fd) override {
    said.emplace_back("syncfs");
    roots.insert(fd);
    return sync_problem != 0 ? sync_problem : VolumeCalls::syncfs(fd);
  }
  int fsync(int fd) override {
    const std::string file = relative(fs::read_symlink("/proc/self/fd/" + std::to_string(fd)));
    said.push_back("fsync " + file);
    const auto told = tells.find(file);
    return told == tells.end() ? VolumeCalls::fsync(fd) : told->second;
  }

  MountKind mount{.type = "ext4", .proof = DurabilityProof::Sync, .local = true};
  std::vector<std::string> said;
  std::set<int> roots;                 // descriptors of syncfs
  std::map<std::string, int> tells;    // errno of a file's fsync
  std::map<std::string, int> refuses;  // errno of a file's open
  int sync_problem = 0;
  std::size_t most_open = 0;

 private:
  [[nodiscard]] std::string relative(const fs::path& path) const { return path.lexically_relative(root_).string(); }
  [[nodiscard]] std::size_t open_on_volume() const {
    std::size_t count = 0;
    for (const auto& each : fs::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      count += fs::read_symlink(each.path(), gone).string().starts_with(root_.string() + "/") ? 1U : 0U;
    }
    return count;
  }
  fs::path root_;
};

std::set<int> open_on(const fs::path& place) {
  std::set<int> found;
  for (const auto& each : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (fs::read_symlink(each.path(), gone) == place) found.insert(std::stoi(each.path().filename().string()));
  }
  return found;
}

class PosixSyncTest : public ::testing::Test {
 protected:
  PosixSyncTest() : calls_(std::make_shared<NotedCalls>(directory_.path())), files_(calls_, directory_.path()) {}
  [[nodiscard]] fs::path root() const { return directory_.path(); }
  [[nodiscard]] runtime::Result<Durability> sync(const std::string& checkpoint = "step-1") const {
    return files_.sync_volume(root(), root() / checkpoint);
  }

  testing_support::TemporaryDirectory directory_;
  std::shared_ptr<NotedCalls> calls_;
  PosixFiles files_;
};

TEST_F(PosixSyncTest, each_file_is_synced_through_a_descriptor_that_was_open_before_the_sync) {
  for (const char* file : {"step-1/a", "step-1/deep/b", "step-2/c"}) put_text(root() / file, "x");
  EXPECT_EQ(sync(), Durability::Proven);
  ASSERT_EQ(calls_->said.size(), 5U);
  EXPECT_EQ(calls_->said[2], "syncfs");
  EXPECT_THAT(std::vector(calls_->said.begin(), calls_->said.begin() + 2),
              UnorderedElementsAre("open step-1/a", "open step-1/deep/b"));
  EXPECT_THAT(std::vector(calls_->said.begin() + 3, calls_->said.end()),
              UnorderedElementsAre("fsync step-1/a", "fsync step-1/deep/b"));
}

TEST_F(PosixSyncTest, a_checkpoint_that_is_a_file_and_one_that_a_link_completes_are_synced_too) {
  put_text(root() / "step-1", "x");
  EXPECT_EQ(sync(), Durability::Proven);
  EXPECT_THAT(calls_->said, Contains("fsync step-1"));
  put_text(root() / "blobs/w", "x");
  fs::create_directory(root() / "step-2");
  fs::create_symlink(root() / "blobs/w", root() / "step-2/w");
  EXPECT_EQ(sync("step-2"), Durability::Proven);
  EXPECT_THAT(calls_->said, Contains("fsync blobs/w"));
}

TEST_F(PosixSyncTest, of_the_root_no_file_is_opened) {
  put_text(root() / "step-1/a", "x");
  EXPECT_EQ(files_.sync_volume(root(), root()), Durability::Proven);
  EXPECT_THAT(calls_->said, ElementsAre("syncfs"));
}

// A process may have a thousand as a rule, and the trainer's are counted with the pod's.
TEST_F(PosixSyncTest, of_many_files_few_are_open_at_once_and_each_is_synced) {
  for (int i = 0; i < 300; ++i) put_text(root() / "step-1" / std::to_string(i), "x");
  EXPECT_EQ(sync(), Durability::Proven);
  EXPECT_LE(calls_->most_open, 130U);
  for (int i = 0; i < 300; ++i) EXPECT_THAT(calls_->said, Contains("fsync step-1/" + std::to_string(i)));
  EXPECT_THAT(calls_->said, Contains("syncfs").Times(1));
}

// The kernel tells an error once, of a file system, to each that has it open: what is opened anew hears nothing.
TEST_F(PosixSyncTest, the_root_stays_open_from_the_first_question_on) {
  ASSERT_TRUE(files_.kind());
  const auto held = open_on(root());
  ASSERT_EQ(held.size(), 1U) << "before anything is synced";
  put_text(root() / "step-1/a", "x");
  ASSERT_TRUE(sync());
  ASSERT_TRUE(sync());
  EXPECT_EQ(calls_->roots, held);
  EXPECT_TRUE(fs::exists("/proc/self/fd/" + std::to_string(*calls_->roots.begin()))) << "and is not closed";
}

TEST_F(PosixSyncTest, an_error_of_any_file_is_an_error_and_is_remembered) {
  for (const char* file : {"step-1/a", "step-1/b"}) put_text(root() / file, "x");
  EXPECT_EQ(files_.write_errors().count, 0U);
  calls_->tells["step-1/b"] = ENOSPC;
  const auto before = std::chrono::system_clock::now();
  const auto synced = sync();
  ASSERT_FALSE(synced);
  EXPECT_THAT(synced.error().message, HasSubstr("step-1/b"));
  calls_->tells.clear();
  EXPECT_EQ(sync(), Durability::Proven) << "the kernel tells nothing more";
  EXPECT_EQ(files_.write_errors().count, 1U);
  EXPECT_GE(files_.write_errors().last + std::chrono::microseconds(1), before);
  EXPECT_THAT(files_.write_errors().said, HasSubstr("step-1/b"));
  calls_->sync_problem = EIO;
  EXPECT_FALSE(sync());
  EXPECT_EQ(files_.write_errors().count, 2U);
}

TEST_F(PosixSyncTest, a_file_that_cannot_be_opened_leaves_its_checkpoint_without_a_proof) {
  put_text(root() / "step-1/a", "x");
  const std::map<int, Durability> table{
      {ENOENT, Durability::NotYet}, {EMFILE, Durability::NotYet}, {EACCES, Durability::Unproven}};
  for (const auto& [problem, durability] : table) {
    calls_->refuses["step-1/a"] = problem;
    EXPECT_EQ(sync(), durability) << problem;
  }
  calls_->refuses["step-1/a"] = EIO;
  EXPECT_FALSE(sync());
  EXPECT_EQ(files_.write_errors().count, 0U) << "no write has failed";
}

TEST_F(PosixSyncTest, where_a_sync_proves_nothing_no_file_is_opened) {
  put_text(root() / "step-1/a", "x");
  calls_->mount = {.type = "nfs4"};
  EXPECT_EQ(sync(), Durability::Unproven);
  EXPECT_THAT(calls_->said, ElementsAre("syncfs"));
}

TEST_F(PosixSyncTest, the_birth_of_the_oldest_file_is_told) {
  const auto before = std::chrono::system_clock::now() - std::chrono::seconds(1);
  for (const char* file : {"step-1/a", "step-1/b"}) put_text(root() / file, "x");
  fs::last_write_time(root() / "step-1/a", fs::file_time_type::clock::now() - std::chrono::hours(9));
  const auto born = files_.oldest_birth(root() / "step-1");
  if (!born) GTEST_SKIP() << "this file system keeps no births";
  EXPECT_GE(*born, before) << "whatever the time of a file was set to";
  EXPECT_FALSE(files_.oldest_birth(root() / "nothing"));
}

TEST_F(PosixSyncTest, all_files_below_are_listed_with_sizes_and_in_order) {
  for (const char* file : {"step-1/b", "step-1/a/z", "step-1/a/y"}) put_text(root() / file, file);
  fs::create_symlink("nowhere", root() / "step-1/dangling");
  const auto listed = files_.list_below(root() / "step-1", 3);
  ASSERT_TRUE(listed);
  std::vector<std::string> names;
  for (const FileBelow& each : *listed) names.push_back(each.path);
  EXPECT_THAT(names, ElementsAre("a/y", "a/z", "b"));
  EXPECT_EQ(listed->front().size, 10U);
  EXPECT_EQ(files_.list_below(root() / "step-1", 2).error().error_class, runtime::ErrorClass::Invalid);
  EXPECT_TRUE(files_.list_below(root() / "nothing", 2)->empty());
  EXPECT_EQ(files_.list_below(root() / "step-1/b", 2)->front().path, "");
}

}  // namespace
}  // namespace reprise::agent
