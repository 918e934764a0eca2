// Brings live reports to the operator by HTTPS (protocol/live_report.h). An exchange takes five seconds at most; after
// one that failed there is a pause, and what was to be said meanwhile is not. People are told when that begins and
// ends.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agent/net/address.h"
#include "agent/net/tls_connection.h"
#include "agent/process/reports/report_pace.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

class ReportClient {
 public:
  struct Options {
    std::string url, authority;
    std::string token_file;  // read anew each time: the kubelet renews it
    std::chrono::milliseconds first_wait{10'000};
  };
  using Say = std::function<void(std::string_view)>;

  // Null, and a word why, where no report can ever be made.
  [[nodiscard]] static std::unique_ptr<ReportClient> create(const Options& options, const runtime::Clock& clock,
                                                            Say say);
  // From one thread at a time.
  void send(const std::string& json);

 private:
  ReportClient(const Options& options, Address address, std::unique_ptr<TlsClient> tls, const runtime::Clock& clock,
               Say say);
  [[nodiscard]] AnswerHead exchange(const std::string& json, std::string& problem);
  void tell(bool taken, const std::string& problem);

  Address address_;
  std::string token_file_;
  std::unique_ptr<TlsClient> tls_;
  const runtime::Clock& clock_;
  Say say_;
  ReportPace pace_;
  bool failing_ = false;
};

}  // namespace reprise::agent
