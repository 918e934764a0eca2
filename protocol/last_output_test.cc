#include "protocol/last_output.h"

#include <gtest/gtest.h>

namespace reprise::protocol {
namespace {

std::string of(const std::string& json_text) {
  return last_output_line(R"({"attempt":1,"index":0,"exitCode":1,"output":")" + json_text + "\"}");
}

TEST(LastOutput, is_the_last_line_that_says_something) {
  struct Row {
    const char *sentence, *output, *line;
  };
  for (const Row& row : {
           Row{"of a traceback", R"(Traceback:\n  File x\nRuntimeError: CUDA out of memory\n)",
               "RuntimeError: CUDA out of memory"},
           Row{"with blank lines behind it", R"(ValueError: y\n  \n\r\n)", "ValueError: y"},
           Row{"in colours", R"(\u001b[31mfailed\u001b[0m\n)", "failed"},
           Row{"of a progress bar", R"(loss 1\r 10%|#\r 20%|##)", "20%|##"},
           Row{"alone and without an end", "killed", "killed"},
           Row{"of nothing", "", ""},
       })
    EXPECT_EQ(of(row.output), row.line) << row.sentence;
}

TEST(LastOutput, is_cut_between_characters) {
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "\xe2\x82\xac";  // three bytes each
  const std::string line = of(wide);
  EXPECT_LE(line.size(), 200U);
  EXPECT_EQ((line.size() - 3) % 3, 0U);
  EXPECT_TRUE(line.ends_with("..."));
}

TEST(LastOutput, of_what_is_no_record_is_nothing) {
  for (const char* message : {"", "Killed", "{", "[]", R"({"output":7})", R"({"output":"cut of)"})
    EXPECT_EQ(last_output_line(message), "") << message;
}

TEST(LastOutput, of_a_message_that_was_cut_off_is_the_line_that_the_agent_named) {
  const std::string_view whole =
      R"({"attempt":1,"index":0,"exitCode":1,"lastLine":"line 0199","message":"m","output":"line 0197\nline 0198\nline 0199\n"})";
  EXPECT_EQ(last_output_line(whole), "line 0199");
  EXPECT_EQ(last_output_line(whole.substr(0, whole.size() - 20)), "line 0199")
      << "and not one that is left of the output";
}

}  // namespace
}  // namespace reprise::protocol
