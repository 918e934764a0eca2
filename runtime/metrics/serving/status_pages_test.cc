#include "runtime/metrics/serving/status_pages.h"

#include <gtest/gtest.h>

#include "runtime/testing/virtual_clock.h"

namespace reprise::runtime {
namespace {

TEST(StatusPages, say_what_runs_since_when_and_what_else_may_be_asked) {
  testing::VirtualClock clock;
  const HttpRoutes routes = status_routes({.name = "greeter", .version = "1.2.3", .started = clock.wall(), .flags = {}},
                                          {{"/debug/state", [](const std::string&) { return HttpAnswer{}; }}}, clock);
  clock.advance(std::chrono::hours(26) + std::chrono::seconds(61));
  const std::string page = routes.at("/statusz").get("").body;
  EXPECT_TRUE(page.starts_with("\ngreeter statusz\nWarning: ")) << page;
  EXPECT_NE(page.find("\nUp: 26 hr 01 min 01 sec\nBinary version: 1.2.3\nPaths: /debug/state /flagz /statusz\n"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("\nStarted: "), std::string::npos) << page;
}

TEST(StatusPages, show_each_flag_on_a_line_of_its_own) {
  const testing::VirtualClock clock;
  const HttpRoutes routes =
      status_routes({.name = "greeter", .version = "1", .started = {}, .flags = {{"a", "1"}, {"b", ""}}}, {}, clock);
  EXPECT_TRUE(routes.at("/flagz").get("").body.ends_with("\n\na=1\nb=\n"));
}

}  // namespace
}  // namespace reprise::runtime
