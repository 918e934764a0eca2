#include <gtest/gtest.h>

#include "runtime/kube/object_reader.h"
#include "runtime/kube/object_writer.h"

namespace reprise::kube {
namespace {

constexpr KindInfo greetings{"example.dev", "v1", "Greeting", "greetings", true};

TEST(ObjectReader, reads_fields_by_their_path_and_takes_absent_and_null_for_nothing) {
  const ObjectReader reader(
      R"({"metadata":{"name":"a","resourceVersion":"7"},"spec":{"text":"hi","times":3,"loud":true,)"
      R"("none":null,"tags":["x","y"],"more":{"a":"b"},"at":"2026-01-02T03:04:05Z"},)"
      R"("status":{"conditions":[{"type":"Ready","status":"True","reason":"Done"}]}})");
  EXPECT_EQ(reader.meta().name, "a");
  EXPECT_EQ(reader.meta().resource_version, "7");
  EXPECT_EQ(reader.text("spec.text"), "hi");
  EXPECT_EQ(reader.integer("spec.times"), 3);
  EXPECT_EQ(reader.boolean("spec.loud"), true);
  EXPECT_EQ(reader.strings("spec.tags"), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(reader.string_map("spec.more"), (StringMap{{"a", "b"}}));
  EXPECT_EQ(format_time(reader.time("spec.at").value()), "2026-01-02T03:04:05Z");
  ASSERT_EQ(reader.conditions().size(), 1U);
  EXPECT_EQ(reader.conditions()[0].status, ConditionStatus::True);
  EXPECT_EQ(reader.text("spec.none"), std::nullopt);
  EXPECT_EQ(reader.text("nowhere.to.be.found"), std::nullopt);
  EXPECT_TRUE(reader.strings("spec.absent").empty());
  EXPECT_EQ(reader.finish(1).value(), 1);
}

TEST(ObjectReader, remembers_the_first_thing_that_is_of_another_type) {
  const ObjectReader reader(R"({"spec":{"text":5,"times":"x"}})");
  EXPECT_EQ(reader.text("spec.text"), std::nullopt);
  EXPECT_EQ(reader.integer("spec.times"), std::nullopt);
  EXPECT_EQ(reader.finish(1).error().path, "spec.text");
}

TEST(ObjectReader, takes_what_is_no_object_for_an_error_and_reads_nothing_from_it) {
  for (const char* text : {"", "{", "[]", "7", "nonsense"}) {
    const ObjectReader reader(text);
    EXPECT_EQ(reader.meta().name, "") << text;
    EXPECT_EQ(reader.text("a.b"), std::nullopt) << text;
    EXPECT_TRUE(reader.conditions().empty()) << text;
    EXPECT_FALSE(reader.finish(1)) << text;
  }
}

TEST(ObjectWriter, what_it_writes_is_read_back) {
  ObjectMeta meta;
  meta.name = "a";
  meta.namespace_ = "n";
  const Condition ready{.type = "Ready", .status = ConditionStatus::True, .reason = "Done", .message = "It is"};
  const std::string json = ObjectWriter(greetings, meta)
                               .text("spec.text", "\"quoted\"\n")
                               .integer("spec.times", -3)
                               .boolean("spec.loud", true)
                               .strings("spec.tags", {"x"})
                               .string_map("spec.more", {{"a", "b"}})
                               .conditions("status.conditions", {ready})
                               .null("spec.gone")
                               .json();
  EXPECT_NE(json.find(R"("apiVersion":"example.dev/v1")"), std::string::npos);
  EXPECT_NE(json.find(R"("gone":null)"), std::string::npos);
  const ObjectReader reader(json);
  EXPECT_EQ(reader.meta().namespace_, "n");
  EXPECT_EQ(reader.text("spec.text"), "\"quoted\"\n");
  EXPECT_EQ(reader.integer("spec.times"), -3);
  EXPECT_EQ(reader.boolean("spec.loud"), true);
  EXPECT_EQ(reader.strings("spec.tags"), std::vector<std::string>{"x"});
  EXPECT_EQ(reader.string_map("spec.more"), (StringMap{{"a", "b"}}));
  EXPECT_EQ(reader.conditions(), std::vector{ready});
  EXPECT_EQ(reader.error().has_value(), false);
}

TEST(ObjectWriter, a_key_of_a_map_may_have_dots_in_it) {
  const std::string json = ObjectWriter().entry("data", "a.yaml", "x").entry("data", "b.yaml", std::nullopt).json();
  EXPECT_EQ(json, R"({"data":{"a.yaml":"x","b.yaml":null}})");
}

}  // namespace
}  // namespace reprise::kube
