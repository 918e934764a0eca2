#include "runtime/client/client.h"

#include <json/value.h>

#include <algorithm>
#include <utility>

#include "runtime/base/json_tree.h"
#include "runtime/client/internal/answer_check.h"
#include "runtime/client/status.h"
#include "runtime/internal/query.h"

namespace reprise::runtime {
namespace {

bool path_safe(std::string_view part) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789-.:";
  return part.find_first_not_of(allowed) == std::string_view::npos && part != "." && part != "..";
}

std::string doing(const Call& call) {
  std::string text(name(call.method));
  text += ' ';
  text += call.kind.kind;
  text += ' ';
  if (!call.namespace_.empty()) text += std::string(call.namespace_) + "/";
  text += call.name;
  if (!call.subresource.empty()) text += " (" + std::string(call.subresource) + ")";
  return text;
}

std::string encode(const DeleteOptions& options) {
  Json::Value body(Json::objectValue);
  body["apiVersion"] = "v1";
  body["kind"] = "DeleteOptions";
  if (options.grace_period_seconds) body["gracePeriodSeconds"] = Json::Int64(*options.grace_period_seconds);
  if (options.uid && !options.uid->empty()) body["preconditions"]["uid"] = *options.uid;
  if (options.resource_version && !options.resource_version->empty()) {
    body["preconditions"]["resourceVersion"] = *options.resource_version;
  }
  if (!options.propagation_policy.empty()) body["propagationPolicy"] = options.propagation_policy;
  return compact_json(body);
}

class TransportClient final : public Client {
 public:
  TransportClient(Transport& transport, const Clock& clock) : transport_(transport), clock_(clock) {}

  Result<std::string> get(const kube::KindInfo& kind, std::string_view ns, std::string_view name) override {
    return call({.method = Method::Get, .kind = kind, .namespace_ = ns, .name = name});
  }

  Result<std::string> list(const kube::KindInfo& kind, std::string_view ns, const ListOptions& options) override {
    Call request{.method = Method::Get, .kind = kind, .namespace_ = ns};
    if (!options.label_selector.empty()) add_query(request.query, "labelSelector", options.label_selector);
    if (!options.field_selector.empty()) add_query(request.query, "fieldSelector", options.field_selector);
    if (!options.resource_version.empty()) add_query(request.query, "resourceVersion", options.resource_version);
    if (!options.resource_version_match.empty()) {
      add_query(request.query, "resourceVersionMatch", options.resource_version_match);
    }
    if (!options.continue_token.empty()) add_query(request.query, "continue", options.continue_token);
    if (options.limit != 0) add_query(request.query, "limit", std::to_string(options.limit));
    return call(request);
  }

  Result<std::string> create(const WritePermit& permit, const kube::KindInfo& kind, std::string_view ns,
                             std::string body) override {
    return call({.method = Method::Post,
                 .kind = kind,
                 .namespace_ = ns,
                 .content_type = "application/json",
                 .body = std::move(body),
                 .permit = permit});
  }

  Result<std::string> patch(const WritePermit& permit, const kube::KindInfo& kind, std::string_view ns,
                            std::string_view name, PatchType type, std::string body,
                            std::string_view subresource) override {
    return call(
        {.method = Method::Patch,
         .kind = kind,
         .namespace_ = ns,
         .name = name,
         .subresource = subresource,
         .content_type = type == PatchType::Merge ? "application/merge-patch+json" : "application/json-patch+json",
         .body = std::move(body),
         .permit = permit});
  }

  Result<std::string> remove(const WritePermit& permit, const kube::KindInfo& kind, std::string_view ns,
                             std::string_view name, const DeleteOptions& options) override {
    return call({.method = Method::Delete,
                 .kind = kind,
                 .namespace_ = ns,
                 .name = name,
                 .content_type = "application/json",
                 .body = encode(options),
                 .permit = permit});
  }

  void call_async(const Call& call, std::function<void(Result<std::string>)> done) override {
    auto request = request_of(call);
    if (!request) return done(std::unexpected(std::move(request.error())));
    transport_.send_async(*std::move(request), [text = doing(call), done = std::move(done)](Result<Response> response) {
      done(body_of(text, std::move(response)));
    });
  }

 private:
  Result<std::string> call(const Call& call) {
    const auto request = request_of(call);
    if (!request) return std::unexpected(request.error());
    return body_of(doing(call), transport_.send(*request));
  }

  Result<Request> request_of(const Call& call) {
    if (!path_safe(call.namespace_) || !path_safe(call.name)) {
      return fail(ErrorClass::Invalid, doing(call) + ": the name is not one that Kubernetes allows");
    }
    Request request{.method = call.method,
                    .path_and_query = call.kind.path(call.namespace_, call.name, call.subresource),
                    .headers = {{"Accept", "application/json"}},
                    .body = call.body,
                    .timeout = call.timeout};
    request.urgent = call.urgent;
    if (!call.query.empty()) request.path_and_query += "?" + call.query;
    if (!call.content_type.empty()) request.headers.emplace_back("Content-Type", call.content_type);
    if (call.method != Method::Get && !call.permit) {
      return fail(ErrorClass::NoPermit, doing(call) + ": a request that changes something needs a write permit");
    }
    if (call.permit) {
      const Instant now = clock_.steady();
      if (!call.permit->valid_at(now)) return no_permit(call);
      const auto left = std::chrono::floor<Duration>(call.permit->valid_until() - now);
      request.timeout = std::max(std::min(request.timeout, left), Duration{1});
      request.before_send = [this, permit = *call.permit, text = doing(call)]() -> Result<void> {
        if (permit.valid_at(clock_.steady())) return {};
        return fail(ErrorClass::NoPermit, text + ": the write permit has ended");
      };
    }
    return request;
  }

  static std::unexpected<Error> no_permit(const Call& call) {
    return fail(ErrorClass::NoPermit, doing(call) + ": the write permit has ended");
  }

  static Result<std::string> body_of(const std::string& text, Result<Response> response) {
    if (!response) return std::unexpected(std::move(response.error()).with_context(text));
    if (!is_success(response->status)) return std::unexpected(error_of(*response).with_context(text));
    if (!is_whole_answer(response->content_type, response->body)) {
      return fail(ErrorClass::Unavailable,
                  text + ": what answered " + std::to_string(response->status) + " is no whole object of Kubernetes");
    }
    return std::move(response->body);
  }

  Transport& transport_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<Client> make_client(Transport& transport, const Clock& clock) {
  return std::make_unique<TransportClient>(transport, clock);
}

}  // namespace reprise::runtime
