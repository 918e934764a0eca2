#include "runtime/base/json_tree.h"

#include <gtest/gtest.h>
#include <json/reader.h>
#include <json/value.h>
#include <json/writer.h>

#include <limits>
#include <memory>
#include <string>

#include "runtime/base/random.h"

namespace reprise::runtime {
namespace {

Json::Value parsed(const std::string& text) {
  Json::CharReaderBuilder builder;
  const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
  Json::Value tree;
  std::string problem;
  EXPECT_TRUE(reader->parse(text.data(), text.data() + text.size(), &tree, &problem)) << text << problem;
  return tree;
}

std::string by_jsoncpp(const Json::Value& tree) {
  Json::StreamWriterBuilder builder;
  builder["indentation"] = "";
  builder["emitUTF8"] = true;
  return Json::writeString(builder, tree);
}

Json::Value drawn(Random& random, int depth) {
  const auto below = [&](int count) { return static_cast<int>(random.uniform() * count); };
  switch (below(depth > 0 ? 8 : 6)) {
    case 0:
      return {};
    case 1:
      return static_cast<Json::Int64>((random.uniform() - 0.5) * 1e18);
    case 2:
      return static_cast<Json::UInt64>(random.uniform() * 1.8e19);
    case 3:
      return (random.uniform() - 0.5) * 1e6;
    case 4:
      return random.uniform() < 0.5;
    case 5: {
      std::string text;
      for (int i = below(12); i > 0; --i) text += static_cast<char>(below(128));
      return text;
    }
    case 6: {
      Json::Value list(Json::arrayValue);
      for (int i = below(4); i > 0; --i) list.append(drawn(random, depth - 1));
      return list;
    }
    default: {
      Json::Value object(Json::objectValue);
      for (int i = below(4); i > 0; --i) object["k" + std::to_string(below(20))] = drawn(random, depth - 1);
      return object;
    }
  }
}

TEST(CompactJson, reads_back_as_the_tree_it_was) {
  SeededRandom random(7);
  for (int i = 0; i < 2'000; ++i) {
    const Json::Value tree = drawn(random, 4);
    const std::string text = compact_json(tree);
    EXPECT_EQ(parsed(text), parsed(by_jsoncpp(tree))) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(CompactJson, writes_what_jsoncpp_writes) {
  Json::Value tree(Json::objectValue);
  tree["b"] = 1.0;
  tree["a"] = std::numeric_limits<Json::UInt64>::max();
  tree["least"] = std::numeric_limits<Json::Int64>::min();
  tree["none"] = Json::Value(Json::arrayValue);
  tree["text"] = "a\"b\\c\n\t\xc3\xa4";
  tree["empty"] = "";
  tree["half"] = 0.5;
  tree["not a number"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(compact_json(tree), by_jsoncpp(tree));
  EXPECT_EQ(compact_json(Json::Value(std::string("a\0b", 3))), R"("a\u0000b")");
}

}  // namespace
}  // namespace reprise::runtime
