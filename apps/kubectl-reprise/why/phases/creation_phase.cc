// Finds in the API server's message why it rejected an object that the operator wanted to create.
#include <algorithm>

#include "apps/kubectl-reprise/why/phases/phases.h"

namespace reprise::plugin::why {
namespace {

struct RejectionPhrase {
  std::string_view text;
  Cause cause;
};
// The first that fits: a webhook's own words may contain any of the others.
constexpr RejectionPhrase kRejections[] = {
    {"failed calling webhook", Cause::WebhookUnreachable},
    {"admission webhook", Cause::WebhookDenied},
    {"ValidatingAdmissionPolicy", Cause::PolicyDenied},
    {"exceeded quota:", Cause::QuotaExceeded},
    {"failed quota:", Cause::QuotaExceeded},
    {"violates PodSecurity", Cause::PodSecurityViolated},
    {"error looking up service account", Cause::ServiceAccountMissing},
    {"no PriorityClass with name", Cause::PriorityClassMissing},
    {" usage per ", Cause::LimitRangeExceeded},
    {"limit to request ratio", Cause::LimitRangeExceeded},
    {"the name is taken", Cause::NameTaken},
    {"already exists", Cause::NameTaken},
};

Cause cause_of_rejection(std::string_view message) {
  for (const RejectionPhrase& phrase : kRejections) {
    if (message.find(phrase.text) != std::string_view::npos) return phrase.cause;
  }
  return Cause::CreationRejected;
}

// The text behind `before` up to one of `until`, without quotes.
std::string word_after(std::string_view message, std::string_view before, std::string_view until) {
  const auto at = message.find(before);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = message.substr(at + before.size());
  std::string word(rest.substr(0, rest.find_first_of(until)));
  std::erase_if(word, [](char c) { return c == '"' || c == '\'' || c == ' '; });
  return word;
}

// The object that rejects, as far as the message tells; the job itself otherwise.
ObjectRef who(Cause cause, const std::string& message, const ObjectRef& subject) {
  const std::string& in = subject.namespace_;
  if (cause == Cause::QuotaExceeded) {
    return {.kind = "ResourceQuota", .namespace_ = in, .name = word_after(message, " quota: ", ",:")};
  }
  if (cause == Cause::WebhookDenied) {
    return {.kind = "Webhook", .namespace_ = {}, .name = word_after(message, "admission webhook \"", "\"")};
  }
  if (cause == Cause::WebhookUnreachable) {
    return {.kind = "Webhook", .namespace_ = {}, .name = word_after(message, "failed calling webhook \"", "\"")};
  }
  if (cause == Cause::PolicyDenied) {
    return {.kind = "ValidatingAdmissionPolicy",
            .namespace_ = {},
            .name = word_after(message, "ValidatingAdmissionPolicy '", "'")};
  }
  if (cause == Cause::PodSecurityViolated) return {.kind = "Namespace", .namespace_ = {}, .name = in};
  if (cause == Cause::ServiceAccountMissing) {
    return {.kind = "ServiceAccount", .namespace_ = in, .name = word_after(message, "serviceaccount \"", "\"")};
  }
  if (cause == Cause::PriorityClassMissing) {
    return {.kind = "PriorityClass", .namespace_ = {}, .name = word_after(message, "with name ", " ")};
  }
  return subject;
}

std::vector<std::string> after_rejection(Cause cause, const ObjectRef& object, const ObjectRef& subject) {
  const std::string in = " -n " + subject.namespace_;
  if (cause == Cause::QuotaExceeded) {
    return {"kubectl describe resourcequota " + object.name + in, "kubectl get pods" + in,
            "end something there, or ask for a larger quota"};
  }
  if (cause == Cause::LimitRangeExceeded) return {"kubectl describe limitrange" + in};
  if (cause == Cause::PodSecurityViolated) {
    return {"kubectl get namespace " + object.name + " --show-labels",
            "set what the message lists in spec.template.spec of the job"};
  }
  if (cause == Cause::ServiceAccountMissing) return {"kubectl create serviceaccount " + object.name + in};
  if (cause == Cause::PriorityClassMissing) return {"kubectl get priorityclasses"};
  if (cause == Cause::WebhookDenied || cause == Cause::WebhookUnreachable) {
    return {"kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations"};
  }
  if (cause == Cause::PolicyDenied) return {"kubectl get validatingadmissionpolicy " + object.name + " -o yaml"};
  return {"kubectl describe resumablejob " + subject.name + in};
}

}  // namespace

Finding read_rejection(const ObjectRef& subject, const std::string& message) {
  const Cause cause = cause_of_rejection(message);
  ObjectRef object = who(cause, message, subject);
  if (object.name.empty()) object = subject;
  std::vector<std::string> to_do = after_rejection(cause, object, subject);
  return {.cause = cause, .object = std::move(object), .found = message, .to_do = std::move(to_do)};
}

}  // namespace reprise::plugin::why
