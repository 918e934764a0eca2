#include "apps/kubectl-reprise/why/explanation_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

#include "apps/kubectl-reprise/why/testing/world.h"

namespace reprise::plugin::why::testing {
namespace {

using ::testing::HasSubstr;

Explanation suspended_job() {
  return explain_at_noon(world({job(condition("Suspended", "True", "Suspended", "spec.suspend is true"))}));
}

}  // namespace

TEST(ExplanationText, says_cause_object_what_was_found_and_what_to_do) {
  const std::string text = explanation_text(suspended_job(), false);
  EXPECT_THAT(text, HasSubstr("ok      Lease reprise-system/reprise-operator: one leads\n"));
  EXPECT_THAT(text, HasSubstr("BLOCKS  ResumableJob vision/finetune: spec.suspend is true\n"));
  EXPECT_THAT(text, HasSubstr("\nSuspended: somebody set `spec.suspend`\n"));
  EXPECT_THAT(text, HasSubstr("  kubectl patch resumablejob finetune -n vision"));
}

TEST(ExplanationText, has_colours_only_when_asked) {
  EXPECT_THAT(explanation_text(suspended_job(), false), ::testing::Not(HasSubstr("\033")));
  EXPECT_THAT(explanation_text(suspended_job(), true), HasSubstr("\033[31mBLOCKS\033[0m"));
}

TEST(ExplanationText, of_what_nothing_blocks_says_so) {
  EXPECT_THAT(explanation_text(explain_at_noon(world({running()})), false),
              ::testing::EndsWith("\nnothing blocks ResumableJob vision/finetune\n"));
}

TEST(ExplanationJson, has_stable_names) {
  const std::string json = boost::json::serialize(explanation_json(suspended_job()));
  EXPECT_THAT(json, HasSubstr(R"("blocked":true,"cause":"Suspended")"));
  EXPECT_THAT(json, HasSubstr(R"("object":{"kind":"ResumableJob","namespace":"vision","name":"finetune"})"));
  EXPECT_THAT(json, HasSubstr(R"("mark":"Blocks")"));
  const std::string clear = boost::json::serialize(explanation_json(explain_at_noon(world({running()}))));
  EXPECT_THAT(clear, HasSubstr(R"("blocked":false,"chain")"));
}

}  // namespace reprise::plugin::why::testing
