#include "agent/formats/verify/contents_digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "agent/formats/search/checkpoint_search.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing_support::put_text;
using testing_support::torch_file;

class NewestJudged : public testing_support::LayoutFormatTest {
 protected:
  static constexpr int kLooksUntilBelieved = 4;
  const fs::path optimizer_ = root() / "out/checkpoint-20/optimizer.pt";

  void look_until_believed() {
    save(10);
    save(20);
    for (int look = 0; look < kLooksUntilBelieved; ++look)
      ASSERT_THAT(scanned(), Contains("out/checkpoint-20 HuggingFace"));
  }
  int calls_of_a_look() {
    int calls = 0;
    calls_->on_call = [&] { ++calls; };
    static_cast<void>(scanned());
    calls_->on_call = nullptr;
    return calls;
  }
  void change_in_place(const std::string& text) const {
    const auto before = fs::last_write_time(optimizer_);
    put_text(optimizer_, text);
    fs::last_write_time(optimizer_, before + std::chrono::seconds(1));
  }
};

TEST_F(NewestJudged, opens_no_file_once_two_looks_have_judged_the_same) {
  save(10);
  save(20);
  static_cast<void>(scanned());
  const int judged = calls_of_a_look();
  look_until_believed();
  EXPECT_LT(calls_of_a_look(), judged);
}

TEST_F(NewestJudged, a_file_that_is_cut_in_place_is_seen_at_the_next_look) {
  look_until_believed();
  change_in_place(torch_file().substr(0, torch_file().size() / 2));
  EXPECT_THAT(scanned(), Contains("!out/checkpoint-20 HuggingFace"));
}

TEST_F(NewestJudged, a_file_of_the_same_size_that_is_written_anew_is_seen_at_the_next_look) {
  look_until_believed();
  change_in_place(std::string(torch_file().size(), '\0'));
  EXPECT_THAT(scanned(), Contains("!out/checkpoint-20 HuggingFace"));
}

TEST_F(NewestJudged, what_changes_without_a_time_is_seen_before_long) {
  look_until_believed();
  const auto before = fs::last_write_time(optimizer_);
  put_text(optimizer_, std::string(torch_file().size(), '\0'));
  fs::last_write_time(optimizer_, before);
  int looks = 1;
  while (scanned().front() == "out/checkpoint-20 HuggingFace" && looks < 1'000) ++looks;
  EXPECT_LE(looks, SearchLimits{}.looks_until_judged_again);
}

TEST_F(NewestJudged, a_change_in_a_directory_below_changes_the_digest) {
  put_text(root() / "step_1/rank_0/weights.bin", "one");
  const PosixFiles files(std::make_shared<VolumeCalls>(), root());
  const auto before = digest_of_contents(files, root() / "step_1");
  EXPECT_EQ(digest_of_contents(files, root() / "step_1"), before);
  put_text(root() / "step_1/rank_0/weights.bin", "three");
  EXPECT_NE(digest_of_contents(files, root() / "step_1"), before);
}

TEST_F(NewestJudged, what_is_too_deep_has_no_digest) {
  fs::path deep = root() / "step_1";
  for (int depth = 0; depth <= kDeepestDigested; ++depth) deep /= "a";
  put_text(deep / "weights.bin", "one");
  const PosixFiles files(std::make_shared<VolumeCalls>(), root());
  EXPECT_EQ(digest_of_contents(files, root() / "step_1"), std::nullopt);
}

}  // namespace
}  // namespace reprise::agent
