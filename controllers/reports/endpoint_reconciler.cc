#include "controllers/reports/endpoint_reconciler.h"

#include <utility>

#include "protocol/agent_protocol.h"

namespace reprise::controllers::reports {
namespace {

using runtime::ErrorClass;
using runtime::Result;

// A missing Service or certificate comes with the chart, or with the maker of the certificate.
constexpr std::chrono::seconds look_again{15};
constexpr std::chrono::minutes look_after{5};

}  // namespace

EndpointReconciler::EndpointReconciler(EndpointOptions options, Serve serve, CurrentTarget& target)
    : options_(std::move(options)), serve_(std::move(serve)), target_(target) {}

Result<std::optional<ReportService>> EndpointReconciler::find_service(runtime::ReconcileContext& context) {
  if (!options_.url.empty()) return std::optional<ReportService>();
  const std::string text = "Service " + options_.namespace_ + "/" + options_.service;
  auto service = context.read_live<ReportService>(options_.namespace_, options_.service);
  if (!service) return std::unexpected(std::move(service).error().with_context("read " + text));
  if (!service->has_value()) return runtime::fail(ErrorClass::Unavailable, text + " is not there");
  const std::string& ip = (*service)->cluster_ip;
  if (ip.empty() || ip == "None") return runtime::fail(ErrorClass::Unavailable, text + " has no cluster IP");
  return service;
}

Result<runtime::ServingCertificate> EndpointReconciler::certificate() const {
  const std::string name(protocol::kReportServerName);
  if (options_.certificate_folder.empty()) return runtime::make_self_signed_certificate(name, kCertificateDays);
  auto mounted = runtime::read_serving_certificate(options_.certificate_folder);
  if (mounted && runtime::is_usable(*mounted, name, 0)) return *std::move(mounted);
  return runtime::fail(ErrorClass::Unavailable, "tls.crt and tls.key in " + options_.certificate_folder +
                                                    " are not a valid certificate for " + name + " and its key");
}

// A certificate that is given but cannot be used, such as one of which half has been renewed, leaves the one before in
// use.
Result<void> EndpointReconciler::take_certificate() {
  const bool known = served_->get().has_value();
  if (known && options_.certificate_folder.empty()) return {};
  auto pair = certificate();
  if (!pair && known) return {};
  if (!pair) return std::unexpected(std::move(pair).error());
  served_->set(*std::move(pair));
  return {};
}

Result<void> EndpointReconciler::lead_here(runtime::ReconcileContext& context, const ReportService& service) {
  std::string slice = encode_endpoint_slice(service, options_.own_address, port_);
  auto made = context.create<EndpointSlice>(options_.namespace_, std::move(slice));
  if (!made && made.error().error_class == ErrorClass::AlreadyExists) {
    made = context.patch<EndpointSlice>(options_.namespace_, endpoint_slice_name(service, options_.own_address),
                                        runtime::PatchType::Json,
                                        encode_endpoint_change(service, options_.own_address, port_));
    if (!made && made.error().error_class == ErrorClass::Invalid)
      return runtime::fail(made.error().error_class, "EndpointSlice " + options_.namespace_ + "/" +
                                                         endpoint_slice_name(service, options_.own_address) +
                                                         " is not of this Service, or cannot be changed: remove it (" +
                                                         made.error().message + ")");
  }
  if (made) return {};
  return std::unexpected(std::move(made).error().with_context("lead Service " + options_.namespace_ + "/" +
                                                              options_.service + " to " + options_.own_address));
}

Result<std::string> EndpointReconciler::open(runtime::ReconcileContext& context) {
  const auto service = find_service(context);
  if (!service) return std::unexpected(service.error());
  if (auto taken = take_certificate(); !taken) return std::unexpected(std::move(taken).error());
  if (port_ == 0) {
    auto port = serve_(options_.bind_address, served_);
    if (!port) return std::unexpected(std::move(port).error());
    port_ = *port;
  }
  if (!service->has_value()) return options_.url;
  if (auto led = lead_here(context, **service); !led) return std::unexpected(std::move(led).error());
  const std::string& ip = (*service)->cluster_ip;
  const bool ipv6 = ip.find(':') != std::string::npos;
  return "https://" + (ipv6 ? "[" + ip + "]" : ip) + ":" + std::to_string(port_);
}

Result<runtime::Next> EndpointReconciler::reconcile(runtime::ReconcileContext& context, const runtime::ObjectKey&) {
  auto url = open(context);
  if (!url) {
    using enum ErrorClass;
    const ErrorClass reason = url.error().error_class;
    if (reason == NoPermit || reason == Cancelled) return std::unexpected(std::move(url).error());
    context.logger().warning("Cannot receive reports of ranks yet", {{"error", url.error().message}});
    return runtime::Next::in(look_again);
  }
  ReportTarget now{.url = *std::move(url), .certificate_pem = served_->get()->certificate_pem};
  const auto before = target_.get();
  if (!before || *before != now) {
    context.logger().info("Receives reports of ranks", {{"url", now.url}});
    target_.set(std::move(now));
  }
  return runtime::Next::in(look_after);
}

}  // namespace reprise::controllers::reports
