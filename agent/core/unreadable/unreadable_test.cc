// A start, a list and a watch decide this about checkpoints for which the storage gives an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/aside/list_checkpoints.h"
#include "agent/core/unreadable/unreadable_checkpoints.h"
#include "agent/testing/faulty_files.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::put_hugging_face;
using testing_support::put_listed;
using testing_support::put_text;

class UnreadableTest : public testing_support::LayoutFormatTest {
 protected:
  UnreadableTest() { give("Auto"); }
  void give(const std::string& format, int rename_problem = 0) {
    auto calls = std::make_shared<testing_support::FakeCalls>();
    calls_ = calls.get();
    calls_->rename_problem = rename_problem;
    volume_ = std::make_shared<Volume>(
        root(), make_format(format).value(),
        std::make_unique<const testing_support::FaultyFiles>(faults_, std::move(calls), root()));
    env_.format = format;
  }
  void marked(const std::string& name, const std::string& weights = "weights") const {
    put_text(root() / name / "weights", weights);
    put_text(root() / name / "_COMPLETE", "");
  }
  // By the trainers of this job, as its agent has written down.
  void made(const std::string& name) {
    const std::int64_t order = ++last_order_;
    ASSERT_TRUE(write_made(*volume_, {.order = order, .name = name, .job_uid = "job", .attempt = 1}));
  }
  [[nodiscard]] runtime::Result<Restored> tried(bool is_last) const {
    return restore(*volume_, env_, self_, {}, {.is_last = is_last});
  }
  [[nodiscard]] std::string refused(bool is_last) const {
    const auto restored = tried(is_last);
    return restored ? "" : restored.error().message;
  }
  [[nodiscard]] std::vector<std::string> quarantined() const {
    return volume_->files.list(volume_->layout.quarantine()).value();
  }

  std::shared_ptr<testing_support::Faults> faults_ = std::make_shared<testing_support::Faults>();
  std::int64_t last_order_ = 0;
};

struct OfALibrary {
  const char* format;
  const char* name;
  const char* file;
  void (*put)(const fs::path& directory, int step);
};

void put_torch(const fs::path& file, int /*step*/) {
  put_text(file, testing_support::plain_file());
}
void put_lightning(const fs::path& file, int step) {
  put_text(file, testing_support::lightning_file(step));
}
void put_dcp(const fs::path& directory, int /*step*/) {
  const std::string shard = testing_support::torch_file();
  put_text(directory / "__0_0.distcp", shard);
  put_text(directory / ".metadata", testing_support::dcp_metadata({{"__0_0.distcp", shard.size()}}));
}
void put_sums(const fs::path& directory, int /*step*/) {
  put_listed(directory);
}
void put_deepspeed(const fs::path& directory, int /*step*/) {
  put_text(directory / "mp_rank_00_model_states.pt", testing_support::training_arguments(1, "dp_world_size"));
}
void put_marked(const fs::path& directory, int /*step*/) {
  put_text(directory / "weights.pt", testing_support::torch_file());
  put_text(directory / "_COMPLETE", "");
}

const OfALibrary kLibraries[] = {
    {"HuggingFace", "checkpoint-#", "trainer_state.json", put_hugging_face},
    {"HuggingFace", "checkpoint-#", "optimizer.pt", put_hugging_face},
    {"HuggingFace", "checkpoint-#", "", put_hugging_face},
    {"PyTorchDCP", "step-#", ".metadata", put_dcp},
    {"PyTorchDCP", "step-#", "", put_dcp},
    {"Lightning", "epoch=1-step=#.ckpt", "", put_lightning},
    {"Plain", "checkpoint-#.pt", "", put_torch},
    {"Manifest", "step-#", "SHA256SUMS", put_sums},
    {"Manifest", "step-#", "model.npz", put_sums},
    {"Manifest", "step-#", "", put_sums},
    {"DeepSpeed", "global_step#", "mp_rank_00_model_states.pt", put_deepspeed},
    {"Marker", "step-#", "weights.pt", put_marked},
    {"Marker", "step-#", "", put_marked},
};

class UnreadableOfEach : public UnreadableTest, public testing::WithParamInterface<OfALibrary> {
 protected:
  [[nodiscard]] static std::string named(int step) {
    std::string name = GetParam().name;
    return name.replace(name.find('#'), 1, std::to_string(step));
  }
  void save_three() const {
    for (const int step : {10, 20, 30}) GetParam().put(root() / named(step), step);
  }
  [[nodiscard]] fs::path faulty(int step) const {
    const std::string file = GetParam().file;
    return file.empty() ? root() / named(step) : root() / named(step) / file;
  }
};

TEST_P(UnreadableOfEach, the_newest_that_gives_an_error_is_torn_and_the_one_before_is_resumed_from) {
  for (const char* format : {GetParam().format, "Auto"}) {
    give(format);
    save_three();
    faults_->of_bytes(faulty(30));
    EXPECT_THAT(refused(false), HasSubstr(named(30))) << format;
    const auto restored = tried(true);
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(restored->point.path, named(20)) << format;
    EXPECT_THAT(restored->notes, Contains(HasSubstr("the storage gives an error for checkpoint " + named(30))));
    EXPECT_TRUE(exists(named(30)));
    fs::remove_all(root() / ".reprise");
  }
}

TEST_P(UnreadableOfEach, what_cannot_even_be_looked_at_hides_no_other) {
  save_three();
  faults_->of_all(faulty(30));
  const auto restored = tried(true);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->point.path, named(20));
}

TEST_P(UnreadableOfEach, an_older_one_keeps_nobody_waiting_and_stays) {
  save_three();
  for (const int step : {10, 20, 30}) made(named(step));
  faults_->of_bytes(faulty(20));
  const auto restored = tried(false);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->point.path, named(30));
  EXPECT_TRUE(exists(named(20)));
}

INSTANTIATE_TEST_SUITE_P(Libraries, UnreadableOfEach, testing::ValuesIn(kLibraries));

TEST_F(UnreadableTest, an_error_that_passes_is_no_tear) {
  save(10);
  save(20);
  faults_->of_bytes(root() / "out/checkpoint-20/trainer_state.json");
  EXPECT_NE(refused(false), "");
  faults_->mend();
  const auto restored = tried(false);
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->point.path, "out/checkpoint-20");
}

TEST_F(UnreadableTest, what_says_nothing_of_lost_bytes_leaves_the_volume_unavailable) {
  save(10);
  save(20);
  for (const int problem : {ENOTCONN, ESTALE, ETIMEDOUT}) {
    faults_->of_bytes(root() / "out/checkpoint-20/trainer_state.json", problem);
    EXPECT_NE(refused(true), "") << problem;
  }
  for (const int problem : {EUCLEAN, EBADMSG, ENODATA, EREMOTEIO}) {
    faults_->of_bytes(root() / "out/checkpoint-20/trainer_state.json", problem);
    EXPECT_EQ(refused(true), "") << problem;
    ++self_.attempt;
  }
}

TEST_F(UnreadableTest, a_root_that_gives_an_error_leaves_the_volume_unavailable) {
  save(10);
  faults_->of_bytes(root());
  EXPECT_NE(refused(true), "");
}

TEST_F(UnreadableTest, a_volume_that_gives_no_complete_one_is_unavailable_whether_or_not_one_is_expected) {
  save(10);
  faults_->of_bytes(root() / "out/checkpoint-10/trainer_state.json");
  EXPECT_THAT(refused(true), HasSubstr("nothing is a complete checkpoint"));
  env_.expected_step = 10;
  EXPECT_THAT(refused(true), HasSubstr("trainer_state.json: cannot be read: Input/output error"));
}

TEST_F(UnreadableTest, from_scratch_it_is_put_aside_and_never_deleted) {
  save(10);
  made("out/checkpoint-10");
  faults_->of_bytes(root() / "out/checkpoint-10/trainer_state.json");
  give("HuggingFace");
  env_.resume = ResumePolicy::FromScratch;
  const auto restored = tried(true);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->point.path, "");
  EXPECT_THAT(quarantined(), ElementsAre("out+checkpoint-10.2"));
}

TEST_F(UnreadableTest, where_the_operator_expects_it_a_person_has_to_accept_the_one_before) {
  save(10);
  save(20);
  faults_->of_bytes(root() / "out/checkpoint-20/trainer_state.json");
  env_.expected_step = 20;
  EXPECT_NE(refused(false), "");
  const auto restored = tried(true);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_THAT(restored->point.rejection, HasSubstr("the newest complete one is out/checkpoint-10"));
  EXPECT_THAT(restored->point.rejection, HasSubstr("trainer_state.json: cannot be read: Input/output error"));
  EXPECT_TRUE(exists("out/checkpoint-20"));
  env_.expected_step = 10;
  ++self_.attempt;
  EXPECT_EQ(tried(true)->point.path, "out/checkpoint-10");
}

TEST_F(UnreadableTest, one_of_this_job_is_moved_where_no_agent_deletes_it) {
  for (const int step : {10, 20}) save(step), made("out/checkpoint-" + std::to_string(step));
  faults_->of_bytes(root() / "out/checkpoint-20/trainer_state.json");
  ASSERT_TRUE(tried(true));
  EXPECT_THAT(quarantined(), ElementsAre("out+checkpoint-20.2"));
  EXPECT_THAT(volume_->files.list(volume_->layout.torn()).value(), IsEmpty());
}

TEST_F(UnreadableTest, one_that_cannot_be_moved_is_named_and_the_start_goes_on) {
  calls_->stuck = "checkpoint-20";
  for (const int step : {10, 20}) save(step), made("out/checkpoint-" + std::to_string(step));
  faults_->of_bytes(root() / "out/checkpoint-20/trainer_state.json");
  const auto restored = tried(true);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->point.path, "out/checkpoint-10");
  EXPECT_THAT(restored->notes, Contains(HasSubstr("unreadable checkpoint out/checkpoint-20 was left in place")));
  ++self_.attempt;
  EXPECT_EQ(tried(false)->point.path, "out/checkpoint-10") << "it is written down, and keeps nobody waiting again";
  EXPECT_TRUE(exists("out/checkpoint-20"));
}

TEST_F(UnreadableTest, the_whole_rest_of_its_save_is_not_deleted_either) {
  for (const char* name : {"rank0/step_10", "rank1/step_10", "rank0/step_20", "rank1/step_20"}) {
    put_hugging_face(root() / name, 0);
    marked(name);
    made(name);
  }
  give("Marker");
  faults_->of_bytes(root() / "rank1/step_20/optimizer.pt");
  const auto restored = tried(true);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->point.step, 10);
  EXPECT_THAT(volume_->files.list(volume_->layout.torn()).value(), IsEmpty());
  EXPECT_EQ(quarantined().size(), 2U);
}

TEST_F(UnreadableTest, a_file_that_no_layout_opens_is_tried_before_it_is_resumed_from) {
  give("Marker");
  for (const char* name : {"step-2", "step-4"}) marked(name), made(name);
  faults_->of_bytes(root() / "step-4/weights");
  EXPECT_THAT(scanned(), ElementsAre("step-4 Marker", "step-2 Marker")) << "no scan opens it";
  EXPECT_THAT(refused(false), HasSubstr("weights: cannot be read"));
  const auto restored = tried(true);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->point.path, "step-2");
  EXPECT_THAT(quarantined(), ElementsAre("step-4.2"));
}

TEST_F(UnreadableTest, one_that_only_seems_complete_counts_no_more_where_it_cannot_be_moved) {
  give("Marker", EOPNOTSUPP);
  for (const char* name : {"step-2", "step-4"}) marked(name), made(name);
  faults_->of_bytes(root() / "step-4/weights");
  ASSERT_TRUE(tried(true));
  EXPECT_THAT(scanned(), ElementsAre("step-2 Marker"));
  EXPECT_TRUE(exists("step-4/weights"));
}

TEST_F(UnreadableTest, one_that_only_seems_complete_and_is_not_this_job_s_is_no_progress_of_it) {
  give("Marker");
  for (const char* name : {"step-2", "step-4"}) marked(name);
  faults_->of_bytes(root() / "step-4/weights");
  const auto restored = tried(true);
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->point.path, "step-2");
  EXPECT_TRUE(exists("step-4/weights"));
  CheckpointWatch looks(volume_, {.prunes = true, .before = restored->before, .made = restored->made, .self = self_});
  looks.look();
  EXPECT_EQ(looks.seen().newest->name, "step-2");
  ++self_.attempt;
  EXPECT_EQ(tried(false)->point.path, "step-2") << "nobody waits for it again";
}

TEST_F(UnreadableTest, a_tracker_that_names_it_names_the_one_before) {
  give("Auto");
  save(10);
  save(20);
  put_text(root() / "out/latest", "checkpoint-20");
  faults_->of_bytes(root() / "out/checkpoint-20/trainer_state.json");
  ASSERT_TRUE(tried(true));
  EXPECT_EQ(volume_->files.read(root() / "out/latest").value(), "checkpoint-10");
}

TEST_F(UnreadableTest, data_with_a_bad_block_stops_no_job) {
  put_text(root() / "imagenet-2012/data.npz", testing_support::torch_file());
  put_text(root() / "imagenet-2012/_SUCCESS", "");
  faults_->of_bytes(root() / "imagenet-2012/data.npz");
  EXPECT_EQ(refused(false), "");
  ++self_.attempt;
  save(10);
  EXPECT_EQ(tried(false)->point.path, "out/checkpoint-10");
}

TEST_F(UnreadableTest, a_directory_that_may_hold_checkpoints_is_waited_for_and_then_named) {
  save(10, "a");
  save(20, "b");
  faults_->of_bytes(root() / "b");
  EXPECT_THAT(refused(false), HasSubstr("b, where checkpoints may lie"));
  const auto restored = tried(true);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->point.path, "a/checkpoint-10");
  EXPECT_THAT(restored->notes, Contains(HasSubstr("b (the storage gives an error for it)")));
  fs::remove_all(root() / "a");
  ++self_.attempt;
  EXPECT_THAT(refused(true), HasSubstr("nothing is a complete checkpoint"));
}

TEST_F(UnreadableTest, a_rank_with_a_volume_of_its_own_lists_the_others_at_the_last_try) {
  give("Marker");
  env_.parallelism = 2;
  env_.access = VolumeAccess::PerIndex;
  for (const char* name : {"step-2", "step-4"}) marked(name);
  faults_->of_bytes(root() / "step-4/weights");
  EXPECT_FALSE(list_checkpoints(*volume_, env_, self_, UnreadOlder::IsAnError));
  const auto listed = list_checkpoints(*volume_, env_, self_, UnreadOlder::EndsTheList);
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->checkpoints.size(), 1U);
  EXPECT_EQ(listed->checkpoints.front().step, 2);
  faults_->of_bytes(root() / "step-2/weights");
  EXPECT_FALSE(list_checkpoints(*volume_, env_, self_, UnreadOlder::EndsTheList)) << "all would start anew";
}

TEST_F(UnreadableTest, a_look_of_the_watch_goes_on_and_forgets_nothing) {
  auto looks = watch();
  save(10);
  save(20);
  looks.look();
  ASSERT_EQ(looks.seen().durable->name, "out/checkpoint-20");
  faults_->of_all(root() / "out/checkpoint-20/trainer_state.json");
  looks.look();
  EXPECT_EQ(looks.seen().problem, "");
  EXPECT_EQ(looks.seen().durable->name, "out/checkpoint-20") << "it may be read in a moment";
  EXPECT_EQ(looks.seen().saving, std::nullopt);
  save(30);
  looks.look();
  EXPECT_EQ(looks.seen().durable->name, "out/checkpoint-30");
}

TEST_F(UnreadableTest, what_others_have_made_is_not_taken_for_this_job_s_by_an_error) {
  save(10);
  save(20);
  auto looks = watch();
  faults_->of_all(root() / "out/checkpoint-10/trainer_state.json");
  looks.look();
  faults_->mend();
  looks.look();
  EXPECT_THAT(read_made(*volume_).value(), IsEmpty());
}

TEST_F(UnreadableTest, keep_deletes_no_unreadable_one_that_was_left) {
  give("Auto", EOPNOTSUPP);
  for (const int step : {10, 20}) save(step), made("out/checkpoint-" + std::to_string(step));
  faults_->of_bytes(root() / "out/checkpoint-20/trainer_state.json");
  auto looks = watch(1);
  for (const int step : {30, 40}) {
    save(step);
    looks.look();
  }
  EXPECT_TRUE(exists("out/checkpoint-20/optimizer.pt"));
  EXPECT_FALSE(exists("out/checkpoint-10"));
}

TEST_F(UnreadableTest, an_older_one_of_this_job_is_not_deleted_when_newer_ones_are_durable) {
  for (const int step : {10, 20}) save(step), made("out/checkpoint-" + std::to_string(step));
  faults_->of_bytes(root() / "out/checkpoint-10/trainer_state.json");
  const auto restored = tried(false);
  ASSERT_TRUE(restored) << restored.error().message;
  CheckpointWatch looks(volume_, {.resumed_path = restored->point.path,
                                  .keep = 5,
                                  .prunes = true,
                                  .before = restored->before,
                                  .made = restored->made,
                                  .self = self_});
  for (const int step : {30, 40}) {
    save(step);
    looks.look();
  }
  EXPECT_TRUE(exists("out/checkpoint-10/optimizer.pt"));
}

}  // namespace
}  // namespace reprise::agent
