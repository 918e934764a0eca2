#include "runtime/client/config.h"

#include <cstdlib>
#include <sstream>
#include <utility>

#include "runtime/base/files/file_text.h"
#include "runtime/client/internal/config_file.h"
#include "runtime/client/proxy.h"
#include "runtime/internal/query.h"

namespace reprise::runtime {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// Splits at colons and leaves out empty parts.
std::vector<std::string> parts(const std::string& list) {
  std::vector<std::string> found;
  std::istringstream left(list);
  for (std::string part; std::getline(left, part, ':');) {
    if (!part.empty()) found.push_back(std::move(part));
  }
  return found;
}

}  // namespace

Result<std::string> read_config_file(const std::filesystem::path& path) {
  auto text = file_text(path);
  if (!text) return fail(ErrorClass::Terminal, "cannot read " + path.string() + ": " + text.error().message());
  return *std::move(text);
}

Headers impersonation_headers(const Impersonation& who) {
  Headers headers;
  if (who.user.empty()) return headers;
  headers.emplace_back("Impersonate-User", who.user);
  if (!who.uid.empty()) headers.emplace_back("Impersonate-Uid", who.uid);
  for (const std::string& group : who.groups) headers.emplace_back("Impersonate-Group", group);
  for (const auto& [key, values] : who.extra) {
    for (const std::string& value : values) headers.emplace_back("Impersonate-Extra-" + percent_encoded(key), value);
  }
  return headers;
}

Result<ClusterConfig> read_in_cluster(const std::string& folder) {
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  std::string host = environment("KUBERNETES_SERVICE_HOST");
  if (host.empty() || port.empty()) {
    return fail(ErrorClass::Terminal, "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  auto ca = read_config_file(folder + "/ca.crt");
  if (!ca) return std::unexpected(std::move(ca.error()).with_context("in-cluster configuration"));
  ClusterConfig config;
  config.server.url = "https://" + host + ":" + port;
  auto proxy = check_proxy_url(choose_proxy(read_proxy_environment(), config.server.url));
  if (!proxy) return std::unexpected(std::move(proxy.error()).with_context("in-cluster configuration"));
  config.server.proxy_url = *std::move(proxy);
  config.tls_files.ca = folder + "/ca.crt";
  config.server.identity.ca_pem = *std::move(ca);
  config.token_file = folder + "/token";
  if (auto ns = read_config_file(folder + "/namespace")) config.namespace_ = *std::move(ns);
  return config;
}

Result<ClusterConfig> find_cluster(const std::string& path, const std::string& context) {
  if (!path.empty()) return read_kubeconfig(path, context);
  if (const std::string paths = environment("KUBECONFIG"); !paths.empty()) {
    return read_kubeconfigs(parts(paths), context);
  }
  if (!environment("KUBERNETES_SERVICE_HOST").empty()) return read_in_cluster();
  return read_kubeconfig(environment("HOME") + "/.kube/config", context);
}

}  // namespace reprise::runtime
