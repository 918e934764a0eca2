#include "agent/check/find_checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/check/check_command.h"
#include "agent/check/print_checkpoints.h"
#include "agent/testing/checkpoint_files.h"
#include "agent/testing/temporary_directory.h"
#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing_support::dcp_metadata;
using testing_support::put_checkpoint;
using testing_support::put_hugging_face;
using testing_support::put_text;
using testing_support::torch_file;
using testing_support::training_arguments;

class Check : public testing::Test {
 protected:
  [[nodiscard]] fs::path root() const { return directory_.path(); }
  [[nodiscard]] std::vector<CheckedCheckpoint> found(std::string_view format = "Auto") const {
    const PosixFiles files(std::make_shared<VolumeCalls>(), root());
    const auto layouts = layouts_named(format);
    auto checked = find_checkpoints(files, *layouts, root());
    EXPECT_TRUE(checked) << checked.error().message;
    return checked.value_or(FoundCheckpoints{}).rows;
  }
  // "<path> <format> <verdict>: <reason>"
  [[nodiscard]] std::vector<std::string> said(std::string_view format = "Auto") const {
    std::vector<std::string> lines;
    for (const auto& each : found(format))
      lines.push_back(each.path + " " + each.format + " " + std::string(name(each.verdict)) +
                      (each.reason.empty() ? "" : ": " + each.reason));
    return lines;
  }
  [[nodiscard]] int run(std::vector<std::string> arguments) const {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = check(arguments);
    printed_ = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
    return code;
  }
  testing_support::TemporaryDirectory directory_;
  mutable std::string printed_;
};

TEST_F(Check, a_part_of_a_save_that_is_not_whole_is_incomplete) {
  for (const char* name : {"step_10_rank0", "step_10_rank1", "step_20_rank1"}) put_checkpoint(root(), name, true);
  EXPECT_THAT(said(), ElementsAre("step_20_rank1 Marker Incomplete: a part of a save of which something is missing or "
                                  "torn, as step_10_rank0",
                                  "step_10_rank0 Marker Complete", "step_10_rank1 Marker Complete"));
}

TEST_F(Check, finds_what_several_libraries_left_on_one_volume_the_newest_step_first) {
  put_hugging_face(root() / "out" / "checkpoint-30", 30);
  put_checkpoint(root(), "step-10", true);
  put_checkpoint(root(), "step-20", false);
  put_text(root() / "lightning_logs/version_0/checkpoints/epoch=1-step=25.ckpt", torch_file());
  put_text(root() / "lightning_logs/version_0/checkpoints/last.ckpt", torch_file());
  put_text(root() / "wandb/run-20261122/files/config.yaml", "a: 1");
  EXPECT_THAT(said(), ElementsAre("out/checkpoint-30 HuggingFace Complete",
                                  "lightning_logs/version_0/checkpoints/epoch=1-step=25.ckpt Lightning Complete",
                                  "step-20 Marker Incomplete: _COMPLETE: is not there, and no .complete or _SUCCESS",
                                  "step-10 Marker Complete"));
}

TEST_F(Check, a_hugging_face_checkpoint_that_would_lose_state_in_silence_is_not_complete) {
  struct Row {
    const char* file;
    const char* reason;
  };
  for (const Row& row :
       {Row{"trainer_state.json", "trainer_state.json: is not there"},
        Row{"optimizer.pt", "optimizer.pt: is not there"}, Row{"scheduler.pt", "scheduler.pt: is not there"},
        Row{"rng_state.pth", "rng_state.pth: is not there"},
        Row{"model.safetensors", "weights: no file with the model's weights is there"}}) {
    put_hugging_face(root() / "checkpoint-5", 5);
    fs::remove(root() / "checkpoint-5" / row.file);
    EXPECT_THAT(said(), ElementsAre(std::string("checkpoint-5 HuggingFace Incomplete: ") + row.reason));
  }
}

TEST_F(Check, each_file_of_a_hugging_face_checkpoint_that_is_cut_off_is_named) {
  for (const char* file :
       {"model.safetensors", "optimizer.pt", "scheduler.pt", "rng_state.pth", "trainer_state.json"}) {
    put_hugging_face(root() / "checkpoint-5", 5);
    const fs::path path = root() / "checkpoint-5" / file;
    fs::resize_file(path, fs::file_size(path) - 3);
    ASSERT_EQ(found().size(), 1U);
    EXPECT_EQ(found()[0].verdict, Verdict::Corrupt) << file;
    EXPECT_TRUE(found()[0].reason.starts_with(file)) << found()[0].reason;
  }
}

TEST_F(Check, each_rank_of_a_hugging_face_run_has_left_its_random_numbers_as_far_as_the_number_of_ranks_is_known) {
  put_hugging_face(root() / "checkpoint-5", 5);
  fs::remove(root() / "checkpoint-5/rng_state.pth");
  for (const char* file : {"rng_state_0.pth", "rng_state_1.pth"})
    put_text(root() / "checkpoint-5" / file, torch_file());
  EXPECT_THAT(said(), ElementsAre("checkpoint-5 HuggingFace Complete")) << "nothing says how many they were";
  const std::string too_few = "checkpoint-5 HuggingFace Incomplete: rng_state_*.pth: there are 2 of 3 ranks";
  put_text(root() / "checkpoint-5/training_args.bin", training_arguments(3));
  EXPECT_THAT(said(), ElementsAre(too_few));
  put_text(root() / "checkpoint-5/training_args.bin", training_arguments(2));
  EXPECT_THAT(said(), ElementsAre("checkpoint-5 HuggingFace Complete"));
  fs::remove(root() / "checkpoint-5/training_args.bin");
  const std::string shard = torch_file();
  put_text(root() / "checkpoint-5/optimizer_0/__2_0.distcp", shard);
  put_text(root() / "checkpoint-5/optimizer_0/.metadata", dcp_metadata({{"__2_0.distcp", shard.size()}}));
  EXPECT_THAT(said(), ElementsAre(too_few)) << "the third one has written a shard";
}

TEST_F(Check, the_random_numbers_of_one_rank_do_not_stand_for_those_of_several) {
  put_hugging_face(root() / "checkpoint-5", 5);
  put_text(root() / "checkpoint-5/training_args.bin", training_arguments(2));
  EXPECT_THAT(said(), ElementsAre("checkpoint-5 HuggingFace Incomplete: rng_state_*.pth: there are 0 of 2 ranks"));
}

TEST_F(Check, a_field_of_one_s_own_that_ends_in_the_number_of_processes_says_nothing_of_ranks) {
  put_hugging_face(root() / "checkpoint-5", 5);
  put_text(root() / "checkpoint-5/training_args.bin", training_arguments(8, "dataset_num_processes"));
  EXPECT_THAT(said(), ElementsAre("checkpoint-5 HuggingFace Complete"));
}

TEST_F(Check, a_hugging_face_save_that_runs_or_is_of_another_step_is_not_complete) {
  put_hugging_face(root() / "checkpoint-5", 6);
  EXPECT_THAT(
      said(),
      ElementsAre(
          "checkpoint-5 HuggingFace Corrupt: trainer_state.json: global_step is 6, the directory is of step 5"));
  put_hugging_face(root() / "checkpoint-5", 5);
  put_text(root() / "checkpoint-5/checkpoint-is-incomplete.txt", "");
  EXPECT_THAT(
      said(),
      ElementsAre("checkpoint-5 HuggingFace Incomplete: checkpoint-is-incomplete.txt: is there: the save did not end"));
}

TEST_F(Check, weights_that_an_index_names_have_to_be_there) {
  put_hugging_face(root() / "checkpoint-5", 5);
  put_text(root() / "checkpoint-5/model.safetensors.index.json",
           R"({"weight_map": {"a": "model-00001-of-00002.safetensors"}})");
  EXPECT_THAT(said(),
              ElementsAre("checkpoint-5 HuggingFace Incomplete: model-00001-of-00002.safetensors: is not there"));
}

TEST_F(Check, shards_without_metadata_are_a_save_that_did_not_end) {
  put_text(root() / "step-7/__0_0.distcp", "bytes");
  EXPECT_THAT(said(), ElementsAre("step-7 PyTorchDCP Incomplete: .metadata: is not there"));
  put_text(root() / "step-7/.metadata", "\x80\x02}.");
  EXPECT_THAT(said(), ElementsAre("step-7 PyTorchDCP Corrupt: .metadata: cannot be read: it was cut off"));
}

TEST_F(Check, an_orbax_step_under_its_temporary_name_or_without_a_time_of_commit_is_not_complete) {
  put_text(root() / "10.orbax-checkpoint-tmp/default/x", "");
  put_text(root() / "20/_CHECKPOINT_METADATA", R"({"item_handlers": {}, "commit_timestamp_nsecs": null})");
  EXPECT_THAT(
      said(),
      ElementsAre("20 Orbax Incomplete: _CHECKPOINT_METADATA: commit_timestamp_nsecs is not set: the save did not end",
                  "10.orbax-checkpoint-tmp Orbax Incomplete: 10.orbax-checkpoint-tmp: bears the name of a save that "
                  "did not end"));
}

TEST_F(Check, an_empty_orbax_step_is_a_save_that_did_not_end_where_the_format_is_named) {
  fs::create_directories(root() / "30");
  fs::create_directories(root() / "images");
  put_text(root() / "20/default/array", "of a version before the marks, perhaps");
  EXPECT_THAT(said("Orbax"), ElementsAre("30 Orbax Incomplete: _CHECKPOINT_METADATA: is not there"));
}

TEST_F(Check, the_directory_itself_may_be_the_checkpoint_and_links_lead_nowhere_else) {
  put_hugging_face(root() / "checkpoint-5", 5);
  fs::create_directory_symlink("checkpoint-5", root() / "latest-5");
  fs::create_directory_symlink(".", root() / "loop-1");
  EXPECT_EQ(said().size(), 1U);
  EXPECT_EQ(run({(root() / "checkpoint-5").string()}), 0);
  EXPECT_THAT(printed_, testing::HasSubstr("HuggingFace"));
}

TEST_F(Check, what_lies_deeper_than_it_looks_is_named) {
  put_checkpoint(root() / "1a/2a/3a/4a/5a/6a/7a/8a/9a", "step-10", true);
  EXPECT_EQ(run({root().string()}), 3);
  EXPECT_THAT(printed_, testing::HasSubstr("reprise-agent: check: not looked into for checkpoints: "
                                           "1a/2a/3a/4a/5a/6a/7a/8a/9a (more than 8 levels down)"));
  EXPECT_EQ(run({(root() / "1a/2a").string()}), 0);
  EXPECT_THAT(printed_, testing::Not(testing::HasSubstr("not looked into")));
}

TEST_F(Check, the_exit_code_says_whether_one_is_complete) {
  EXPECT_EQ(run({root().string()}), 3);
  put_checkpoint(root(), "step-20", false);
  EXPECT_EQ(run({root().string(), "--output", "json"}), 3);
  EXPECT_THAT(printed_, testing::HasSubstr(R"("verdict":"Incomplete")"));
  put_checkpoint(root(), "step-10", true);
  EXPECT_EQ(run({root().string()}), 0);
  EXPECT_EQ(run({root().string(), "--format", "HuggingFace"}), 3);
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{},
                                                {"a", "b"},
                                                {root().string(), "--format"},
                                                {root().string(), "--format", "Zip"},
                                                {root().string(), "--output", "xml"},
                                                {(root() / "nowhere").string()}})
    EXPECT_EQ(run(wrong), 2);
}

TEST_F(Check, a_name_of_any_bytes_is_one_line_of_a_table_and_json_that_can_be_read) {
  fs::create_directories(root() / "step_10\nstep_99 Complete");
  fs::create_directories(root() / "step_20_\xff");
  EXPECT_EQ(run({root().string()}), 3);
  EXPECT_THAT(printed_, testing::HasSubstr("step_10?step_99 Complete"));
  EXPECT_THAT(printed_, testing::HasSubstr("step_20_? "));
  EXPECT_EQ(run({root().string(), "--output", "json"}), 3);
  EXPECT_THAT(printed_, testing::HasSubstr(R"("path":"step_20_?")"));
  EXPECT_THAT(printed_, testing::HasSubstr(R"("path":"step_10\nstep_99 Complete")"));
}

TEST_F(Check, what_only_does_not_fit_its_layout_is_named) {
  put_hugging_face(root() / "checkpoint-10", 10);
  fs::remove(root() / "checkpoint-10/scheduler.pt");
  EXPECT_EQ(run({root().string()}), 3);
  EXPECT_THAT(printed_, testing::HasSubstr("NotRecognised: checkpoint-10 does not fit HuggingFace (scheduler.pt"));
}

}  // namespace
}  // namespace reprise::agent
