#include "agent/core/run/environment.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <tuple>
#include <utility>

#include "agent/core/progress/progress_pattern.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

using runtime::Error;
using runtime::ErrorClass;

constexpr std::array<std::pair<std::string_view, int>, 9> kSignals{{{"SIGHUP", SIGHUP},
                                                                    {"SIGINT", SIGINT},
                                                                    {"SIGQUIT", SIGQUIT},
                                                                    {"SIGUSR1", SIGUSR1},
                                                                    {"SIGUSR2", SIGUSR2},
                                                                    {"SIGALRM", SIGALRM},
                                                                    {"SIGTERM", SIGTERM},
                                                                    {"SIGCONT", SIGCONT},
                                                                    {"SIGWINCH", SIGWINCH}}};

// Reads one variable after the other and remembers the first that was wrong.
class Reader {
 public:
  explicit Reader(const Lookup& lookup) : lookup_(lookup) {}

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  [[nodiscard]] std::string text(std::string_view name, std::string fallback) const {
    const auto value = get(name);
    return value ? *value : std::move(fallback);
  }

  [[nodiscard]] std::string required(std::string_view name, std::string_view allowed) {
    const auto value = get(name);
    if (!value) reject(name, "nothing", allowed);
    return value.value_or("");
  }

  template <class T>
  [[nodiscard]] std::optional<T> whole(std::string_view name, std::int64_t lowest, std::string_view allowed) {
    const auto value = get(name);
    if (!value) return std::nullopt;
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(value->data(), value->data() + value->size(), number);
    const bool good = problem == std::errc{} && end == value->data() + value->size() && number >= lowest &&
                      number <= std::numeric_limits<T>::max();
    if (!good) reject(name, "\"" + *value + "\"", allowed);
    return good ? std::optional<T>(static_cast<T>(number)) : std::nullopt;
  }

  [[nodiscard]] std::chrono::milliseconds seconds(std::string_view name, std::chrono::milliseconds fallback) {
    const auto value = get(name);
    if (!value) return fallback;
    double number = 0;
    const auto [end, problem] = std::from_chars(value->data(), value->data() + value->size(), number);
    if (problem != std::errc{} || end != value->data() + value->size() || !(number >= 0.001 && number <= 1e7)) {
      reject(name, "\"" + *value + "\"", "seconds between 0.001 and 10000000, for example 5 or 0.5");
      return fallback;
    }
    return std::chrono::milliseconds(static_cast<std::int64_t>(number * 1000.0 + 0.5));
  }

  template <class T, std::size_t N>
  [[nodiscard]] T one_of(std::string_view name, T fallback,
                         const std::array<std::pair<std::string_view, T>, N>& table) {
    const auto value = get(name);
    if (!value) return fallback;
    std::string allowed;
    for (const auto& [word, meaning] : table) {
      if (word == *value) return meaning;
      allowed += (allowed.empty() ? "" : ", ") + std::string(word);
    }
    reject(name, "\"" + *value + "\"", allowed);
    return fallback;
  }

  void reject(std::string_view name, std::string_view found, std::string_view allowed) {
    if (error_) return;
    error_ = Error{.error_class = ErrorClass::Terminal,
                   .message = "environment variable " + std::string(name) + ": found " + std::string(found) +
                              ", allowed: " + std::string(allowed),
                   .retry_after = {}};
  }

 private:
  [[nodiscard]] std::optional<std::string> get(std::string_view name) const {
    auto value = lookup_(name);
    return value && !value->empty() ? value : std::nullopt;
  }

  const Lookup& lookup_;
  std::optional<Error> error_;
};

void check_pattern(Reader& read, const std::string& pattern) {
  const auto compiled = ProgressPattern::compile(pattern);
  if (compiled) return;
  read.reject(protocol::kProgressPattern, "\"" + pattern + "\" (" + compiled.error().message + ")",
              "a regular expression of RE2 whose first group is the step");
}

}  // namespace

runtime::Result<Environment> read_environment(const Lookup& lookup) {
  Reader read(lookup);
  Environment env;
  env.job_uid = read.required(protocol::kJobUid, "the UID of the ResumableJob");
  env.pod_uid = read.required(protocol::kPodUid, "the UID of the pod (downward API: metadata.uid)");
  env.checkpoint_dir = read.required(protocol::kCheckpointDir, "the absolute path at which the volume is mounted");
  if (!env.checkpoint_dir.empty() && !env.checkpoint_dir.starts_with('/')) {
    read.reject(protocol::kCheckpointDir, "\"" + env.checkpoint_dir + "\"", "an absolute path");
  }
  std::ignore = read.required(protocol::kAttempt, "a whole number from 1");
  env.attempt = read.whole<std::int32_t>(protocol::kAttempt, 1, "a whole number from 1").value_or(1);
  env.index = read.whole<std::int32_t>(protocol::kIndex, 0, "a whole number from 0").value_or(0);
  env.parallelism = read.whole<std::int32_t>(protocol::kParallelism, 1, "a whole number from 1").value_or(1);
  env.devices = read.whole<std::int32_t>(protocol::kDevices, 0, "a whole number from 0").value_or(0);
  env.entries = read.whole<std::int32_t>(protocol::kPodEntries, 0, "a whole number from 0").value_or(0);
  env.access = read.one_of(protocol::kVolumeAccess, VolumeAccess::Shared,
                           std::array<std::pair<std::string_view, VolumeAccess>, 2>{
                               {{"Shared", VolumeAccess::Shared}, {"PerIndex", VolumeAccess::PerIndex}}});
  env.format = read.text(protocol::kFormat, "Auto");
  env.keep = read.whole<std::int32_t>(protocol::kKeep, 1, "a whole number from 1");
  env.verifies_in_full =
      read.one_of(protocol::kVerify, false,
                  std::array<std::pair<std::string_view, bool>, 2>{{{"Structure", false}, {"Full", true}}});
  env.grace = read.seconds(protocol::kGrace, env.grace);
  env.resume = read.one_of(
      protocol::kResume, ResumePolicy::Latest,
      std::array<std::pair<std::string_view, ResumePolicy>, 3>{{{"Latest", ResumePolicy::Latest},
                                                                {"Never", ResumePolicy::Never},
                                                                {"FromScratch", ResumePolicy::FromScratch}}});
  env.from_scratch_since = read.whole<std::int32_t>(protocol::kFromScratchSince, 1, "a whole number from 1");
  env.expected_step = read.whole<std::int64_t>(protocol::kExpectedStep, 0, "a whole number from 0");
  env.expected_checkpoint = read.text(protocol::kExpectedCheckpoint, "");
  env.notice_signal = read.one_of(protocol::kNoticeSignal, 0, kSignals);
  env.notice_file = read.text(protocol::kNoticeFile, "");
  env.annotations_file = read.text(protocol::kAnnotationsFile, "");
  env.termination_log = read.text(protocol::kTerminationLog, env.termination_log);
  env.heartbeat_period = read.seconds(protocol::kHeartbeatSeconds, env.heartbeat_period);
  env.object_store_heartbeat_period = read.seconds(protocol::kHeartbeatSeconds, env.object_store_heartbeat_period);
  env.volume_type = read.text(protocol::kVolumeType, "");
  env.trusts_sync = read.one_of(protocol::kTrustSync, false,
                                std::array<std::pair<std::string_view, bool>, 2>{{{"true", true}, {"false", false}}});
  env.puts_unproven_aside =
      read.one_of(protocol::kUnproven, true,
                  std::array<std::pair<std::string_view, bool>, 2>{{{"PutAside", true}, {"Use", false}}});
  env.watch = read.seconds(protocol::kWatchSeconds, env.watch);
  env.resume_wait = read.seconds(protocol::kResumeWaitSeconds, env.resume_wait);
  env.save_period = read.seconds(protocol::kPeriod, env.save_period);
  env.progress_timeout = read.seconds(protocol::kProgressTimeout, env.progress_timeout);
  env.hang_signal = read.one_of(protocol::kHangSignal, 0, kSignals);
  env.report_token_file = read.text(protocol::kReportTokenFile, "");
  env.report_period = read.seconds(protocol::kReportSeconds, env.report_period);
  env.progress_pattern = read.text(protocol::kProgressPattern, "");
  if (!env.progress_pattern.empty()) check_pattern(read, env.progress_pattern);
  env.watch_output = read.one_of(protocol::kWatchOutput, true,
                                 std::array<std::pair<std::string_view, bool>, 2>{{{"true", true}, {"false", false}}});
  if (read.error()) return std::unexpected(*read.error());
  return env;
}

std::optional<std::string> process_environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace reprise::agent
