// Has the replica that leads receive reports: reads or makes the certificate, serves the port, leads the Service here,
// and says where ranks report. Reconciles one key. A failed step is tried again, and a done one is looked at now and
// then: a certificate is renewed, a Service made anew.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "controllers/reports/current_certificate.h"
#include "controllers/reports/kinds.h"
#include "controllers/reports/report_target.h"
#include "runtime/manager/reconciler.h"

namespace reprise::controllers::reports {

struct EndpointOptions {
  std::string bind_address;        // ":9446"; "0" or empty: no reports
  std::string namespace_;          // the operator's own
  std::string service;             // its cluster IP is given to agents, and it is led to the leader
  std::string certificate_folder;  // tls.crt and tls.key; empty: this process makes a certificate of its own
  std::string own_address;         // this pod's
  std::string url;                 // given to agents instead of the Service's
};

// How long a certificate of our own lasts: as long as a process may.
inline constexpr int kCertificateDays = 3650;

class EndpointReconciler final : public runtime::Reconciler {
 public:
  // Serves at the address from now on, as long as the process runs, with the certificate that is there; its port.
  using Serve = std::function<runtime::Result<std::uint16_t>(const std::string& address,
                                                             std::shared_ptr<const CurrentCertificate> certificate)>;

  // `target` outlives it.
  EndpointReconciler(EndpointOptions options, Serve serve, CurrentTarget& target);

  [[nodiscard]] runtime::Result<runtime::Next> reconcile(runtime::ReconcileContext& context,
                                                         const runtime::ObjectKey& key) override;

 private:
  // Empty where agents are given a URL of its own.
  [[nodiscard]] runtime::Result<std::optional<ReportService>> find_service(runtime::ReconcileContext& context);
  [[nodiscard]] runtime::Result<runtime::ServingCertificate> certificate() const;
  [[nodiscard]] runtime::Result<void> take_certificate();
  [[nodiscard]] runtime::Result<void> lead_here(runtime::ReconcileContext& context, const ReportService& service);
  // Does everything; returns the URL for agents.
  [[nodiscard]] runtime::Result<std::string> open(runtime::ReconcileContext& context);

  EndpointOptions options_;
  Serve serve_;
  CurrentTarget& target_;
  std::shared_ptr<CurrentCertificate> served_ = std::make_shared<CurrentCertificate>();
  std::uint16_t port_ = 0;  // 0: it is not served yet
};

}  // namespace reprise::controllers::reports
