#include "tests/contract/api/world.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <random>
#include <stdexcept>
#include <utility>

namespace reprise::contract {
namespace {

using runtime::Method;

// Tests of one run share a server, and so may runs.
std::string new_namespace() {
  static const std::uint32_t run = std::random_device{}();
  static int next = 0;
  return "t" + std::to_string(run) + "-" + std::to_string(++next);
}

}  // namespace

Value json(std::string_view text) {
  boost::system::error_code error;
  Value value = boost::json::parse(boost::json::string_view(text.data(), text.size()), error);
  if (error) throw std::runtime_error("no JSON: " + std::string(text));
  return value;
}

std::string encoded(const Value& value) {
  return boost::json::serialize(value);
}

Contract::Contract() : ns(new_namespace()) {
  must_post("/api/v1/namespaces", json(R"({"metadata":{"name":")" + ns + R"("}})"));
  must_post(in_namespace("serviceaccounts"), json(R"({"metadata":{"name":"default"}})"));
}

Contract::~Contract() {
  remove("/api/v1/namespaces/" + ns);
}

Reply Contract::call(Method method, std::string path, std::string body, std::string_view content,
                     std::string_view accept) {
  runtime::Request request{.method = method,
                           .path_and_query = std::move(path),
                           .headers = {{"Accept", std::string(accept)}},
                           .body = std::move(body)};
  if (!content.empty()) request.headers.emplace_back("Content-Type", std::string(content));
  auto answer = backend().transport().send(request);
  if (!answer) {
    ADD_FAILURE() << request.path_and_query << ": " << answer.error().message;
    return {};
  }
  Reply reply{answer->status, std::move(answer->body), nullptr};
  if (reply.raw.starts_with('{')) reply.body = json(reply.raw);
  return reply;
}

Reply Contract::post(std::string path, const Value& body) {
  return call(Method::Post, std::move(path), encoded(body), "application/json");
}

Reply Contract::put(std::string path, const Value& body) {
  return call(Method::Put, std::move(path), encoded(body), "application/json");
}

Reply Contract::merge(std::string path, std::string patch) {
  return call(Method::Patch, std::move(path), std::move(patch), "application/merge-patch+json");
}

Reply Contract::json_patch(std::string path, std::string patch) {
  return call(Method::Patch, std::move(path), std::move(patch), "application/json-patch+json");
}

Reply Contract::remove(std::string path, std::string options) {
  return call(Method::Delete, std::move(path), std::move(options), "application/json");
}

Reply Contract::must_post(std::string path, const Value& body) {
  Reply reply = post(path, body);
  EXPECT_EQ(reply.status, 201) << path << ": " << reply.raw;
  return reply;
}

std::string Contract::in_namespace(std::string_view plural, std::string_view name) const {
  std::string path = "/api/v1/namespaces/" + ns + "/" + std::string(plural);
  return name.empty() ? path : path + "/" + std::string(name);
}

std::string Contract::jobs(std::string_view name) const {
  std::string path = "/apis/reprise.dev/v1alpha1/namespaces/" + ns + "/resumablejobs";
  return name.empty() ? path : path + "/" + std::string(name);
}

std::string Contract::pools(std::string_view name) {
  std::string path = "/apis/karpenter.sh/v1/nodepools";
  return name.empty() ? path : path + "/" + std::string(name);
}

Value Contract::pod(std::string_view name) {
  return json(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + std::string(name) +
      R"("},"spec":{"automountServiceAccountToken":false,"containers":[{"name":"main","image":"trainer:1"}]}})");
}

Value Contract::map(std::string_view name, std::string_view label) {
  Value made = json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + std::string(name) +
                    R"("},"data":{"k":"v"}})");
  if (!label.empty()) simulator::set(made, {"metadata", "labels", "app"}, label);
  return made;
}

Value Contract::job(std::string_view name) const {
  Value made = json(R"({"apiVersion":"reprise.dev/v1alpha1","kind":"ResumableJob","spec":{"poolName":"t4","checkpoint":
    {"path":"/ckpt","volume":{"claimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":
    {"storage":"1Gi"}}}}}},"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"t:1","command":["train"]}]}}}})");
  simulator::set(made, {"metadata", "name"}, name);
  return made;
}

Value Contract::pool(std::string_view name) const {
  Value made = json(R"({"apiVersion":"karpenter.sh/v1","kind":"NodePool","spec":{"template":{"spec":{"nodeClassRef":
    {"group":"karpenter.kwok.sh","kind":"KWOKNodeClass","name":"default"},"requirements":[{"key":
    "karpenter.sh/capacity-type","operator":"In","values":["spot"]}]}},"disruption":{"consolidateAfter":"30s",
    "consolidationPolicy":"WhenEmpty","budgets":[{"nodes":"10%"}]}}})");
  simulator::set(made, {"metadata", "name"}, own(name));
  return made;
}

void Contract::bind(std::string_view name, std::string_view node) const {
  const Reply bound =
      post(pods(std::string(name) + "/binding"),
           json(R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")" + std::string(name) +
                R"("},"target":{"apiVersion":"v1","kind":"Node","name":")" + std::string(node) + R"("}})"));
  EXPECT_EQ(bound.status, 201) << bound.raw;
  // A deletion looks into the API server's cache first, and keeps the grace of 0 that it has found there for a pod
  // without a node, also when the pod in etcd has one. (resourceVersion=0 reads that cache.)
  const auto cached = [&] { return get(pods(name) + "?resourceVersion=0").text({"spec", "nodeName"}); };
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (cached() != node && std::chrono::steady_clock::now() < until) backend().let_watches_hear();
  EXPECT_EQ(cached(), node);
}

}  // namespace reprise::contract
