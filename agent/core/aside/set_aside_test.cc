// Checkpoints that are set aside on a volume that moves no directories stay set aside.
#include "agent/core/aside/set_aside.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/formats/recognise/marker_format.h"
#include "agent/process/posix_volume.h"
#include "agent/testing/temporary_directory.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::put_checkpoint;
using testing_support::put_text;
using testing_support::TemporaryDirectory;

Checkpoint complete_at(const std::string& name, runtime::WallTime time) {
  return {.name = name, .step = 120, .complete = true, .time = time};
}

TEST(set_aside, a_complete_checkpoint_is_left_out_until_its_step_is_saved_again) {
  const auto old = complete_at("step-120", runtime::WallTime(5s));
  const auto again = complete_at("step-120", runtime::WallTime(9s));
  EXPECT_THAT(without_set_aside({old}, {old}), IsEmpty());
  EXPECT_THAT(without_set_aside({again}, {old}), ElementsAre(again));
  EXPECT_THAT(without_set_aside({complete_at("step-60", runtime::WallTime(5s))}, {old}), testing::SizeIs(1));
}

TEST(set_aside, a_torn_checkpoint_is_left_out_until_it_is_complete) {
  const Checkpoint torn{.name = "step-120", .step = 120};
  EXPECT_THAT(without_set_aside({torn}, {torn}), IsEmpty());
  const auto again = complete_at("step-120", runtime::WallTime(9s));
  EXPECT_THAT(without_set_aside({again}, {torn}), ElementsAre(again));
  EXPECT_THAT(without_set_aside({torn}, {again}), ElementsAre(torn));
}

TEST(set_aside, a_list_is_read_as_it_was_written_and_half_a_list_is_none) {
  const Checkpoints list{complete_at("step-120", runtime::WallTime(1'700'000'000'123'456us)),
                         {.name = "epoch=3", .step = 3}};
  const auto text = encode_set_aside(list, {.job_uid = "job", .pod_uid = "pod", .attempt = 2, .index = 0});
  EXPECT_EQ(decode_set_aside(text), list);
  EXPECT_FALSE(decode_set_aside(text.substr(0, text.size() / 2)));
  EXPECT_FALSE(decode_set_aside(R"({"checkpoints":[{"name":"step-1"}]})"));
}

// An object store's mount: names never change. Every attempt is a process of its own.
class MovesNothing final : public VolumeCalls {
 public:
  int rename(const char* /*from*/, const char* /*to*/) override { return EOPNOTSUPP; }
};

class StoreTest : public testing::Test {
 protected:
  [[nodiscard]] std::shared_ptr<Volume> volume() const {
    return posix_volume(root(), std::make_unique<MarkerFormat>(), std::make_shared<MovesNothing>());
  }
  [[nodiscard]] std::filesystem::path root() const { return directory_.path(); }
  [[nodiscard]] runtime::Result<Restored> start(int attempt, ResumePolicy policy,
                                                std::optional<std::int64_t> expected = {}) const {
    Environment env;
    env.format = "Marker";
    env.resume = policy;
    env.expected_step = expected;
    return restore(*volume(), env,
                   {.job_uid = "job", .pod_uid = "pod-" + std::to_string(attempt), .attempt = attempt, .index = 0});
  }
  // The trainer writes a checkpoint over what lies there, later than that.
  void save_again(const std::string& name) const {
    const auto marker = root() / name / "_COMPLETE";
    const auto before = std::filesystem::last_write_time(marker);
    put_checkpoint(root(), name, true);
    std::filesystem::last_write_time(marker, before + 1s);
  }

  TemporaryDirectory directory_;
};

TEST_F(StoreTest, what_a_start_from_scratch_has_renounced_is_never_resumed_again) {
  put_checkpoint(root(), "step-500", true);
  EXPECT_FALSE(start(2, ResumePolicy::FromScratch)->point.step);
  EXPECT_FALSE(start(3, ResumePolicy::Latest)->point.step) << "interrupted before its first checkpoint";
  put_checkpoint(root(), "step-10", true);
  EXPECT_EQ(start(4, ResumePolicy::Latest)->point.step, 10);
  EXPECT_THAT(start(5, ResumePolicy::Latest, 500)->point.rejection, HasSubstr("the newest complete one is step-10"));
}

TEST_F(StoreTest, the_new_run_is_not_pruned_for_the_sake_of_what_was_renounced) {
  put_checkpoint(root(), "step-500", true);
  put_checkpoint(root(), "step-400", true);
  ASSERT_TRUE(start(2, ResumePolicy::FromScratch));
  put_checkpoint(root(), "step-10", true);
  CheckpointWatch watch(volume(), {.keep = 1, .prunes = true});
  watch.look();
  EXPECT_EQ(watch.seen().durable->name, "step-10");
  EXPECT_TRUE(std::filesystem::exists(root() / "step-500"));
}

TEST_F(StoreTest, the_same_step_saved_anew_is_a_checkpoint_like_any_other) {
  put_checkpoint(root(), "step-500", true);
  ASSERT_TRUE(start(2, ResumePolicy::FromScratch));
  save_again("step-500");
  EXPECT_EQ(start(3, ResumePolicy::Latest)->point.step, 500);
  EXPECT_FALSE(start(4, ResumePolicy::FromScratch)->point.step) << "it can be renounced as well";
  EXPECT_FALSE(start(5, ResumePolicy::Latest)->point.step);
}

// Its agent had no time to see it appear.
TEST_F(StoreTest, a_renounced_step_that_is_saved_anew_is_newer_than_what_the_new_run_has_saved_before) {
  const auto note_made = [&](int order, const std::string& name, int attempt) {
    put_text(root() / ".reprise" / "made" / (std::to_string(order) + ".json"),
             R"({"order":)" + std::to_string(order) + R"(,"name":")" + name + R"(","jobUid":"job","attempt":)" +
                 std::to_string(attempt) + "}");
  };
  put_checkpoint(root(), "step-50", true);
  note_made(1, "step-50", 1);
  ASSERT_TRUE(start(2, ResumePolicy::FromScratch));
  put_checkpoint(root(), "step-30", true);
  note_made(2, "step-30", 2);
  save_again("step-50");
  EXPECT_EQ(start(3, ResumePolicy::Latest)->point.step, 50);
}

TEST_F(StoreTest, a_torn_checkpoint_is_reported_once_and_left_out) {
  put_text(root() / ".reprise/attempts/1/resume.json", encode_resume_point({.job_uid = "job", .attempt = 1}));
  put_checkpoint(root(), "step-20", true);
  put_checkpoint(root(), "step-30", false);
  EXPECT_THAT(start(2, ResumePolicy::Latest)->notes, ElementsAre(HasSubstr("torn checkpoint step-30 was left")));
  EXPECT_THAT(start(3, ResumePolicy::Latest)->notes, IsEmpty());
  put_checkpoint(root(), "step-30", true);
  EXPECT_EQ(start(4, ResumePolicy::Latest)->point.step, 30);
}

TEST_F(StoreTest, nothing_is_started_anew_while_what_is_renounced_cannot_be_written_down) {
  put_checkpoint(root(), "step-500", true);
  put_text(root() / ".reprise" / "set-aside", "no directory");
  EXPECT_FALSE(start(2, ResumePolicy::FromScratch));
  EXPECT_FALSE(std::filesystem::exists(root() / ".reprise" / "attempts" / "2" / "resume.json"));
}

TEST_F(StoreTest, no_list_is_ever_written_again) {
  put_checkpoint(root(), "step-500", true);
  put_text(root() / ".reprise" / "set-aside" / "2-pod-2-0.json", "");  // by one that was killed
  ASSERT_TRUE(start(2, ResumePolicy::FromScratch));
  EXPECT_EQ(testing_support::text_in(root() / ".reprise/set-aside/2-pod-2-0.json"), "");
  EXPECT_FALSE(start(3, ResumePolicy::Latest)->point.step);
}

TEST_F(StoreTest, a_list_that_says_nothing_is_an_error_and_brings_no_checkpoint_back) {
  put_checkpoint(root(), "step-500", true);
  ASSERT_TRUE(start(2, ResumePolicy::FromScratch));
  const auto list = root() / ".reprise/set-aside/2-pod-2-0.json";
  const std::string whole = testing_support::text_in(list);
  for (const std::string& text : {whole.substr(0, whole.size() / 2), std::string("{}"), std::string("nothing")}) {
    put_text(list, text);
    const auto restored = start(3, ResumePolicy::Latest);
    ASSERT_FALSE(restored) << text;
    EXPECT_THAT(restored.error().message, HasSubstr("2-pod-2-0.json"));
  }
  put_text(list, whole);
  EXPECT_FALSE(start(3, ResumePolicy::Latest)->point.step);
}

TEST_F(StoreTest, however_long_the_paths_are_all_that_was_renounced_stays_so) {
  constexpr int kMany = 230;
  const std::string place = "team/outputs/" + std::string(120, 'a') + "/" + std::string(120, 'b') + "/";
  Checkpoints renounced;
  for (int step = 1; step <= kMany; ++step)
    renounced.push_back(complete_at(place + "step_" + std::to_string(step), runtime::WallTime(5s)));
  const auto store = volume();
  ASSERT_TRUE(
      SetAside::add(store->files, store->layout, renounced, {.job_uid = "job", .pod_uid = "pod", .attempt = 2}));
  const auto names = *store->files.list(store->layout.set_aside());
  EXPECT_GT(names.size(), 1U);
  for (const std::string& name : names)
    EXPECT_LE(std::filesystem::file_size(store->layout.set_aside() / name), 64U * 1024U)
        << "agents of earlier versions read no more";
  EXPECT_THAT(*SetAside().read(store->files, store->layout), testing::UnorderedElementsAreArray(renounced));
}

TEST_F(StoreTest, a_person_brings_a_checkpoint_back_by_taking_its_list_away) {
  put_checkpoint(root(), "step-500", true);
  ASSERT_TRUE(start(2, ResumePolicy::FromScratch));
  std::filesystem::remove_all(root() / ".reprise" / "set-aside");
  EXPECT_EQ(start(3, ResumePolicy::Latest)->point.step, 500);
}

}  // namespace
}  // namespace reprise::agent
