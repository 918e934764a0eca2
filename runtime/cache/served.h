// Does the API server serve a kind? The documents of discovery decide: a path that answers 404 proves nothing by
// itself, since gateways answer for servers that they do not reach, some of them in the very words of the API server.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/http/transport.h"
#include "runtime/kube/meta.h"

namespace reprise::runtime {

// "/apis/karpenter.sh/v1", "/api/v1"
[[nodiscard]] std::string resources_path(const kube::KindInfo& kind);
inline constexpr std::string_view groups_path = "/apis";

// Reads the answer to resources_path(); empty: it is no list of resources.
[[nodiscard]] std::optional<bool> resources_name(const Response& answer, const kube::KindInfo& kind);
// Reads the answer to groups_path: true when that version of the group is not there, for then no kind of it is; empty:
// it is there, or this is no list of groups.
[[nodiscard]] std::optional<bool> groups_lack(const Response& answer, const kube::KindInfo& kind);

// Asks for the one and, where that does not answer, for the other. An error where neither says anything; Conflict where
// the groups have the version and its resources do not answer, as for some seconds after a definition was created.
// `done` runs once, on the executor's thread, or is dropped with the process.
void ask_whether_served(Transport& transport, const kube::KindInfo& kind, std::function<void(Result<bool>)> done);

}  // namespace reprise::runtime
