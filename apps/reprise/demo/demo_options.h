// The flags of `reprise demo`.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/common/usage_text.h"

namespace reprise::apps {

struct DemoOptions {
  std::filesystem::path output_directory = "reprise-demo";
  std::filesystem::path examples_directory = "examples";
  double speed = 960;  // recorded seconds per real second: a day in a minute and a half
  std::uint64_t seed = 1;
  bool plain = false;
};

// An unknown flag or a bad value is an error that names it and what is allowed.
[[nodiscard]] std::expected<DemoOptions, UsageText> parse_demo_options(const std::vector<std::string>& arguments);

}  // namespace reprise::apps
