// The agent's own files: the new text, whole, or the old one, whichever call it is that tells of a failure.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <set>

#include "agent/core/fencing/fence.h"
#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/heartbeats/heartbeat_writer.h"
#include "agent/core/space/temporary_files.h"
#include "agent/testing/volume_test.h"
#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::put_text;
using testing_support::TemporaryDirectory;
using testing_support::text_in;

// A share whose server is full: what was written to a new file is refused when it is closed, and gone.
class FullShare : public VolumeCalls {
 public:
  int open_to_write(const char* path, int flags) override {
    const bool is_new = !fs::exists(path);
    const int fd = VolumeCalls::open_to_write(path, flags);
    if (full && is_new && fd >= 0) refused_.insert(fd);
    return fd;
  }
  int allocate(int /*fd*/, std::int64_t /*size*/) override { return EOPNOTSUPP; }
  int close(int fd) override {
    const bool refused = refused_.erase(fd) > 0;
    EXPECT_TRUE(!refused || ::ftruncate(fd, 0) == 0);
    const int closed = VolumeCalls::close(fd);
    return refused ? problem : closed;
  }
  bool full = true;
  int problem = ENOSPC;

 private:
  std::set<int> refused_;
};

// A disk on which no new block is to be had: a new file is empty, and an old one does not grow.
class FullDisk : public VolumeCalls {
 public:
  std::int64_t write(int fd, std::string_view bytes) override {
    struct stat info {};
    EXPECT_EQ(::fstat(fd, &info), 0);
    const auto at = ::lseek(fd, 0, SEEK_CUR);
    const auto room = full ? std::max<std::int64_t>(info.st_size - at, 0) : static_cast<std::int64_t>(bytes.size());
    if (room == 0) return -ENOSPC;
    return VolumeCalls::write(fd, bytes.substr(0, static_cast<std::size_t>(room)));
  }
  int allocate(int /*fd*/, std::int64_t /*size*/) override { return grows ? 0 : ENOSPC; }
  bool full = true;
  bool grows = false;  // says so, and then does not
};

template <class Calls>
class Written : public testing::Test {
 protected:
  [[nodiscard]] fs::path file(const std::string& name) const { return directory_.path() / name; }
  [[nodiscard]] std::vector<std::string> names() const { return files_.list(directory_.path()).value(); }

  TemporaryDirectory directory_;
  std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
  PosixFiles files_{calls_, directory_.path(), "pod-1"};
};

using OnFullShare = Written<FullShare>;
using OnFullDisk = Written<FullDisk>;

TEST_F(OnFullShare, no_heartbeat_is_ever_empty) {
  const Identity self{.job_uid = "job", .pod_uid = "pod-1", .attempt = 1, .index = 0};
  const VolumeLayout layout{.root = directory_.path()};
  for (const int problem : {ENOSPC, EIO, EDQUOT}) {
    calls_->problem = problem;
    calls_->full = false;
    HeartbeatWriter writer(files_, layout, self, 1s);
    ASSERT_TRUE(writer.next().placed);
    calls_->full = true;
    for (int beat = 2; beat <= 20; ++beat) {
      EXPECT_TRUE(writer.next().placed) << problem;
      const auto heartbeat = decode_heartbeat(text_in(layout.alive(1, 0)));
      ASSERT_TRUE(heartbeat) << problem << " " << beat;
      EXPECT_EQ(heartbeat->counter, static_cast<std::uint64_t>(beat));
    }
  }
}

TEST_F(OnFullShare, what_close_has_refused_is_an_error_and_nothing_of_it_is_there) {
  const auto written = files_.write(file("fence.json"), "new", Sync::Yes);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("No space left on device"));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(OnFullShare, a_text_that_close_has_refused_does_not_replace_the_old_one) {
  put_text(file("fence.json"), "old text");
  EXPECT_TRUE(files_.write(file("fence.json"), "new text", Sync::Yes)) << "in its place";
  EXPECT_EQ(text_in(file("fence.json")), "new text");
  EXPECT_THAT(names(), testing::ElementsAre("fence.json"));
}

TEST_F(OnFullDisk, the_old_text_stays_where_the_new_one_is_longer) {
  for (const bool grows : {false, true}) {
    calls_->grows = grows;
    put_text(file("fence.json"), "old");
    const auto written = files_.write(file("fence.json"), "a longer text", Sync::Yes);
    EXPECT_FALSE(written);
    EXPECT_EQ(text_in(file("fence.json")), "old") << grows;
    EXPECT_THAT(names(), testing::ElementsAre("fence.json"));
  }
}

TEST_F(OnFullDisk, a_fence_is_raised_over_another_in_its_place) {
  const VolumeLayout layout{.root = directory_.path()};
  calls_->full = false;
  Identity self{.job_uid = "job", .pod_uid = "pod-1", .attempt = 9};
  ASSERT_TRUE(raise_fence(files_, layout, self));
  calls_->full = true;
  self.attempt = 10;
  ASSERT_TRUE(raise_fence(files_, layout, self, {{{.first = 1, .last = 3}, {.first = 7, .last = 10}}}));
  EXPECT_EQ(read_fence(files_, layout).value()->attempt, 10);
}

TEST_F(OnFullDisk, what_is_new_and_finds_no_room_leaves_nothing_behind) {
  EXPECT_FALSE(files_.write(file("record.json"), "text", Sync::Yes));
  EXPECT_FALSE(files_.rewrite(file("0.alive"), "text"));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(OnFullDisk, a_record_takes_the_room_that_was_kept_for_it) {
  put_text(file("0.room"), std::string(100, 'x'));
  EXPECT_FALSE(files_.write(file("0.json"), "a record", Sync::Yes));
  EXPECT_FALSE(files_.write_into(file("0.room"), file("0.json"), std::string(101, 'r')));
  EXPECT_FALSE(files_.write_into(file("1.room"), file("0.json"), "a record"));
  ASSERT_TRUE(files_.write_into(file("0.room"), file("0.json"), "a record"));
  EXPECT_EQ(text_in(file("0.json")), "a record");
  EXPECT_THAT(names(), testing::ElementsAre("0.json"));
}

// ---- where the heartbeat lies

struct KeptBlocks : VolumeCalls {
  int allocate(int fd, std::int64_t size) override {
    struct stat info {};
    EXPECT_EQ(::fstat(fd, &info), 0);
    empty = empty && info.st_size == 0;
    allocated = size;
    return VolumeCalls::allocate(fd, size);
  }
  void write_where_it_lies(int fd) override {
    struct stat info {};
    EXPECT_EQ(::fstat(fd, &info), 0);
    empty = empty && info.st_size == 0;
    ++lies;
  }
  MountKind kind(int fd) override { return mount ? *mount : VolumeCalls::kind(fd); }
  std::optional<MountKind> mount;
  bool empty = true;
  int lies = 0;
  std::int64_t allocated = 0;
};
using WithRoom = Written<KeptBlocks>;

TEST_F(WithRoom, a_heartbeat_has_its_blocks_from_the_start_and_is_written_where_it_lies) {
  const std::string first(512, 'a'), second(512, 'b');
  ASSERT_TRUE(files_.rewrite(file("0.alive"), first));
  EXPECT_TRUE(calls_->empty) << "before anything is written";
  EXPECT_EQ(calls_->lies, 1);
  EXPECT_GE(calls_->allocated, 4096);
  struct stat before {
  }, after{};
  ASSERT_EQ(::stat(file("0.alive").c_str(), &before), 0);
  ASSERT_TRUE(files_.rewrite(file("0.alive"), second));
  ASSERT_EQ(::stat(file("0.alive").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(text_in(file("0.alive")), second);
}

TEST_F(WithRoom, a_heartbeat_of_another_length_is_placed_anew) {
  put_text(file("0.alive"), "short");
  ASSERT_TRUE(files_.rewrite(file("0.alive"), std::string(512, 'a')));
  EXPECT_EQ(text_in(file("0.alive")).size(), 512U);
  EXPECT_EQ(calls_->lies, 1);
}

TEST_F(WithRoom, object_stores_are_given_whole_files_but_where_each_fills_a_trash) {
  for (const auto& [type, in_place] : std::map<std::string, bool>{{"fuse.gcsfuse", false}, {"fuse.juicefs", true}}) {
    calls_->mount = MountKind{.type = type, .fuse = true, .object_store = true};
    const PosixFiles files(calls_, directory_.path(), "pod-1");
    struct stat before {
    }, after{};
    ASSERT_TRUE(files.rewrite(file(type), std::string(512, 'a')));
    ASSERT_EQ(::stat(file(type).c_str(), &before), 0);
    ASSERT_TRUE(files.rewrite(file(type), std::string(512, 'b')));
    ASSERT_EQ(::stat(file(type).c_str(), &after), 0);
    EXPECT_EQ(before.st_ino == after.st_ino, in_place) << type;
  }
}

// ---- names

struct Renames : VolumeCalls {
  int rename(const char* from, const char* to) override {
    names.insert(fs::path(from).filename().string());
    if (done_and_says) {
      EXPECT_EQ(VolumeCalls::rename(from, to), 0);
      return done_and_says;
    }
    return VolumeCalls::rename(from, to);
  }
  std::set<std::string> names;
  int done_and_says = 0;
};
using Renamed = Written<Renames>;

TEST_F(Renamed, pods_share_no_temporary_name_though_each_is_the_first_process_of_its_own) {
  const PosixFiles other(calls_, directory_.path(), "pod-2"), third(calls_, directory_.path()),
      fourth(calls_, directory_.path());
  for (const PosixFiles* each : std::initializer_list<const PosixFiles*>{&files_, &other, &third, &fourth})
    ASSERT_TRUE(each->write(file("fence.json"), "text", Sync::Yes));
  EXPECT_THAT(calls_->names, testing::SizeIs(4));
  for (const std::string& each : calls_->names) EXPECT_TRUE(is_temporary(each)) << each;
}

TEST_F(Renamed, a_share_that_says_the_second_time_that_nothing_is_there_has_done_it) {
  calls_->done_and_says = ENOENT;
  EXPECT_TRUE(files_.write(file("fence.json"), "text", Sync::Yes));
  EXPECT_EQ(text_in(file("fence.json")), "text");
}

class Tidied : public testing_support::VolumeTest {};

TEST_F(Tidied, what_dead_pods_were_about_to_rename_goes_and_nothing_else) {
  const std::vector<std::string> left{".fence.json.pod-0.tmp", ".former.json.1", "made/.7.json.pod-0.tmp",
                                      "set-aside/.3-pod.json.1"};
  const std::vector<std::string> others{"fence.json",
                                        "made/7.json",
                                        "set-aside/3-pod.json",
                                        "fence.json.1",
                                        "attempts/1/.0.alive.pod-1.tmp",
                                        "made/.8.json.pod-2.tmp"};
  for (const auto* names : {&left, &others})
    for (const std::string& each : *names) put_text(root() / ".reprise" / each, "{}");
  remove_temporary_files(*volume_, "pod-2", [] { return false; });
  EXPECT_TRUE(exists(".reprise/" + left.front())) << "where somebody else has the volume";
  remove_temporary_files(*volume_, "pod-2", [] { return true; });
  for (const std::string& each : left) EXPECT_FALSE(exists(".reprise/" + each)) << each;
  for (const std::string& each : others) EXPECT_TRUE(exists(".reprise/" + each)) << each;
}

// ---- directories

class OnServer : public testing_support::VolumeTest {};

TEST_F(OnServer, a_directory_that_is_said_to_be_there_and_is_not_is_an_error) {
  calls_->directory_problem = EEXIST;
  auto written = volume_->files.write(volume_->layout.record(2, 0), "{}", Sync::Yes);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("make directory"));
  calls_->free = FreeSpace{.bytes = 0};
  written = volume_->files.write(volume_->layout.record(2, 0), "{}", Sync::Yes);
  EXPECT_THAT(written.error().message, HasSubstr("No space left on device")) << "a full server says so by sshfs";
  calls_->directory_problem = 0;
  calls_->free.reset();
  EXPECT_TRUE(volume_->files.write(volume_->layout.record(2, 0), "{}", Sync::Yes));
}

TEST_F(OnServer, a_directory_that_somebody_else_has_just_made_is_there) {
  calls_->directory_problem = 0;
  fs::create_directories(volume_->layout.attempt(2));
  EXPECT_TRUE(volume_->files.write(volume_->layout.record(2, 0), "{}", Sync::Yes));
}

// ---- a move that is half done

// Two file systems in one mount: a directory is renamed where its new parent is, and the rest stays.
struct Branches : VolumeCalls {
  int rename(const char* from, const char* to) override {
    if (!half) return VolumeCalls::rename(from, to);
    const bool back = fs::exists(to);
    if (back && !undone) return EXDEV;
    fs::create_directories(to);
    for (const auto& entry : std::vector<fs::directory_entry>(fs::directory_iterator(from), fs::directory_iterator()))
      if (back || entry.path().filename() != "shard-1") fs::rename(entry, fs::path(to) / entry.path().filename());
    if (back) fs::remove(from);
    return 0;
  }
  bool half = true;
  bool undone = true;  // the way back is open
};

class HalfMoves : public Written<Branches> {
 protected:
  HalfMoves() {
    put_text(file("step-2/shard-0"), "a");
    put_text(file("step-2/shard-1"), "b");
  }
  [[nodiscard]] runtime::Result<void> move() const { return files_.move(file("step-2"), file("torn/step-2.3")); }
};

TEST_F(HalfMoves, what_is_still_under_the_old_name_was_not_moved_and_is_whole_there) {
  const auto moved = move();
  ASSERT_FALSE(moved);
  EXPECT_THAT(moved.error().message, HasSubstr("undone"));
  EXPECT_TRUE(fs::exists(file("step-2/shard-0")));
  EXPECT_TRUE(fs::exists(file("step-2/shard-1")));
  EXPECT_FALSE(fs::exists(file("torn/step-2.3")));
}

TEST_F(HalfMoves, both_places_are_named_where_there_is_no_way_back) {
  calls_->undone = false;
  const auto moved = move();
  ASSERT_FALSE(moved);
  EXPECT_THAT(moved.error().message, HasSubstr(file("step-2").string()));
  EXPECT_THAT(moved.error().message, HasSubstr(file("torn/step-2.3").string()));
}

struct SavesAgain : VolumeCalls {
  int rename(const char* from, const char* to) override {
    const int problem = VolumeCalls::rename(from, to);
    put_text(fs::path(from) / "next", "");
    return problem;
  }
};
using SavedAgain = Written<SavesAgain>;

TEST_F(SavedAgain, a_directory_that_a_trainer_makes_anew_is_no_half_of_the_old_one) {
  put_text(file("step-2/shard-0"), "a");
  EXPECT_TRUE(files_.move(file("step-2"), file("torn/step-2.3")));
  EXPECT_TRUE(fs::exists(file("step-2/next")));
}

}  // namespace
}  // namespace reprise::agent
