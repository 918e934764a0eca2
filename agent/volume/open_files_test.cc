// Against real descriptors of this process, shown by a /proc of the test's own.
#include "agent/volume/open_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/testing/temporary_directory.h"
#include "agent/volume/file_descriptor.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::put_text;

class OpenFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root() / "step-5");
    fs::create_directory(proc());
    const FileDescriptor here(::open(root().c_str(), O_RDONLY | O_DIRECTORY));
    const auto id = mount_id_in(proc_text("/proc/self/fdinfo/" + std::to_string(here.get())));
    mount_ = mount_with_id(proc_text("/proc/self/mountinfo"), id.value()).value();
    put_text(directory_.path() / "any", "");
    struct statx file {};
    ASSERT_EQ(::statx(AT_FDCWD, (directory_.path() / "any").c_str(), 0, STATX_TYPE, &file), 0);
    mount_.device = {.major = file.stx_dev_major, .minor = file.stx_dev_minor};  // an overlay may have several
  }

  [[nodiscard]] fs::path root() const { return fs::canonical(directory_.path()) / "volume"; }
  [[nodiscard]] fs::path proc() const { return directory_.path() / "proc"; }
  [[nodiscard]] FileDescriptor open(const fs::path& file, int flags) const {
    put_text(file, "weights");
    return FileDescriptor(::open(file.c_str(), flags | O_CLOEXEC));
  }
  void show_this_process() const { fs::create_symlink("/proc/" + std::to_string(::getpid()), proc() / "7"); }
  [[nodiscard]] OpenFiles look(Mappings mappings = Mappings::Leave) const {
    return files_open_for_writing(root(), mount_, proc(), mappings);
  }

  testing_support::TemporaryDirectory directory_;
  Mount mount_;
};

TEST_F(OpenFilesTest, are_those_that_somebody_may_write_to) {
  show_this_process();
  EXPECT_THAT(look().paths, IsEmpty());
  for (const int flags : {O_WRONLY, O_RDWR, O_WRONLY | O_APPEND}) {
    const FileDescriptor writes = open(root() / "step-5" / "weights", flags);
    EXPECT_THAT(look().paths, ElementsAre("step-5/weights")) << flags;
  }
  const FileDescriptor reads = open(root() / "step-5" / "weights", O_RDONLY);
  EXPECT_THAT(look().paths, IsEmpty());
}

TEST_F(OpenFilesTest, are_held_by_each_directory_above_them_and_by_no_other) {
  show_this_process();
  const FileDescriptor writes = open(root() / "step-5" / "weights", O_WRONLY);
  const OpenFiles found = look();
  EXPECT_TRUE(found.hold("step-5"));
  EXPECT_TRUE(found.hold("step-5/weights"));
  EXPECT_FALSE(found.hold("step-50"));
  EXPECT_FALSE(found.hold("step-"));
  EXPECT_FALSE(found.hold("step-5/weight"));
  EXPECT_FALSE(found.unknown);
}

TEST_F(OpenFilesTest, are_found_under_another_path_and_nothing_else_of_the_device_is) {
  show_this_process();
  const FileDescriptor elsewhere = open(directory_.path() / "elsewhere", O_WRONLY);
  const FileDescriptor writes = open(root() / "step-5" / "weights", O_WRONLY);
  EXPECT_THAT(look().paths, ElementsAre("step-5/weights"));
  Mount other = mount_;  // as if the file system were mounted there with this directory for its root
  other.root = *inside(mount_, root().native());
  other.point = "/checkpoints";
  EXPECT_THAT(files_open_for_writing("/checkpoints", other, proc(), Mappings::Leave).paths,
              ElementsAre("step-5/weights"));
}

TEST_F(OpenFilesTest, a_file_that_is_mapped_to_be_written_is_held_after_it_was_closed) {
  show_this_process();
  void* mapped = MAP_FAILED;
  {
    const FileDescriptor writes = open(root() / "step-5" / "weights", O_RDWR);
    mapped = ::mmap(nullptr, 7, PROT_READ | PROT_WRITE, MAP_SHARED, writes.get(), 0);
    ASSERT_NE(mapped, MAP_FAILED);
  }
  EXPECT_THAT(look(Mappings::LookAt).paths, ElementsAre("step-5/weights"));
  ::munmap(mapped, 7);
  EXPECT_THAT(look(Mappings::LookAt).paths, IsEmpty());
}

// A place that cannot be looked at: here because it is no directory, elsewhere because it is another user's.
TEST_F(OpenFilesTest, of_a_process_that_cannot_be_looked_at_are_not_known_where_it_has_the_volume) {
  const std::string number = std::to_string(mount_.device.major) + ":" + std::to_string(mount_.device.minor);
  put_text(proc() / "8" / "fd", "hidden");
  EXPECT_TRUE(look().unknown) << "its mounts are hidden too";
  put_text(proc() / "8" / "mountinfo", "1 1 0:9999 / / rw - overlay overlay rw\n");
  EXPECT_FALSE(look().unknown) << "it does not have the volume";
  put_text(proc() / "8" / "mountinfo", "1 1 " + number + " / /data rw - fuse bucket rw\n");
  EXPECT_TRUE(look().unknown);
}

TEST_F(OpenFilesTest, of_a_process_whose_first_thread_has_ended_are_those_of_the_others) {
  fs::create_directories(proc() / "9" / "fd");
  fs::create_directories(proc() / "9" / "task");
  fs::create_symlink("/proc/" + std::to_string(::getpid()), proc() / "9" / "task" / "10");
  const FileDescriptor writes = open(root() / "step-5" / "weights", O_WRONLY);
  EXPECT_TRUE(look().unknown) << "its mounts are not to be seen";
  fs::create_symlink("/proc/self/mountinfo", proc() / "9" / "mountinfo");
  EXPECT_THAT(look().paths, ElementsAre("step-5/weights"));
  EXPECT_FALSE(look().unknown);
}

TEST_F(OpenFilesTest, are_not_known_where_no_process_can_be_seen) {
  EXPECT_TRUE(look().unknown);
  EXPECT_TRUE(files_open_for_writing(root(), mount_, proc() / "none", Mappings::Leave).unknown);
}

TEST(ProcText, of_a_file_that_cannot_be_read_is_empty) {
  EXPECT_EQ(proc_text("/proc/self/fd"), "") << "as of a descriptor that is closed while its fdinfo is read";
  EXPECT_EQ(proc_text("/proc/self/no-such-file"), "");
}

}  // namespace
}  // namespace reprise::agent
