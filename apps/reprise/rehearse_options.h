// The flags of `reprise rehearse`.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/reprise/usage_text.h"
#include "runtime/base/clock.h"

namespace reprise::apps {

enum class RehearseOutput { Text, Json };

struct RehearseOptions {
  std::vector<std::string> files;
  std::string trace;  // empty: interruptions at a steady pace
  std::vector<std::string> zones;
  runtime::Duration interrupt_every{0};  // of the cluster's time
  runtime::Duration notice{120'000};
  double speed = 1;
  runtime::Duration limit{600'000};  // real
  std::filesystem::path output_directory = "reprise-rehearsal";
  std::filesystem::path agent;  // empty: beside this program
  RehearseOutput output = RehearseOutput::Text;
  bool plain = false;
};

[[nodiscard]] std::expected<RehearseOptions, UsageText> parse_rehearse_options(
    const std::vector<std::string>& arguments);

}  // namespace reprise::apps
