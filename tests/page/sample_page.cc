// Writes the report pages of hand-made stories for the test in a browser: sample_page sample|hostile|huge|empty >FILE
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "rehearsal/report/story_page.h"
#include "rehearsal/report/testing/sample_story.h"

namespace {

namespace simulator = reprise::simulator;

std::optional<simulator::Story> story_named(std::string_view name) {
  constexpr std::size_t kHuge = 20'000;
  if (name == "sample") return simulator::testing::sample_story();
  if (name == "hostile") return simulator::testing::hostile_story();
  if (name == "huge") return simulator::testing::huge_story(kHuge);
  if (name == "empty") return simulator::Story{};
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  const auto story = story_named(argc == 2 ? argv[1] : "");
  if (!story) {
    std::fputs("usage: sample_page sample|hostile|huge|empty\n", stderr);
    return 2;
  }
  const std::string page = simulator::story_page(*story);
  return std::fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 1;
}
