#include "controllers/reports/register.h"

#include <utility>

#include "controllers/reports/pod_authenticator.h"
#include "controllers/reports/report_server.h"

namespace reprise::controllers::reports {

std::vector<kube::Permission> permissions() {
  using enum kube::PermissionScope;
  return {{"authentication.k8s.io", "tokenreviews", {"create"}},
          {"", "services", {"get"}, OwnNamespace},
          {"discovery.k8s.io", "endpointslices", {"create", "patch"}, OwnNamespace}};
}

struct Registration::Parts {
  Parts(runtime::Manager& manager, SharedInformers& shared, Inbox& inbox, EndpointOptions options)
      : authenticator(manager.transport(), manager.clock()),
        receiver(std::make_shared<const ReportReceiver>(
            ReportReceiver{authenticator, shared.pods.store(), shared.jobs.store(), inbox.reports, manager.metrics(),
                           manager.clock(), [&manager] { return manager.leading(); }})) {
    const runtime::ObjectKey key{.namespace_ = options.namespace_, .name = options.service};
    auto reconciler = std::make_unique<EndpointReconciler>(
        std::move(options),
        [this](const std::string& address,
               std::shared_ptr<const CurrentCertificate> certificate) -> runtime::Result<std::uint16_t> {
          auto made = serve_reports(address, receiver, std::move(certificate));
          if (!made) return std::unexpected(std::move(made.error()));
          server = *std::move(made);
          return server->port();
        },
        inbox.target);
    runtime::Controller& controller = manager.add_controller("reports", std::move(reconciler), {.max_concurrent = 1});
    shared.pods.add_listener(inbox.reports);
    manager.on_synced([&controller, key] { controller.enqueue(key); });
  }

  PodAuthenticator authenticator;
  std::shared_ptr<const ReportReceiver> receiver;
  std::unique_ptr<runtime::HttpServer> server;  // uses all of the above
};

Registration::Registration(runtime::Manager& manager, SharedInformers& shared, Inbox& inbox, EndpointOptions options)
    : parts_(std::make_unique<Parts>(manager, shared, inbox, std::move(options))) {}

Registration::~Registration() = default;

}  // namespace reprise::controllers::reports
