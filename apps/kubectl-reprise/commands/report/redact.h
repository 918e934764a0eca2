// Takes secrets out of objects and texts before they leave a cluster. Pure. When in doubt something goes.
#pragma once

#include <string>
#include <string_view>

#include "apps/kubectl-reprise/terminal/json.h"

namespace reprise::plugin {

inline constexpr std::string_view kRedacted = "[redacted]";

// Removes from an object of any kind: the values of environment variables, kubectl's and kapp's copies of the manifest,
// every text or number whose name speaks of a secret, the word after such a flag, managedFields, and in every other
// text what redacted_text() removes.
[[nodiscard]] Json redacted(const Json& object);
// Removes from a text that is JSON, or has lines that are, what redacted() removes, also where it is the text of a
// text. From any other: tokens (JWT, bearer and basic credentials, keys as clouds and hubs give them out, long words in
// which letters and digits take turns), compressed texts, manifests in YAML, private keys, passwords and keys in URLs,
// values of environment variables, and values assigned to a name that speaks of a secret, however often its quotes are
// escaped.
[[nodiscard]] std::string redacted_text(std::string text);
// "token", "dbPassword", "AWS_SECRET_ACCESS_KEY"; not "secretName" and the like, which name where a secret lies.
[[nodiscard]] bool speaks_of_a_secret(std::string_view name);

}  // namespace reprise::plugin
