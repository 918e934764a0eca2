#include "agent/formats/names/short_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/names/name_words.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(short_number, a_count_that_is_written_short_is_read_whole_or_not_known) {
  for (const auto& [name, step] :
       std::initializer_list<std::pair<std::string_view, std::int64_t>>{{"step_1k", 1'000},
                                                                        {"step-1.5k", 1'500},
                                                                        {"step_9e2", 900},
                                                                        {"step_1E+3", 1'000},
                                                                        {"1M", 1'000'000},
                                                                        {"checkpoint-100K", 100'000},
                                                                        {"iter_0.25M", 250'000},
                                                                        {"step_2b_rank3", 2'000'000'000},
                                                                        {"step_1,000", 1'000},
                                                                        {"step_12,000,000", 12'000'000},
                                                                        {"step_10k.pt", 10'000},
                                                                        {"epoch_1k", 1'000},
                                                                        {"step_1k_of_2k", 1'000},
                                                                        {"step_1million", 1'000'000}}) {
    EXPECT_EQ(step_of(name), step) << name;
    EXPECT_EQ(read_save_name(name).step, step) << name;
  }
  for (const char* name : {"step_1Ki", "step_1.2345k", "checkpoint-9e2f3a", "step_1kb", "step_99999999999999g",
                           "step_1e99", "llama-7b", "model_1k", "gpt-1.3B"})
    EXPECT_EQ(step_of(name), std::nullopt) << name;
  for (const auto& [name, step] :
       std::initializer_list<std::pair<std::string_view, std::int64_t>>{{"step_20", 20},
                                                                        {"step_30.1", 30},
                                                                        {"ep0-ba100", 100},
                                                                        {"step_5_eval", 5},
                                                                        {"1of4_step30", 30},
                                                                        {"step_10,20", 10},
                                                                        {"20261128T113350", 2026112811335000},
                                                                        {"step_20_m3", 20},
                                                                        {"epoch=3-val_loss=0.25", 3}})
    EXPECT_EQ(step_of(name), step) << name;
}

TEST(short_number, what_differs_in_such_a_count_alone_is_of_one_kind_and_one_part) {
  EXPECT_EQ(naming_of("step_1k"), naming_of("step_900"));
  EXPECT_EQ(naming_of("step_9e2"), naming_of("step_1000"));
  EXPECT_EQ(read_save_name("step_1.5k_rank0").part, read_save_name("step_900_rank0").part);
  EXPECT_EQ(parts_of_name("step_1.5k-tmp").size(), 3U);
}

class ShortNumber : public testing_support::LayoutFormatTest {};

TEST_F(ShortNumber, the_newest_is_resumed_from_and_a_part_of_one_is_none) {
  for (const char* name : {"step_900", "step_1k", "step_1.1k/rank_0"})
    testing_support::put_text(root() / name / "_COMPLETE", "");
  EXPECT_THAT(scanned(), ElementsAre("!step_1.1k Marker", "step_1k Marker", "step_900 Marker"));
  EXPECT_EQ(restored().point.path, "step_1k");
}

TEST_F(ShortNumber, what_says_no_clear_number_is_named_and_left_alone) {
  testing_support::put_text(root() / "step_1Ki/_COMPLETE", "");
  EXPECT_THAT(scanned(), IsEmpty());
  EXPECT_THAT(volume_->format->not_taken(), HasSubstr("step_1Ki (marked as complete"));
}

}  // namespace
}  // namespace reprise::agent
