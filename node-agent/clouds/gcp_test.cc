#include "node-agent/clouds/gcp.h"

#include <gtest/gtest.h>

#include "node-agent/testing/clouds.h"

namespace reprise::node_agent {
namespace {

using testing_support::Documents;

constexpr const char* kPreempted = "/computeMetadata/v1/instance/preempted";
constexpr const char* kMaintenance = "/computeMetadata/v1/instance/maintenance-event";

Seen look(const std::string& preempted, const std::string& maintenance) {
  Documents documents;
  documents.put(kPreempted, preempted);
  documents.put(kMaintenance, maintenance);
  Seen seen = Gcp().look(documents, {});
  for (const Question& each : documents.asked) EXPECT_EQ(Documents::header(each, "Metadata-Flavor"), "Google");
  return seen;
}

TEST(Gcp, says_when_a_machine_is_preempted_and_not_how_long_it_has) {
  EXPECT_TRUE(look("FALSE", "NONE").notices.empty());
  const Seen seen = look("TRUE\n", "NONE");
  ASSERT_EQ(seen.notices.size(), 1U);
  EXPECT_EQ(seen.notices[0].kind, NoticeKind::SpotInterruption);
  EXPECT_FALSE(seen.notices[0].at);
}

TEST(Gcp, maintenance_counts_only_where_it_ends_the_machine) {
  EXPECT_TRUE(look("FALSE", "MIGRATE_ON_HOST_MAINTENANCE").notices.empty());
  const Seen seen = look("FALSE", "TERMINATE_ON_HOST_MAINTENANCE");
  ASSERT_EQ(seen.notices.size(), 1U);
  EXPECT_EQ(seen.notices[0].kind, NoticeKind::ScheduledMaintenance);
}

TEST(Gcp, that_talks_nonsense_withdraws_nothing_and_hides_nothing) {
  EXPECT_TRUE(look("FALSE", "NONE").complete());
  EXPECT_FALSE(look("maybe", "NONE").complete());
  EXPECT_FALSE(look("", "NONE").complete());
  const Seen seen = look("TRUE", "?");
  EXPECT_FALSE(seen.complete());
  EXPECT_EQ(seen.notices.size(), 1U);
}

TEST(Gcp, that_does_not_answer_is_asked_for_one_document_only) {
  Documents documents;
  documents.silent = true;
  EXPECT_FALSE(Gcp().look(documents, {}).complete());
  EXPECT_EQ(documents.asked.size(), 1U) << "each would take as long";
}

TEST(Gcp, that_has_too_much_to_do_is_asked_less_often) {
  Documents documents;
  documents.put(kMaintenance, "NONE");
  documents.answers[kPreempted] = {.status = 503, .body = {}};
  const Seen seen = Gcp().look(documents, {});
  EXPECT_TRUE(seen.unwell);
  EXPECT_FALSE(seen.complete());
  EXPECT_FALSE(look("maybe", "NONE").unwell) << "it is well, and talks nonsense";
}

}  // namespace
}  // namespace reprise::node_agent
