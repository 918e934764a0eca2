// Live reports to wherever the pod's annotation says now (protocol::kReportToAnnotation, in the downward API's file):
// the operator changes it when another replica leads.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/process/reports/report_client.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

struct ReportTarget {
  std::string url, authority;  // authority: PEM
  bool operator==(const ReportTarget&) const = default;
};

// Reads the annotation's value as that file has it, in quotes: "URL CERTIFICATE", the latter DER in base64. Empty where
// it is anything else.
[[nodiscard]] std::optional<ReportTarget> parse_report_target(std::string_view quoted);

// One thread at a time.
class ReportChannel {
 public:
  struct Options {
    std::string annotations_file, token_file;
    std::chrono::milliseconds first_wait{10'000};
  };
  ReportChannel(Options options, const runtime::Clock& clock, ReportClient::Say say);

  // Sends nothing where the annotation is not there.
  void send(const std::string& json);

 private:
  void look_at_annotation();

  Options options_;
  const runtime::Clock& clock_;
  ReportClient::Say say_;
  std::string annotation_;                // as it was when `client_` was made
  std::unique_ptr<ReportClient> client_;  // null: nowhere
};

}  // namespace reprise::agent
