#include <algorithm>
#include <deque>

#include "apps/kubectl-reprise/run/plugin_for_tests.h"
#include "apps/kubectl-reprise/terminal/terminal.h"

namespace reprise::plugin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

struct Top : PluginTest {
  // The person's terminal: each key is pressed after a whole interval.
  class Terminal final : public LiveTerminal {
   public:
    explicit Terminal(Top& test) : test_(test) {}
    FrameSize size() override { return {60, 8}; }
    char key(runtime::Duration at_most) override {
      test_.clock.advance(at_most);
      const char key = test_.keys.front();
      test_.keys.pop_front();
      return key;
    }
    void show(const std::string& frame) override { test_.frames.push_back(frame); }

   private:
    Top& test_;
  };
  Top() {
    answer(kPoolsPath, list_of({}));
    answer(kJobsPath, list_of({job_json("b", ready_condition("Started") + R"(,"lostSeconds":1)"),
                               job_json("a", ready_condition("Failed"))}));
    live = [this] { return std::make_unique<Terminal>(*this); };
  }
  std::deque<char> keys;
  std::vector<std::string> frames;
};

TEST_F(Top, keys_sort_hide_and_end_it) {
  keys = {'s', 'j', 'q'};
  EXPECT_EQ(run({"top"}), kDone) << err;
  ASSERT_THAT(frames, SizeIs(3));
  EXPECT_LT(frames[0].find("\na  "), frames[0].find("\nb  "));
  EXPECT_THAT(frames[0], HasSubstr("q quit  s sorted by name"));
  EXPECT_THAT(frames[1], HasSubstr("sorted by state"));
  EXPECT_THAT(frames[2], Not(HasSubstr("STATE")));
}

TEST_F(Top, a_frame_is_no_larger_than_the_terminal) {
  keys = {'q'};
  EXPECT_EQ(run({"top"}), kDone);
  EXPECT_EQ(std::ranges::count(frames[0], '\n'), 6);
  for (std::size_t at = 0; at < frames[0].size();) {
    const std::size_t end = frames[0].find('\n', at);
    EXPECT_LE(end - at, 60U);
    at = end + 1;
  }
}

TEST_F(Top, a_cluster_that_does_not_answer_leaves_the_last_picture_which_says_so) {
  answers[kJobsPath].emplace_back(500, "{}");
  keys = {0, 'q'};
  EXPECT_EQ(run({"top"}), kDone);
  EXPECT_THAT(frames.at(1), AllOf(HasSubstr("\nThis is old: "), HasSubstr("\na  ")));
}

TEST_F(Top, a_script_gets_one_picture_without_colours_and_keys) {
  EXPECT_EQ(run({"top", "--once"}), kDone);
  EXPECT_THAT(out, AllOf(StartsWith("2026-01-01T00:00:00Z  0 pools, 2 jobs: 1 Failed, 1 Started"), HasSubstr("\na  "),
                         Not(HasSubstr("q quit")), Not(HasSubstr("\x1b"))));
  EXPECT_TRUE(frames.empty());
}

TEST_F(Top, what_an_object_says_is_no_command_to_the_terminal) {
  answers[kJobsPath] = {{200, list_of({job_json("a", ready_condition("WriterNotFenced", "\\u001b[2Jgone"))})}};
  EXPECT_EQ(run({"top", "--once"}), kDone);
  EXPECT_THAT(out, AllOf(HasSubstr("[2Jgone"), Not(HasSubstr("\x1b"))));
}

TEST(TopView, colours_are_there_only_when_asked_for) {
  const Scene scene{.pools = {}, .jobs = {api::ResumableJob{}}, .pools_unseen = {}};
  EXPECT_THAT(top_frame(scene, {}, {}, {}, {}, true, {}), HasSubstr("\x1b[1m"));
  EXPECT_THAT(top_frame(scene, {}, {}, {}, {}, false, {}), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace reprise::plugin
