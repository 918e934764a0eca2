#include "node-agent/clouds/cloud_time.h"

#include <gtest/gtest.h>

namespace reprise::node_agent {
namespace {

TEST(CloudTime, is_read_as_each_cloud_writes_it) {
  for (const char* text : {"2026-09-21T18:29:47Z", "21 Sep 2026 18:29:47 GMT", "Mon, 21 Sep 2026 18:29:47 GMT"}) {
    const auto time = parse_cloud_time(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(time_text(*time), "2026-09-21T18:29:47Z") << text;
  }
}

TEST(CloudTime, that_is_none_is_none) {
  for (const char* text :
       {"", "soon", "2026-09-21", "2026-13-21T18:29:47Z", "2026-09-21T18:29:47Z, or later", "1795251600"})
    EXPECT_FALSE(parse_cloud_time(text)) << text;
}

}  // namespace
}  // namespace reprise::node_agent
