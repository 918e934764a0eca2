#include "runtime/manager/internal/required_kinds.h"

#include <gtest/gtest.h>

#include "runtime/testing/thing.h"

namespace reprise::runtime::internal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<RequiredKind> two_kinds() {
  kube::KindInfo other = kube::KindOf<testing::Thing>::info();
  other.plural = "others";
  return {{kube::KindOf<testing::Thing>::info(), "install it"}, {other, "install the other"}};
}

Result<bool> refused(ErrorClass error_class) {
  return fail(error_class, "as discovery says");
}

TEST(RequiredKinds, nothing_is_waited_for_when_all_are_served) {
  for (const Duration waited : {seconds(0), seconds(7), seconds(40)}) {
    const auto decided = decide_on_kinds(two_kinds(), {true, true}, waited);
    ASSERT_TRUE(decided);
    EXPECT_FALSE(*decided);
  }
  EXPECT_TRUE(decide_on_kinds({}, {}, seconds(0)));
}

TEST(RequiredKinds, what_is_not_served_yet_is_asked_for_again_and_named) {
  const struct {
    std::vector<Result<bool>> answers;
    std::string missing, remedy;
  } rows[] = {{{false, true}, "things.test.dev/v1", "install it"},
              {{true, false}, "others.test.dev/v1", "install the other"},
              {{false, false}, "things.test.dev/v1, others.test.dev/v1", "install it"}};
  for (const auto& row : rows) {
    const auto decided = decide_on_kinds(two_kinds(), row.answers, seconds(3));
    ASSERT_TRUE(decided && *decided) << row.missing;
    EXPECT_EQ((*decided)->missing, row.missing);
    EXPECT_EQ((*decided)->remedy, row.remedy);
    EXPECT_EQ((*decided)->after, seconds(1));
  }
}

// The API server lists the version of a definition that it has not established, and has no resources of it.
TEST(RequiredKinds, documents_that_contradict_each_other_are_asked_for_again) {
  const auto decided = decide_on_kinds(two_kinds(), {refused(ErrorClass::Conflict), true}, seconds(3));
  ASSERT_TRUE(decided && *decided);
  EXPECT_EQ((*decided)->missing, "things.test.dev/v1");
}

TEST(RequiredKinds, the_last_question_is_asked_at_the_limit_and_none_after_it) {
  const std::vector<Result<bool>> answers = {true, false};
  const auto before = decide_on_kinds(two_kinds(), answers, milliseconds(29'600));
  ASSERT_TRUE(before && *before);
  EXPECT_EQ((*before)->after, milliseconds(400));
  const auto after = decide_on_kinds(two_kinds(), answers, seconds(30));
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().error_class, ErrorClass::Terminal);
  EXPECT_EQ(after.error().message, "the cluster does not know others.test.dev; install the other");
}

TEST(RequiredKinds, at_the_limit_a_contradiction_is_told_as_it_is) {
  const auto decided = decide_on_kinds(two_kinds(), {refused(ErrorClass::Conflict), false}, seconds(31));
  ASSERT_FALSE(decided);
  EXPECT_EQ(decided.error().message, "as discovery says");
}

TEST(RequiredKinds, an_error_of_discovery_is_waited_for_at_no_time) {
  for (const ErrorClass error : {ErrorClass::Forbidden, ErrorClass::Unauthorized, ErrorClass::Unavailable,
                                 ErrorClass::NotFound, ErrorClass::Throttled}) {
    for (const Duration waited : {seconds(0), seconds(5)}) {
      const auto decided = decide_on_kinds(two_kinds(), {false, refused(error)}, waited);
      ASSERT_FALSE(decided) << name(error);
      EXPECT_EQ(decided.error().error_class, error);
    }
  }
}

}  // namespace
}  // namespace reprise::runtime::internal
