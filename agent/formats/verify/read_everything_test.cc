// Faults that only reading each byte brings to light, and lists of sums.
#include "agent/formats/verify/read_everything.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/check/check_command.h"
#include "agent/formats/structure/sha256.h"
#include "agent/formats/structure/sum_list.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::put_text;
using testing_support::sum_of;
using testing_support::torch_file;

TEST(Sha256, gives_the_sums_of_the_standard_however_the_bytes_come) {
  EXPECT_EQ(sum_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sum_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sum_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  for (const std::size_t first : {1U, 55U, 56U, 63U, 64U, 65U}) {
    Sha256 sum;
    sum.add(std::string(first, 'a'));
    sum.add(std::string(200 - first, 'a'));
    EXPECT_EQ(sum.hex(), sum_of(std::string(200, 'a'))) << first;
  }
}

class ReadEverything : public testing_support::LayoutFormatTest {
 protected:
  [[nodiscard]] std::string flaw_of(const std::string& name) const {
    const auto info = volume_->files.look(root() / name, Links::Follow);
    const auto flaw = read_everything(volume_->files, root() / name, **info);
    EXPECT_TRUE(flaw);
    return *flaw ? (*flaw)->reason : "";
  }
  void flip(const std::string& file, std::size_t at) const {
    std::string bytes = testing_support::text_in(root() / file);
    bytes.at(at) = static_cast<char>(bytes.at(at) ^ 1);
    put_text(root() / file, bytes);
  }
  void save_listed(const std::string& name, const std::string& list = "SHA256SUMS") const {
    testing_support::put_listed(root() / name, list);
  }
  [[nodiscard]] static std::size_t place_of_bytes() { return torch_file().find("12345678"); }
  [[nodiscard]] int checks(std::vector<std::string> more) const {
    more.insert(more.begin(), root().string());
    testing::internal::CaptureStdout();
    const int code = check(more);
    printed_ = testing::internal::GetCapturedStdout();
    return code;
  }
  mutable std::string printed_;
};

TEST_F(ReadEverything, a_byte_that_has_changed_in_a_torch_file_is_found_and_named) {
  save(10);
  EXPECT_EQ(flaw_of("out/checkpoint-10"), "");
  flip("out/checkpoint-10/optimizer.pt", place_of_bytes());
  EXPECT_THAT(scanned(), ElementsAre("out/checkpoint-10 HuggingFace")) << "its structure does not show it";
  EXPECT_EQ(flaw_of("out/checkpoint-10"),
            "optimizer.pt: the bytes of archive/data/0 do not have the CRC-32 that the archive says");
}

TEST_F(ReadEverything, the_first_file_whose_bytes_stand_under_no_sum_is_named) {
  const auto unsummed = [&](const std::string& name) {
    const auto info = volume_->files.look(root() / name, Links::Follow);
    return read_and_judge_sums(volume_->files, root() / name, **info)->unsummed;
  };
  put_text(root() / "a/model.pt", torch_file());
  put_text(root() / "a/state.json", R"({"a": 1})" + std::string(5'000, ' '));
  put_text(root() / "a/small.raw", std::string(4'095, '\0') + "x");
  put_text(root() / "a/_COMPLETE", "");
  EXPECT_EQ(unsummed("a"), "");
  put_text(root() / "a/empty", "");
  EXPECT_EQ(unsummed("a"), "empty") << "so xfs leaves a file of a lost machine";
  std::filesystem::remove(root() / "a/empty");
  EXPECT_EQ(unsummed("a/model.pt"), "");
  put_text(root() / "a/small.raw", std::string(4'096, '\0') + "x");
  EXPECT_EQ(unsummed("a"), "small.raw") << "more than a block";
  put_text(root() / "a/small.raw", std::string(100, '\0'));
  EXPECT_EQ(unsummed("a"), "small.raw") << "a block that was never written looks so";
  std::filesystem::remove(root() / "a/small.raw");
  put_text(root() / "a/state.json", R"({"a": 1)" + std::string(5'000, ' '));
  EXPECT_EQ(unsummed("a"), "state.json");
  save_listed("b");
  EXPECT_EQ(unsummed("b"), "");
  put_text(root() / "b/more.raw", std::string(5'000, 'x'));
  EXPECT_EQ(unsummed("b"), "more.raw");
  std::string compressed = torch_file();
  for (std::size_t at = compressed.find("PK\x01\x02"); at != std::string::npos;
       at = compressed.find("PK\x01\x02", at + 1))
    compressed[at + 10] = 8;
  put_text(root() / "c/model.npz", compressed);
  EXPECT_EQ(unsummed("c"), "model.npz") << "what is compressed is not compared";
}

TEST_F(ReadEverything, a_byte_that_has_changed_in_any_tensor_of_a_shard_is_found) {
  const std::string tensor = torch_file();
  put_text(root() / "step-5/__0_0.distcp", tensor);
  put_text(root() / "step-5/.metadata", testing_support::dcp_metadata({{"__0_0.distcp", tensor.size()}}));
  EXPECT_EQ(flaw_of("step-5"), "");
  flip("step-5/__0_0.distcp", place_of_bytes());
  EXPECT_THAT(flaw_of("step-5"), StartsWith("__0_0.distcp, byte 0: the bytes of archive/data/0 do not have"));
}

TEST_F(ReadEverything, a_sum_of_megatron_s_own_list_is_compared) {
  put_text(root() / "iter_0000001/common.pt", torch_file());
  const auto list = [&](const std::string& sum) {
    put_text(root() / "iter_0000001/integrity.json",
             R"({"algorithm": "sha256", "files": {"common.pt": ")" + sum + R"("}})");
  };
  list(sum_of(torch_file()));
  EXPECT_EQ(flaw_of("iter_0000001"), "");
  list(sum_of("other"));
  EXPECT_THAT(flaw_of("iter_0000001"), StartsWith("common.pt: has the SHA-256 "));
}

TEST_F(ReadEverything, the_command_does_so_when_asked_to) {
  save(10);
  flip("out/checkpoint-10/optimizer.pt", place_of_bytes());
  EXPECT_EQ(checks({}), 0);
  EXPECT_EQ(checks({"--verify", "structure"}), 0);
  EXPECT_EQ(checks({"--verify", "full"}), 3);
  EXPECT_THAT(printed_, HasSubstr("Corrupt"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(checks({"--verify", "some"}), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("found \"some\", allowed: structure, full"));
}

TEST_F(ReadEverything, a_directory_whose_list_of_sums_holds_is_complete) {
  for (const char* list : {"SHA256SUMS", "manifest.sha256"}) {
    fs::remove_all(root() / "step-10");
    save_listed("step-10", list);
    EXPECT_THAT(scanned(), ElementsAre("step-10 Manifest")) << list;
    EXPECT_EQ(checks({}), 0);
  }
  EXPECT_EQ(restored().point.path, "step-10");
}

// The right sums show that the bytes are what the trainer has written.
TEST_F(ReadEverything, what_a_list_vouches_for_may_look_like_nothing_that_is_known) {
  const std::string zeros(70, '\0');
  const std::pair<const char*, std::string> files[] = {{"weights.bin", zeros},
                                                       {"weights.pt", "raw"},
                                                       {"model.safetensors", zeros},
                                                       {"rng.pkl", "\x80\x09}"},
                                                       {"empty.pt", ""},
                                                       {"empty.bin", ""},
                                                       {"state.npz", "PK\x03\x04"},
                                                       {"model.pth", zeros},
                                                       {"deep/model.ckpt", zeros},
                                                       {"a\\b.bin", "x"},
                                                       {"with space.bin", "x"},
                                                       {"opt.h5", "\x89HDF\r\n\x1a\n"},
                                                       {"model.msgpack", "\xde\xff"},
                                                       {"optimizer.pickle", "("},
                                                       {"positions.npy", "\x93NUMPY"}};
  for (const auto& [file, bytes] : files) {
    fs::remove_all(root() / "step-10");
    put_text(root() / "step-10" / file, bytes);
    put_text(root() / "step-10/state.json", "{}");
    put_text(root() / "step-10/debug/trace.zip", "PK\x03\x04 of nobody's list");
    const bool is_escaped = std::string_view(file).contains('\\');
    const std::string name = is_escaped ? "a\\\\b.bin" : file, line = (is_escaped ? "\\" : "") + sum_of(bytes);
    const std::string rest = sum_of("{}") + " *./state.json";
    const std::string place = (root() / "step-10").string();
    for (const std::string& list :
         {line + "  " + name + "\n" + rest + "\n", line + " *" + name + "\n" + rest,
          line + "  " + name + "\r\n" + rest + "\r\n",
          (is_escaped ? "\\" : "") + ("SHA256 (" + name + ") = " + sum_of(bytes)) + "\n" + rest,
          sum_of("") + "  SHA256SUMS\n" + line + "  ./" + name + "\n",
          line + "  step-10/" + name + "\n" + sum_of("{}") + "  step-10/state.json\n",
          line + "  " + place + "/" + name + "\n", line + "  /elsewhere/step-10.tmp/" + name + "\n",
          "# by a script\n\n" + line + " " + name + "\n" + rest + "\n", "\xef\xbb\xbf" + line + "\t" + name + "\n"}) {
      put_text(root() / "step-10/SHA256SUMS", list);
      EXPECT_THAT(scanned(), ElementsAre("step-10 Manifest")) << list;
      EXPECT_EQ(checks({}), 0) << list;
      EXPECT_EQ(checks({"--verify", "full"}), 0) << list;
    }
    if (bytes.empty()) continue;
    put_text(root() / "step-10" / file, std::string(bytes.size(), 'y'));
    put_text(root() / "step-10/SHA256SUMS", line + "  " + name + "\n");
    EXPECT_THAT(scanned(), ElementsAre("!step-10 Manifest")) << file;
  }
}

// A data set would be read before the first start, and a mark has said before what is complete.
TEST_F(ReadEverything, a_list_says_nothing_of_data_nor_of_what_bears_a_mark) {
  save_listed("imagenet-2012");
  EXPECT_THAT(scanned(), testing::IsEmpty());
  save_listed("step-10");
  put_text(root() / "step-10" / "SHA256SUMS", "of another make");
  put_text(root() / "step-10" / "_COMPLETE", "");
  EXPECT_THAT(scanned(), ElementsAre("step-10 Marker"));
}

TEST_F(ReadEverything, a_mark_outweighs_no_sums_that_do_not_hold) {
  const auto marked = [&](const std::string& file, const std::string& text) {
    fs::remove_all(root() / "step-20");
    save_listed("step-20");
    put_text(root() / "step-20" / file, text);
    put_text(root() / "step-20/_COMPLETE", "");
    return scanned();
  };
  const std::string list = sum_of("weights of step-20") + "  model.npz\n";
  EXPECT_THAT(marked("log.txt", "of no list"), ElementsAre("step-20 Marker"));
  EXPECT_THAT(marked("more.npz", "of no list"), ElementsAre("step-20 Marker")) << "the mark says that it is whole";
  EXPECT_THAT(marked("model.npz", "weights of step-21"), ElementsAre("!step-20 Marker"));
  EXPECT_THAT(marked("SHA256SUMS", list + sum_of("{}") + "  gone.json\n"), ElementsAre("!step-20 Marker"));
  EXPECT_THAT(marked("SHA256SUMS", list + sum_of("{}").substr(0, 30)), ElementsAre("!step-20 Marker"));
  EXPECT_THAT(marked("SHA256SUMS", ""), ElementsAre("!step-20 Marker"));
  EXPECT_THAT(marked("deep/SHA256SUMS", sum_of("x") + "  model.npz\n"), ElementsAre("!step-20 Marker"));
  put_text(root() / "imagenet-2012/SHA256SUMS", sum_of("x") + "  image.npz\n");
  put_text(root() / "imagenet-2012/image.npz", "another");
  put_text(root() / "imagenet-2012/_SUCCESS", "");
  EXPECT_THAT(scanned(), testing::Contains("imagenet-2012 Marker")) << "data is not read";
}

TEST_F(ReadEverything, a_directory_whose_list_does_not_hold_is_never_complete) {
  const auto wrong = [&](const std::string& file, const std::string& text) {
    save_listed("step-20");
    put_text(root() / "step-20" / file, text);
    EXPECT_THAT(scanned(), ElementsAre("!step-20 Manifest")) << file << ": " << text;
    EXPECT_EQ(checks({}), 3);
  };
  const std::string list = sum_of("weights of step-20") + "  model.npz\n";
  wrong("model.npz", "weights of step-21");
  wrong("model.npz", "");
  wrong("SHA256SUMS", "");
  wrong("SHA256SUMS", "\n");
  wrong("SHA256SUMS", list + sum_of("{}").substr(0, 30) + "\n");
  wrong("SHA256SUMS", list + sum_of("{}") + "  gone.json\n");
  wrong("SHA256SUMS", list + sum_of("x") + "  ../step-10/model.npz\n");
  wrong("SHA256SUMS", list + sum_of("x") + "  model.npz\n");
  wrong("SHA256SUMS", sum_of("{}") + "  state.json\n");
  wrong("more.npz", "with weights, and not in the list");
}

TEST_F(ReadEverything, data_that_is_newer_spares_no_checkpoint_its_sums) {
  save_listed("step-10");
  save_listed("step-20");
  flip("step-20/model.npz", 3);
  put_text(root() / "data-2024/_SUCCESS", "");
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(root() / "step-20/SHA256SUMS", now + std::chrono::seconds(1));
  fs::last_write_time(root() / "data-2024/_SUCCESS", now + std::chrono::seconds(2));
  EXPECT_THAT(scanned(), testing::UnorderedElementsAre("data-2024 Marker", "step-10 Manifest", "!step-20 Manifest"));
}

TEST_F(ReadEverything, a_volume_that_cannot_be_read_says_nothing_about_a_checkpoint) {
  save_listed("step-10");
  fs::create_symlink("/proc/self/mem", root() / "step-10/notes");  // opens, and no byte of it can be read at 0
  EXPECT_THAT(scanned(), ElementsAre("!step-10 Manifest"));
  for (const bool is_last : {false, true}) {
    const auto found = restore(*volume_, env_, self_, {}, {.is_last = is_last});
    ASSERT_FALSE(found) << "a torn one would be put aside";
    EXPECT_THAT(found.error().message, HasSubstr("step-10 (notes: cannot be read"));
  }
  EXPECT_EQ(checks({}), 3);
  EXPECT_THAT(printed_, HasSubstr("notes: cannot be read"));
  fs::remove(root() / "step-10/notes");
  EXPECT_THAT(scanned(), ElementsAre("step-10 Manifest"));
}

TEST_F(ReadEverything, a_link_that_leads_around_in_a_circle_is_not_followed_and_one_that_the_list_names_is) {
  save_listed("step-10");
  fs::create_directory_symlink(".", root() / "step-10/itself");
  EXPECT_THAT(scanned(), ElementsAre("step-10 Manifest"));
  put_text(root() / "base/model.npz", "weights to start from");
  fs::create_directory_symlink("../base", root() / "step-10/base");
  const std::string list =
      sum_of("weights of step-10") + "  model.npz\n" + sum_of("weights to start from") + "  base/model.npz\n";
  put_text(root() / "step-10/SHA256SUMS", list);
  EXPECT_THAT(scanned(), ElementsAre("step-10 Manifest"));
  put_text(root() / "base/model.npz", "weights to part with");
  put_text(root() / "step-10/SHA256SUMS", list + "\n");  // a list that has changed is read again
  EXPECT_THAT(scanned(), ElementsAre("!step-10 Manifest"));
}

TEST_F(ReadEverything, the_newest_with_a_list_is_read_once_and_the_one_before_it_only_when_that_has_a_flaw) {
  for (const char* name : {"step-10", "step-20", "step-30"}) {
    save_listed(name);
    const auto time = fs::file_time_type::clock::now() + std::chrono::seconds(name[5] - '0');
    fs::last_write_time(root() / name / "SHA256SUMS", time);
  }
  flip("step-30/model.npz", 3);
  flip("step-10/model.npz", 3);
  const auto calls_of_a_look = [&] {
    int calls = 0;
    calls_->on_call = [&] { ++calls; };
    EXPECT_THAT(scanned(), ElementsAre("!step-30 Manifest", "step-20 Manifest", "step-10 Manifest"));
    calls_->on_call = nullptr;
    return calls;
  };
  const int first = calls_of_a_look();
  const int second = calls_of_a_look();
  EXPECT_LT(second, first);
  EXPECT_EQ(restored().point.path, "step-20");
}

// The newest to resume from is that of the last attempt, whatever the clock of the machine was by which it was
// completed.
TEST_F(ReadEverything, nothing_is_resumed_from_whose_sums_were_not_compared) {
  std::int64_t order = 0;
  for (const char* name : {"step-10", "step-20"}) {
    save_listed(name);
    ++order;
    ASSERT_TRUE(write_made(
        *volume_, {.order = order, .name = name, .job_uid = "job", .attempt = static_cast<std::int32_t>(order)}));
  }
  fs::last_write_time(root() / "step-10/SHA256SUMS", fs::file_time_type::clock::now() + std::chrono::minutes(5));
  flip("step-20/model.npz", 3);
  self_.attempt = 3;
  EXPECT_EQ(restored().point.path, "step-10");
  EXPECT_FALSE(exists("step-20")) << "out of the way of who looks for the newest";
}

TEST_F(ReadEverything, nothing_counts_as_saved_whose_sums_were_not_compared) {
  save_listed("step-10");
  ASSERT_TRUE(write_made(*volume_, {.order = 1, .name = "step-10", .job_uid = "job", .attempt = 1}));
  fs::last_write_time(root() / "step-10/SHA256SUMS", fs::file_time_type::clock::now() + std::chrono::minutes(5));
  auto watching = watch();
  save_listed("step-20");
  flip("step-20/model.npz", 3);
  for (int look = 0; look < 2; ++look) {
    watching.look();
    const auto& durable = watching.seen().durable;
    EXPECT_EQ(durable ? durable->name : "step-10", "step-10") << "look " << look;
  }
  ASSERT_TRUE(watching.seen().durable);
  save_listed("step-20");
  fs::last_write_time(root() / "step-20/SHA256SUMS", fs::file_time_type::clock::now() + std::chrono::seconds(1));
  watching.look();
  EXPECT_EQ(watching.seen().durable->name, "step-20");
}

// A shard of a save by more ranks, in the same directory before. A shard is archives one behind the other.
TEST_F(ReadEverything, a_shard_that_the_metadata_does_not_name_is_read_and_not_judged) {
  put_text(root() / "step-1/__0_0.distcp", torch_file());
  put_text(root() / "step-1/__1_0.distcp", torch_file() + torch_file());
  put_text(root() / "step-1/.metadata", testing_support::dcp_metadata({{"__0_0.distcp", torch_file().size()}}));
  EXPECT_EQ(flaw_of("step-1"), "");
}

}  // namespace
}  // namespace reprise::agent
