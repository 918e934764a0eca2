// The flags of `reprise rehearse`.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "apps/common/usage_text.h"
#include "runtime/base/clock.h"

namespace reprise::apps {

enum class RehearseOutput { Text, Json };

struct RehearseOptions {
  std::vector<std::string> files;
  // Instead of files: a command, and the other properties of its job.
  std::vector<std::string> command;
  std::filesystem::path checkpoints;  // empty: the default of command_job()
  int ranks = 1;
  std::map<std::string, std::filesystem::path> mounts;  // claim: the directory that stands for it
  std::string trace;                                    // empty: interruptions at a steady pace
  std::vector<std::string> zones;
  runtime::Duration interrupt_every{0};    // in the cluster's time; 0 without a trace: by the script's own times
  runtime::Duration start_limit{120'000};  // real
  runtime::Duration notice{120'000};
  double speed = 1;
  std::uint64_t seed = 1;
  bool all = false;                  // to the end, though the verdict cannot change any more
  bool verify_weights = false;       // against those of an undisturbed run
  std::string compare;               // the command that compares; empty: equal files
  runtime::Duration limit{600'000};  // real
  std::filesystem::path output_directory = "reprise-rehearsal";
  std::filesystem::path agent;  // empty: beside this program
  RehearseOutput output = RehearseOutput::Text;
  bool plain = false;
};

[[nodiscard]] std::expected<RehearseOptions, UsageText> parse_rehearse_options(
    const std::vector<std::string>& arguments);

}  // namespace reprise::apps
