// The operator's end of live reports, as it may be: a TLS server in the test's own process.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/http/testing/test_pki.h"

namespace reprise::agent::testing_support {

class ReportServer {
 public:
  enum class Behaviour { Takes, Denies, Throttles, TalksGarbage, NeverAnswers, NeverGreets, GreetsHalf, ClosesEarly };
  struct Request {
    std::string head, body;
  };

  // `names` as test_pki.h has them; another authority than the one that authority() tells, if it is to be a wrong one.
  explicit ReportServer(Behaviour behaviour, const std::string& names = "DNS:reprise-operator",
                        bool by_another_authority = false);
  ReportServer(const ReportServer&) = delete;
  ReportServer& operator=(const ReportServer&) = delete;
  ~ReportServer();

  void behave(Behaviour behaviour) { behaviour_ = behaviour; }
  [[nodiscard]] std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] const std::string& authority() const { return authority_.certificate_pem(); }
  // The one that it shows itself.
  [[nodiscard]] const std::string& certificate() const { return key_.certificate_pem; }
  // Issues another certificate of the same authority, with the operator's name.
  [[nodiscard]] std::string issued_to_somebody_else() const {
    return authority_.issue("operator", "DNS:reprise-operator").certificate_pem;
  }
  [[nodiscard]] std::vector<Request> requests() const;
  [[nodiscard]] int connections() const { return connections_; }
  // Number of connections that went on with what an earlier one had agreed upon.
  [[nodiscard]] int resumed() const { return resumed_; }

 private:
  void serve();

  runtime::testing::TestAuthority authority_{"reports"};
  runtime::testing::CertifiedKey key_;
  std::atomic<Behaviour> behaviour_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> connections_ = 0, resumed_ = 0;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
  std::thread thread_;
};

}  // namespace reprise::agent::testing_support
