#include "runtime/cache/served.h"

#include <algorithm>
#include <utility>

#include "runtime/client/status.h"
#include "runtime/internal/json.h"

namespace reprise::runtime {
namespace {

using internal::member;
using internal::parse_json;
using internal::text_of;

Request discovery(std::string path) {
  // The aggregated form, which newer servers prefer, is another document.
  return {.path_and_query = std::move(path), .headers = {{"Accept", "application/json"}}};
}

std::optional<Json::Value> document(const Response& answer, std::string_view kind) {
  if (!is_success(answer.status)) return std::nullopt;
  auto tree = parse_json(answer.body);
  if (!tree || !tree->isObject() || text_of(*tree, "kind") != kind) return std::nullopt;
  return tree;
}

bool any_named(const Json::Value& list, std::string_view field, std::string_view wanted) {
  return list.isArray() &&
         std::any_of(list.begin(), list.end(), [&](const Json::Value& each) { return text_of(each, field) == wanted; });
}

std::unexpected<Error> unclear(const Result<Response>& answer, const kube::KindInfo& kind) {
  const std::string doing = "ask whether the API server serves " + std::string(kind.plural) + "." +
                            std::string(kind.group) + " (" + std::string(kind.version) + ")";
  if (!answer) return std::unexpected(Error(answer.error()).with_context(doing));
  if (!is_success(answer->status)) return std::unexpected(error_of(*answer).with_context(doing));
  return fail(ErrorClass::Conflict, doing + ": the answers contradict each other");
}

}  // namespace

std::string resources_path(const kube::KindInfo& kind) {
  if (kind.group.empty()) return "/api/" + std::string(kind.version);
  return "/apis/" + std::string(kind.group) + "/" + std::string(kind.version);
}

std::optional<bool> resources_name(const Response& answer, const kube::KindInfo& kind) {
  const auto list = document(answer, "APIResourceList");
  if (!list || text_of(*list, "groupVersion") != kind.api_version()) return std::nullopt;
  return any_named(member(*list, "resources"), "name", kind.plural);
}

std::optional<bool> groups_lack(const Response& answer, const kube::KindInfo& kind) {
  const auto list = document(answer, "APIGroupList");
  if (!list || kind.group.empty()) return std::nullopt;
  const Json::Value& groups = member(*list, "groups");
  if (!groups.isArray()) return std::nullopt;
  for (const Json::Value& group : groups) {
    if (text_of(group, "name") == kind.group && any_named(member(group, "versions"), "version", kind.version)) {
      return std::nullopt;
    }
  }
  return true;
}

void ask_whether_served(Transport& transport, const kube::KindInfo& kind, std::function<void(Result<bool>)> done) {
  transport.send_async(
      discovery(resources_path(kind)), [&transport, kind, done = std::move(done)](const Result<Response>& resources) {
        if (!resources) return done(unclear(resources, kind));
        if (const auto named = resources_name(*resources, kind)) return done(*named);
        transport.send_async(discovery(std::string(groups_path)), [kind, done](const Result<Response>& groups) {
          if (groups && groups_lack(*groups, kind)) return done(false);
          done(unclear(groups, kind));
        });
      });
}

}  // namespace reprise::runtime
