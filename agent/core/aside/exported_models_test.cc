// A model without a training's state in a directory that is called like a checkpoint is no torn save.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "agent/core/restore/restore.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing_support::put_text;
using testing_support::safetensors_file;
using testing_support::torch_file;

class ExportedModels : public testing_support::LayoutFormatTest {
 protected:
  // Exports as Trainer's save_model() does.
  void export_model(const std::string& name) const {
    put(name, "config.json", "{}");
    put(name, "model.safetensors", safetensors_file());
    put(name, "tokenizer.json", "{}");
    put(name, "training_args.bin", torch_file());
  }
  void put(const std::string& name, const std::string& file, const std::string& bytes) const {
    put_text(root() / name / file, bytes);
  }
  void list(const std::string& name, const std::string& job = "job") {
    ASSERT_TRUE(write_made(*volume_, {.order = ++order_, .name = name, .job_uid = job, .attempt = 1}));
  }
  void start_anew() {
    fs::remove_all(root());
    fs::create_directories(root());
    began();
    order_ = 0;
  }
  int order_ = 0;
};

using Laid = std::function<void(const std::function<void(const std::string&, const std::string&)>&)>;

const Laid kModels[] = {
    [](auto put) { put("model.safetensors", safetensors_file()); },
    [](auto put) { put("pytorch_model.bin", torch_file()); },
    [](auto put) {
      put("adapter_config.json", "{}");
      put("adapter_model.safetensors", safetensors_file());
    },
    [](auto put) {
      put("model.safetensors.index.json", R"({"weight_map": {"a": "model-00001-of-00002.safetensors",
                                                             "b": "model-00002-of-00002.safetensors"}})");
      for (const char* file : {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"})
        put(file, safetensors_file());
    },
    [](auto put) {
      put("model_index.json", "{}");
      put("unet/diffusion_pytorch_model.safetensors", safetensors_file());
      put("scheduler/scheduler_config.json", "{}");
    },
    [](auto put) { put("model-q4.gguf", "GGUF of another runtime"); },
    [](auto put) {
      put("openvino_model.xml", "<net/>");
      put("openvino_model.bin", std::string(64, '\0'));
    },
    [](auto put) {
      put("modules.json", R"([{"path": "1_Pooling", "type": "Pooling"}])");
      put("1_Pooling/config.json", "{}");
      put("model.safetensors", safetensors_file());
    },
};

TEST_F(ExportedModels, stay_where_they_are_and_are_named_older_or_newer_than_the_last_save) {
  for (const Laid& laid : kModels) {
    for (const int step : {10, 30}) {
      start_anew();
      const std::string name = "out/checkpoint-" + std::to_string(step);
      save(20);
      laid([&](const std::string& file, const std::string& bytes) { put(name, file, bytes); });
      SCOPED_TRACE(name + " " + fs::directory_iterator(root() / name)->path().string());
      list("out/checkpoint-20");
      list(name);
      const auto next = restored();
      EXPECT_EQ(next.point.path, "out/checkpoint-20");
      EXPECT_TRUE(exists(name));
      EXPECT_THAT(next.notes, Contains(HasSubstr("NotRecognised: " + name + " was left in place")));
    }
  }
}

TEST_F(ExportedModels, stay_where_nothing_else_is_there) {
  began();
  for (const char* name : {"out/checkpoint-10", "out/checkpoint-20"}) {
    export_model(name);
    list(name);
  }
  const auto next = restored();
  EXPECT_EQ(next.point.path, "");
  EXPECT_TRUE(exists("out/checkpoint-10/model.safetensors"));
  EXPECT_TRUE(exists("out/checkpoint-20/model.safetensors"));
  EXPECT_THAT(next.notes, Contains(HasSubstr("NotRecognised: out/checkpoint-")));
}

TEST_F(ExportedModels, that_show_a_tear_are_torn_saves) {
  const std::string name = "out/checkpoint-30";
  const auto cut = [](const std::string& bytes) { return bytes.substr(0, bytes.size() - 3); };
  const Laid torn[] = {
      [&](auto put) { put("model.safetensors", cut(safetensors_file())); },
      [&](auto put) { put("model.safetensors", ""); },
      [&](auto put) {
        put("adapter_model.safetensors", safetensors_file());
        put("ref/adapter_model.safetensors", cut(safetensors_file()));
      },
      [](auto put) { put("model-00001-of-00002.safetensors", safetensors_file()); },
      [](auto put) {
        put("model.safetensors.index.json",
            R"({"weight_map": {"a": "model-a.safetensors", "b": "model-b.safetensors"}})");
        put("model-a.safetensors", safetensors_file());
      },
      [](auto put) {
        put("modules.json", R"([{"path": "1_Pooling", "type": "Pooling"}])");
        put("model.safetensors", safetensors_file());
      },
      [](auto put) {
        put("model.safetensors", safetensors_file());
        put("optimizer.pt", torch_file());
      },
      [](auto put) {
        put("model.safetensors", safetensors_file());
        put("rng_state_1.pth", torch_file());
      },
      [](auto put) {
        put("model.safetensors", safetensors_file());
        put("global_step30/zero_pp_rank_0_mp_rank_00_optim_states.pt", torch_file());
      },
      [](auto put) { put("config.json", "{}"); },
  };
  int number = 0;
  for (const Laid& laid : torn) {
    SCOPED_TRACE(number++);
    start_anew();
    save(20);
    laid([&](const std::string& file, const std::string& bytes) { put(name, file, bytes); });
    list("out/checkpoint-20");
    list(name);
    EXPECT_EQ(restored().point.path, "out/checkpoint-20");
    EXPECT_FALSE(exists(name));
  }
}

TEST_F(ExportedModels, are_not_deleted_while_a_job_keeps_one_checkpoint) {
  began();
  save(20);
  list("out/checkpoint-20");
  auto watching = watch(1);
  export_model("out/checkpoint-25");
  export_model("out/final");
  watching.look();
  for (const int step : {30, 40}) {
    save(step);
    watching.look();
  }
  EXPECT_FALSE(exists("out/checkpoint-30"));
  EXPECT_TRUE(exists("out/checkpoint-25/model.safetensors"));
  EXPECT_TRUE(exists("out/final/model.safetensors"));
  ++self_.attempt;
  auto next = watch(1);
  save(50);
  next.look();
  EXPECT_TRUE(exists("out/checkpoint-25/model.safetensors"));
}

TEST_F(ExportedModels, lie_in_quarantine_for_good_after_a_start_from_scratch) {
  began();
  save(10);
  export_model("out/checkpoint-20");
  for (const char* name : {"out/checkpoint-10", "out/checkpoint-20"}) list(name);
  env_.resume = ResumePolicy::FromScratch;
  EXPECT_THAT(restored().notes, Contains(HasSubstr("model out/checkpoint-20 was moved to .reprise/quarantine")));
  EXPECT_TRUE(exists(".reprise/quarantine/out+checkpoint-20.2/model.safetensors"));
}

}  // namespace
}  // namespace reprise::agent
