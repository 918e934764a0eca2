#include "apps/kubectl-reprise/redact.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

namespace reprise::plugin {
namespace {

// What of Kubernetes' own fields has such a name and is no secret.
constexpr std::array kHarmless = {"secretname",          "secretref",
                                  "secretkeyref",        "tokenexpirationseconds",
                                  "serviceaccounttoken", "automountserviceaccounttoken",
                                  "imagepullsecrets",    "imagepullsecret",
                                  "topologykey",         "key"};
constexpr std::array kSecretWords = {"token",      "secret",        "password",   "passwd",    "passphrase", "apikey",
                                     "credential", "authorization", "privatekey", "accesskey", "cookie"};

struct Pattern {
  const char* expression;
  const char* replacement;
};
// In this order: what is longer first.
constexpr std::array kPatterns = {
    Pattern{R"((?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|$))", "[redacted]"},
    Pattern{R"(\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)?)", "[redacted]"},
    Pattern{R"((?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,})", "\\1 [redacted]"},
    Pattern{R"(://[^/\s"']*@)", "://[redacted]@"},
    Pattern{R"(\b(AKIA|ASIA)[0-9A-Z]{16}\b)", "[redacted]"},
    Pattern{R"(\b(hf_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abpr]-|sk-|wandb_)[A-Za-z0-9_-]{16,})", "[redacted]"},
    Pattern{R"((?i)([?&](sig|signature)=)[^\s&"']+)", "\\1[redacted]"},
    Pattern{
        R"((?i)([A-Za-z0-9_.-]*(token|secret|password|passwd|passphrase|api_?-?key|credential|access_?-?key|account_?-?key|private_?-?key)[A-Za-z0-9_.-]*["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&"']+))",
        "\\1[redacted]"},
    Pattern{
        R"((?i)(--[a-z0-9_-]*(token|secret|password|passwd|passphrase|api-?key|credential|access-?key)[a-z0-9_-]*\s+)("[^"]*"|'[^']*'|[^\s,;&"'-][^\s,;&"']*))",
        "\\1[redacted]"},
};

std::string without_signs(std::string_view name) {
  std::string plain;
  for (const char each : name) {
    if (each != '-' && each != '_' && each != '.')
      plain += static_cast<char>(each >= 'A' && each <= 'Z' ? each | 0x20 : each);
  }
  return plain;
}

bool is_flag_of_a_secret(std::string_view word) {
  return word.starts_with('-') && word.find('=') == std::string_view::npos && speaks_of_a_secret(word.substr(1));
}

Json redacted_list(const boost::json::array& list, bool environment) {
  boost::json::array safe;
  bool secret_follows = false;
  for (const Json& each : list) {
    const auto* text = each.if_string();
    Json value = secret_follows && text != nullptr ? Json(kRedacted) : redacted(each);
    secret_follows = text != nullptr && is_flag_of_a_secret(*text);
    if (environment && value.is_object() && value.get_object().contains("value"))
      value.get_object()["value"] = kRedacted;
    safe.push_back(std::move(value));
  }
  return safe;
}

}  // namespace

bool speaks_of_a_secret(std::string_view name) {
  const std::string plain = without_signs(name.substr(name.rfind('/') + 1));
  if (std::ranges::find(kHarmless, plain) != kHarmless.end()) return false;
  return std::ranges::any_of(kSecretWords, [&](const char* word) { return plain.find(word) != std::string::npos; });
}

std::string redacted_text(std::string text) {
  for (const Pattern& each : kPatterns) {
    RE2::Options options;
    options.set_log_errors(false);
    const RE2 expression(each.expression, options);
    // A text that cannot be looked through does not go out.
    if (!expression.ok()) return std::string(kRedacted);
    RE2::GlobalReplace(&text, expression, each.replacement);
  }
  return text;
}

Json redacted(const Json& value) {
  if (const auto* text = value.if_string()) return Json(redacted_text(std::string(*text)));
  if (const auto* list = value.if_array()) return redacted_list(*list, false);
  const auto* object = value.if_object();
  if (object == nullptr) return value;
  boost::json::object safe;
  const auto* called = object->if_contains("name");
  const bool secret_value = called != nullptr && called->is_string() && speaks_of_a_secret(called->get_string());
  for (const auto& [key, each] : *object) {
    const std::string_view name = key;
    if (name == "managedFields") continue;
    const bool secret = (each.is_string() && (speaks_of_a_secret(name) || (secret_value && name == "value"))) ||
                        name.ends_with("last-applied-configuration");
    if (secret)
      safe[key] = kRedacted;
    else if (name == "env" && each.is_array())
      safe[key] = redacted_list(each.get_array(), true);
    else
      safe[key] = redacted(each);
  }
  return safe;
}

}  // namespace reprise::plugin
