#include "protocol/whole_fields.h"

#include <gtest/gtest.h>

namespace reprise::protocol {
namespace {

TEST(WholeFields, are_those_before_the_last_comma_of_the_object_itself) {
  struct Row {
    const char *sentence, *cut, *whole;
  };
  for (const Row& row : {
           Row{"within a text", R"({"a":1,"b":"some te)", R"({"a":1})"},
           Row{"within a name", R"({"a":1,"b)", R"({"a":1})"},
           Row{"after a number, which may have gone on", R"({"a":1,"b":12)", R"({"a":1})"},
           Row{"after a comma", R"({"a":1,"b":12,)", R"({"a":1,"b":12})"},
           Row{"commas and braces of a text are none", R"({"a":"x,}\",","b":")", R"({"a":"x,}\","})"},
           Row{"within an object within", R"({"a":1,"b":{"c":1,"d":2)", R"({"a":1})"},
           Row{"after an object within", R"({"a":{"c":[1,2]},"b)", R"({"a":{"c":[1,2]}})"},
           Row{"behind a backslash", R"({"a":1,"b":"x\)", R"({"a":1})"},
       })
    EXPECT_EQ(up_to_last_whole_field(row.cut), row.whole) << row.sentence;
}

TEST(WholeFields, are_asked_for_of_a_cut_object_alone) {
  for (const char* text : {"", " ", "{", "{}", "[1,2", "Killed, out of memory", R"({"a":1})", R"({"a":1,"b":2} more)",
                           R"({"a":"cut of)", "}", "]{"})
    EXPECT_FALSE(up_to_last_whole_field(text)) << text;
}

}  // namespace
}  // namespace reprise::protocol
