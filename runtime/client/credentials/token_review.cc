#include "runtime/client/credentials/token_review.h"

#include <json/value.h>

#include <utility>

#include "runtime/base/json_tree.h"
#include "runtime/client/status.h"
#include "runtime/internal/json.h"

namespace reprise::runtime {
namespace {

using internal::member;
using internal::text_of;

Json::Value list_of(const std::vector<std::string>& texts) {
  Json::Value list(Json::arrayValue);
  for (const std::string& text : texts) list.append(text);
  return list;
}

std::vector<std::string> texts_of(const Json::Value& list) {
  std::vector<std::string> texts;
  if (!list.isArray()) return texts;
  for (const Json::Value& each : list) {
    if (each.isString()) texts.push_back(each.asString());
  }
  return texts;
}

TokenUser user_of(const Json::Value& user) {
  TokenUser found{text_of(user, "username"), text_of(user, "uid"), texts_of(member(user, "groups")), {}};
  const Json::Value& extra = member(user, "extra");
  if (!extra.isObject()) return found;
  for (const std::string& name : extra.getMemberNames()) found.extra[name] = texts_of(extra[name]);
  return found;
}

// The status of the answered review; Unavailable when the answer is no review.
Result<Json::Value> status_of(const char* kind, Result<Response> response) {
  const std::string text = std::string("create ") + kind;
  if (!response) return std::unexpected(std::move(response.error()).with_context(text));
  if (!is_success(response->status)) return std::unexpected(error_of(*response).with_context(text));
  const auto review = internal::parse_json(response->body);
  if (!review || text_of(*review, "kind") != kind || !member(*review, "status").isObject()) {
    return fail(ErrorClass::Unavailable, text + ": the answer is no " + kind);
  }
  return member(*review, "status");
}

bool is_true(const Json::Value& status, const char* name) {
  const Json::Value& value = member(status, name);
  return value.isBool() && value.asBool();
}

void create(Transport& transport, const std::string& group, const char* kind, const char* plural, Json::Value spec,
            std::function<void(Result<Json::Value>)> done) {
  Json::Value review;
  review["apiVersion"] = group + "/v1";
  review["kind"] = kind;
  review["spec"] = std::move(spec);
  transport.send_async(
      {.method = Method::Post,
       .path_and_query = "/apis/" + group + "/v1/" + plural,
       .headers = {{"Accept", "application/json"}, {"Content-Type", "application/json"}},
       .body = compact_json(review),
       .timeout = review_timeout},
      [kind, done = std::move(done)](Result<Response> response) { done(status_of(kind, std::move(response))); });
}

}  // namespace

void review_token(Transport& transport, const std::string& token, const std::vector<std::string>& audiences,
                  std::function<void(Result<std::optional<TokenUser>>)> done) {
  Json::Value spec;
  spec["token"] = token;
  if (!audiences.empty()) spec["audiences"] = list_of(audiences);
  create(transport, "authentication.k8s.io", "TokenReview", "tokenreviews", std::move(spec),
         [audiences, done = std::move(done)](Result<Json::Value> status) {
           if (!status) return done(std::unexpected(std::move(status.error())));
           // A server that knows no audiences leaves them out, and has not looked.
           if (!is_true(*status, "authenticated") ||
               (!audiences.empty() && texts_of(member(*status, "audiences")).empty()))
             return done(std::optional<TokenUser>());
           TokenUser user = user_of(member(*status, "user"));
           if (user.username.empty())
             return done(fail(ErrorClass::Unavailable, "create TokenReview: the answer names no user"));
           done(std::optional(std::move(user)));
         });
}

void review_path_access(Transport& transport, const TokenUser& user, const std::string& path, const std::string& verb,
                        std::function<void(Result<bool>)> done) {
  Json::Value spec;
  spec["user"] = user.username;
  if (!user.uid.empty()) spec["uid"] = user.uid;
  if (!user.groups.empty()) spec["groups"] = list_of(user.groups);
  for (const auto& [name, values] : user.extra) spec["extra"][name] = list_of(values);
  spec["nonResourceAttributes"]["path"] = path;
  spec["nonResourceAttributes"]["verb"] = verb;
  create(transport, "authorization.k8s.io", "SubjectAccessReview", "subjectaccessreviews", std::move(spec),
         [done = std::move(done)](Result<Json::Value> status) {
           if (!status) return done(std::unexpected(std::move(status.error())));
           done(is_true(*status, "allowed") && !is_true(*status, "denied"));
         });
}

}  // namespace reprise::runtime
