#include "apps/kubectl-reprise/commands/report/redact.h"

#include <algorithm>
#include <array>

namespace reprise::plugin {
namespace {

// Kubernetes' own fields with such a name that hold no secret.
constexpr std::array kHarmless = {"secretname",          "secretref",
                                  "secretkeyref",        "tokenexpirationseconds",
                                  "serviceaccounttoken", "automountserviceaccounttoken",
                                  "imagepullsecrets",    "imagepullsecret",
                                  "topologykey",         "key"};
constexpr std::array kSecretWords = {"token",      "secret",        "password",   "passwd",    "passphrase", "apikey",
                                     "credential", "authorization", "privatekey", "accesskey", "cookie"};

// Secret as whole names only: parts of other names may be harmless.
constexpr std::array kSecretNames = {"auth", "auths", "dockerconfigjson", "dockercfg", "pwd"};
// kubectl's and kapp's copies of manifests.
constexpr std::array kCopies = {"last-applied-configuration", "kapp.k14s.io/original"};

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

bool is_copy(std::string_view name) {
  return std::ranges::any_of(kCopies, [&](const char* copy) { return name.ends_with(copy); });
}

// Redacts below a name that speaks of a secret: texts and numbers go, objects are looked through.
Json redacted_below_secret(const Json& value) {
  if (value.is_string() || value.is_number()) return Json(kRedacted);
  const auto* list = value.if_array();
  if (list == nullptr) return redacted(value);
  boost::json::array safe;
  for (const Json& each : *list) safe.push_back(redacted_below_secret(each));
  return safe;
}

// Redacts a name like a text only when it is long or a URL: few names hold more than a name.
std::string redacted_name(std::string_view name) {
  constexpr std::size_t kLongest = 32;
  const bool plain = name.size() <= kLongest && name.find("://") == std::string_view::npos;
  return plain ? std::string(name) : redacted_text(std::string(name));
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
  if (std::ranges::find(kSecretNames, plain) != kSecretNames.end()) return true;
  return std::ranges::any_of(kSecretWords, [&](const char* word) { return plain.find(word) != std::string::npos; });
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
    Json& to = safe[redacted_name(name)];
    if (is_copy(name) || (secret_value && name == "value" && each.is_string()))
      to = kRedacted;
    else if (speaks_of_a_secret(name))
      to = redacted_below_secret(each);
    else if (name == "env" && each.is_array())
      to = redacted_list(each.get_array(), true);
    else
      to = redacted(each);
  }
  return safe;
}

}  // namespace reprise::plugin
