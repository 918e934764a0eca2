#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "rehearsal/report/report_json.h"
#include "rehearsal/report/report_page.h"
#include "rehearsal/report/report_text.h"
#include "rehearsal/report/summary.h"
#include "rehearsal/report/testing/sample_report.h"

namespace reprise::rehearsal {
namespace {

using runtime::Duration;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const Tile* tile(const std::vector<Tile>& tiles, const std::string& label) {
  for (const Tile& tile : tiles)
    if (tile.label == label) return &tile;
  return nullptr;
}

RunReport with_interruptions(std::vector<ReportInterruption> interruptions) {
  RunReport report{.title = "t", .length = Duration(60'000)};
  report.interruptions = std::move(interruptions);
  return report;
}

TEST(Verdict, says_in_words_what_happened) {
  const ReportInterruption good{.resumed_after = Duration(1), .survived = true, .steps_lost = 0}, never;
  EXPECT_EQ(verdict_of(with_interruptions({})), "Ran without an interruption");
  EXPECT_EQ(verdict_of(with_interruptions({good})), "Survived its interruption");
  EXPECT_EQ(verdict_of(with_interruptions({good, good})), "Survived all 2 interruptions");
  EXPECT_EQ(verdict_of(with_interruptions({good, never})),
            "Survived 1 of 2 interruptions; the run ended before the rest");
  RunReport failed = with_interruptions({good});
  failed.survived = false;
  EXPECT_EQ(verdict_of(failed), "Did not survive");
}

TEST(Summary, adds_up_what_the_interruptions_cost) {
  const auto sums = sums_of(
      with_interruptions({{.save_took = Duration(900),
                           .resumed_after = Duration(5'000),
                           .survived = true,
                           .saved = true,
                           .step_resumed = 97,
                           .steps_lost = 3,
                           .training_lost = Duration(300)},
                          {.save_took = Duration(7'000), .steps_lost = 40},
                          {.resumed_after = Duration(1'000), .survived = true, .saved = true, .steps_lost = 0}}));
  EXPECT_EQ(sums.interruptions, 3);
  EXPECT_EQ(sums.survived, 2);
  EXPECT_EQ(sums.saved, 2);
  EXPECT_EQ(sums.steps_lost, 43);
  EXPECT_EQ(sums.training_lost, Duration(300));
  EXPECT_EQ(sums.slowest_save, Duration(900)) << "what was never saved took no time to save";
  EXPECT_EQ(sums.median_way_back, Duration(1'000));
  EXPECT_EQ(sums.longest_way_back, Duration(5'000));
  EXPECT_FALSE(sums.percent_saved);
}

TEST(Summary, money_saved_is_against_on_demand_and_may_be_lost) {
  RunReport report = with_interruptions({});
  report.cost = ReportCost{.spent = 1, .on_demand = 4};
  ASSERT_NE(tile(tiles_of(report), "Money saved"), nullptr);
  EXPECT_EQ(tile(tiles_of(report), "Money saved")->value, "75 %");
  EXPECT_EQ(tile(tiles_of(report), "Money saved")->note, "$1.00, on demand $4.00");
  report.cost = ReportCost{.spent = 5, .on_demand = 4};
  ASSERT_NE(tile(tiles_of(report), "Dearer than on demand"), nullptr);
  report.cost = ReportCost{.spent = 5, .on_demand = 0};
  EXPECT_EQ(tile(tiles_of(report), "Money saved"), nullptr) << "nothing to compare with";
}

TEST(Summary, an_interruption_that_was_not_survived_is_a_cross) {
  const auto tiles =
      tiles_of(with_interruptions({{.resumed_after = Duration(1), .survived = true, .steps_lost = 0}, {}}));
  const Tile* survived = tile(tiles, "Interruptions survived");
  ASSERT_NE(survived, nullptr);
  EXPECT_EQ(survived->value, "1 of 2");
  EXPECT_TRUE(survived->judgement);
  EXPECT_FALSE(survived->good);
}

TEST(Summary, what_had_nothing_new_to_save_has_not_failed_to_save) {
  const ReportInterruption saved{.save_took = Duration(3'000), .saved = true, .steps_lost = 0};
  const ReportInterruption nothing_new{.steps_lost = 0}, lost{.steps_lost = 4}, unknown{};
  const auto judged = [](std::vector<ReportInterruption> interruptions) {
    return *tile(tiles_of(with_interruptions(std::move(interruptions))), "Saved within the notice");
  };
  const Tile good = judged({saved, nothing_new});
  EXPECT_EQ(good.value, "1 of 2");
  EXPECT_EQ(good.note, "slowest save 3 s; 1 had nothing new to save");
  EXPECT_TRUE(good.good);
  EXPECT_FALSE(judged({nothing_new}).judgement) << "neither praise nor blame";
  EXPECT_FALSE(judged({saved, lost}).good);
  EXPECT_FALSE(judged({saved, unknown}).good);
}

// One of several jobs may survive each of its interruptions beside another that never starts.
TEST(Summary, counts_what_was_survived_whatever_the_verdict_on_the_whole) {
  const ReportInterruption good{.resumed_after = Duration(1), .survived = true, .saved = true, .steps_lost = 0}, bad{};
  const auto judged = [](std::vector<ReportInterruption> interruptions) {
    RunReport report = with_interruptions(std::move(interruptions));
    report.survived = false;
    return report;
  };
  for (const RunReport& report : {judged({good, good}), judged({good, bad, good})}) {
    const auto parsed = boost::json::parse(report_json(report));
    EXPECT_FALSE(parsed.at("survived").as_bool());
    EXPECT_EQ(parsed.at("verdict").as_string(), "Did not survive");
    EXPECT_EQ(parsed.at("sums").at("survived").as_int64(), 2);
    for (std::size_t i = 0; i < report.interruptions.size(); ++i)
      EXPECT_EQ(parsed.at("interruptions").at(i).at("survived").as_bool(), report.interruptions[i].survived) << i;
  }
  EXPECT_EQ(tile(tiles_of(judged({good, bad})), "Interruptions survived")->value, "1 of 2");
}

TEST(Summary, steps_that_are_not_known_are_not_reported_as_none) {
  const auto note = [](std::vector<ReportInterruption> interruptions) {
    return tile(tiles_of(with_interruptions(std::move(interruptions))), "Training lost")->note;
  };
  const ReportInterruption silent{.training_lost = Duration(45'000)}, four{.steps_lost = 4};
  EXPECT_EQ(note({silent}), "steps not known");
  EXPECT_EQ(note({silent, four}), "at least 4 steps");
}

TEST(ReportJson, where_there_is_no_value_there_is_null) {
  const std::string text = report_json(with_interruptions({{.job = "a"}}));
  for (const char* key : {"saveSeconds", "stepSaved", "stepResumed", "stepsLost", "slowestSaveSeconds"})
    EXPECT_THAT(text, HasSubstr("\"" + std::string(key) + "\": null")) << text;
}

TEST(Summary, what_was_survived_is_what_the_rules_accept_and_not_that_it_trains_again) {
  const ReportInterruption again{.resumed_after = Duration(1'000), .step_resumed = 30};
  const ReportInterruption ended_by_itself{.survived = true};
  const ReportInterruption from_before{.resumed_after = Duration(1'000), .survived = true, .steps_lost = 10};
  EXPECT_EQ(sums_of(with_interruptions({again})).survived, 0);
  EXPECT_EQ(sums_of(with_interruptions({ended_by_itself})).survived, 1);
  EXPECT_EQ(sums_of(with_interruptions({from_before})).survived, 1);
  EXPECT_EQ(sums_of(with_interruptions({again, from_before})).median_way_back, Duration(1'000))
      << "it was back all the same";
  EXPECT_THAT(report_text(with_interruptions({ended_by_itself})), Not(HasSubstr("never")));
}

TEST(ReportText, has_verdict_reasons_figures_and_a_row_per_interruption) {
  RunReport report = with_interruptions({{.job = "vision/a",
                                          .at = Duration(61'000),
                                          .notice = Duration(120'000),
                                          .save_took = Duration(4'000),
                                          .resumed_after = Duration(90'000),
                                          .survived = true,
                                          .saved = true,
                                          .step_at_notice = 1'200,
                                          .step_saved = 1'200,
                                          .step_resumed = 1'200,
                                          .steps_lost = 0,
                                          .node = "kwok-1"}});
  report.facts = {{.label = "Torn checkpoints", .value = "2", .good = false, .judgement = true},
                  {.label = "Note", .value = "in a directory of its own"},
                  {.label = "Weights", .value = "equal", .judgement = true, .headline = true}};
  report.survived = false;
  report.reasons = {"resumed from zero: save below /checkpoints"};
  EXPECT_EQ(report_text(report),
            "t\n"
            "\n"
            "Did not survive\n"
            "  - resumed from zero: save below /checkpoints\n"
            "\n"
            "  ok  Interruptions survived   1 of 1\n"
            "  ok  Saved within the notice  1 of 1      slowest save 4 s\n"
            "      Training again after     1 min 30 s  median; longest 1 min 30 s\n"
            "      Training lost            0 steps\n"
            "      Length of the run        1 min\n"
            "  ok  Weights                  equal\n"
            "\n"
            "Interruptions\n"
            "  at       job       node    notice  saved in  step   resumed  lost  back after\n"
            "  0:01:01  vision/a  kwok-1  2 min   4 s       1,200  1,200    0     1 min 30 s\n"
            "\n"
            "Findings\n"
            "  NO  Torn checkpoints  2\n"
            "      Note              in a directory of its own\n");
}

TEST(ReportText, the_summary_is_its_begin) {
  const RunReport report = testing::sample_report();
  EXPECT_TRUE(report_text(report).starts_with(report_summary(report) + "\nInterruptions\n"));
}

TEST(ReportText, never_reaches_the_terminal_as_a_command) {
  EXPECT_THAT(report_text(testing::hostile_report()), Not(HasSubstr("\x1b")));
}

TEST(ReportText, stays_readable_for_thousands_of_interruptions) {
  EXPECT_THAT(report_text(testing::huge_report(5'000)), HasSubstr("\n  and 4,800 more\n"));
}

TEST(ReportJson, has_its_keys_in_the_order_promised) {
  const auto parsed = boost::json::parse(report_json(testing::sample_report())).as_object();
  std::vector<std::string> keys;
  for (const auto& member : parsed) keys.emplace_back(member.key());
  EXPECT_THAT(keys, ElementsAre("version", "title", "subtitle", "survived", "shown", "verdict", "reasons",
                                "lengthSeconds", "speed", "sums", "cost", "facts", "interruptions", "lanes", "lines"));
  keys.clear();
  for (const auto& member : parsed.at("interruptions").at(0).as_object()) keys.emplace_back(member.key());
  EXPECT_THAT(keys, ElementsAre("job", "node", "atSeconds", "noticeSeconds", "saved", "saveSeconds", "stepAtNotice",
                                "stepSaved", "stepResumed", "stepsLost", "trainingLostSeconds", "resumedAfterSeconds",
                                "survived", "lastLines"));
  keys.clear();
  for (const auto& member : parsed.at("sums").as_object()) keys.emplace_back(member.key());
  EXPECT_THAT(keys, ElementsAre("interruptions", "survived", "saved", "stepsLost", "trainingLostSeconds",
                                "slowestSaveSeconds", "medianWayBackSeconds", "longestWayBackSeconds", "percentSaved"));
}

TEST(ReportJson, keeps_everything_and_says_null_for_what_is_not_known) {
  const auto huge = boost::json::parse(report_json(testing::huge_report(5'000)));
  EXPECT_EQ(huge.at("lanes").as_array().size(), 5'001U);
  EXPECT_EQ(huge.at("lanes").at(5'000).at("marks").as_array().size(), 5'000U);
  EXPECT_EQ(huge.at("lines").as_array().size(), 5'000U);
  EXPECT_TRUE(huge.at("cost").is_null());
  const auto hostile = boost::json::parse(report_json(testing::hostile_report()));
  EXPECT_TRUE(hostile.at("interruptions").at(10).at("resumedAfterSeconds").is_null());
  EXPECT_THAT(std::string(hostile.at("title").as_string()), StartsWith("</title></style><script>"));
}

TEST(ReportJson, numbers_are_written_as_people_write_them) {
  const std::string text = report_json(testing::sample_report());
  EXPECT_THAT(text, HasSubstr("\"saveSeconds\": 9.4,"));
  EXPECT_THAT(text, HasSubstr("\"lengthSeconds\": 5400,"));
  EXPECT_THAT(text, HasSubstr("\"cost\": {\"spentUsd\": 2.18, \"onDemandUsd\": 6.47}"));
}

TEST(ReportJson, the_same_report_gives_the_same_bytes) {
  EXPECT_EQ(report_json(testing::sample_report()), report_json(testing::sample_report()));
}

TEST(ReportPage, needs_nothing_else) {
  const std::string page = report_page(testing::sample_report());
  for (const char* outside : {"src=", "http:", "https:", "@import", "<script", "<link rel=\"stylesheet"})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
}

TEST(ReportPage, no_text_of_a_report_becomes_markup) {
  const std::string page = report_page(testing::hostile_report());
  for (const char* markup : {"<script", "<img", "\x1b", "\xff"}) EXPECT_THAT(page, Not(HasSubstr(markup)));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
}

TEST(ReportPage, a_huge_report_is_thinned_and_the_page_says_so) {
  const std::string page = report_page(testing::huge_report(30'000));
  EXPECT_LT(page.size(), 4'000'000U);
  for (const char* word : {"Not drawn, for there would be too much to see: 29,925 rows",
                           "29,500 more are not shown here", "lines left out here"})
    EXPECT_NE(page.find(word), std::string::npos) << word;
}

TEST(ReportPage, a_report_without_anything_is_still_a_page) {
  const std::string page = report_page({});
  EXPECT_THAT(page, HasSubstr("Ran without an interruption"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_THAT(page, Not(HasSubstr("<table")));
}

TEST(ReportVerdict, that_has_shown_nothing_is_neither_good_nor_bad) {
  RunReport report{.title = "t", .survived = false, .shown = false};
  EXPECT_EQ(verdict_of(report), "Nothing was shown");
  EXPECT_THAT(report_page(report), Not(HasSubstr("class=\"seal")));
  EXPECT_THAT(report_json(report), HasSubstr("\"shown\": false"));
}

TEST(ReportInterruptions, that_were_not_survived_come_with_what_the_trainer_said_last) {
  RunReport report{.title = "t", .survived = false};
  report.interruptions = {{.job = "a", .at = std::chrono::seconds(5), .last_lines = {"Traceback", "no <file>"}},
                          {.job = "b", .at = std::chrono::seconds(9), .survived = true, .last_lines = {"step 3"}}};
  EXPECT_THAT(report_text(report), HasSubstr("  | no <file>\n"));
  EXPECT_THAT(report_text(report), Not(HasSubstr("step 3")));
  EXPECT_THAT(report_page(report), HasSubstr("no &lt;file&gt;\n"));
  EXPECT_THAT(report_json(report), HasSubstr("step 3"));
}

}  // namespace
}  // namespace reprise::rehearsal
