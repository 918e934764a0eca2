#include "runtime/client/config.h"

#include <openssl/evp.h>
#include <yaml-cpp/yaml.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace reprise::runtime {
namespace {

Error missing(const std::string& what) {
  return {ErrorClass::Terminal, what, {}};
}

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(missing("cannot read " + path.string()));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::optional<std::string> decode_base64(const std::string& text) {
  std::string clean;
  for (const char c : text) {
    if (c != '\n' && c != '\r' && c != ' ') clean += c;
  }
  std::string bytes(clean.size(), '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                      reinterpret_cast<const unsigned char*>(clean.data()), static_cast<int>(clean.size()));
  if (size < 0) return std::nullopt;
  std::size_t length = static_cast<std::size_t>(size);
  for (auto at = clean.rbegin(); at != clean.rend() && *at == '=' && length > 0; ++at) --length;
  bytes.resize(length);
  return bytes;
}

std::string text(const YAML::Node& node, const char* key) {
  const YAML::Node value = node[key];
  return value && value.IsScalar() ? value.as<std::string>() : std::string();
}

// `key`-data in base64, or the file that `key` names, or nothing.
Result<std::string> pem(const YAML::Node& node, const std::string& key, const std::filesystem::path& folder) {
  if (const std::string data = text(node, (key + "-data").c_str()); !data.empty()) {
    if (auto bytes = decode_base64(data)) return *std::move(bytes);
    return std::unexpected(missing(key + "-data is not base64"));
  }
  const std::string file = text(node, key.c_str());
  if (file.empty()) return std::string();
  return read_file(folder / file);
}

Result<YAML::Node> named(const YAML::Node& root, const char* list, const char* member, const std::string& name) {
  for (const YAML::Node& entry : root[list]) {
    if (text(entry, "name") == name) return entry[member];
  }
  return std::unexpected(missing(std::string(list) + " has no entry named \"" + name + "\""));
}

Result<ClusterConfig> interpret(const YAML::Node& root, std::string context, const std::filesystem::path& folder) {
  if (context.empty()) context = text(root, "current-context");
  if (context.empty()) return std::unexpected(missing("current-context is not set and no context was given"));
  const auto chosen = named(root, "contexts", "context", context);
  if (!chosen) return std::unexpected(chosen.error());
  const auto cluster = named(root, "clusters", "cluster", text(*chosen, "cluster"));
  if (!cluster) return std::unexpected(cluster.error());

  ClusterConfig config;
  config.namespace_ = text(*chosen, "namespace");
  config.server.url = text(*cluster, "server");
  if (config.server.url.empty())
    return std::unexpected(missing("the cluster of context " + context + " has no server"));
  if (!text(*cluster, "proxy-url").empty()) return std::unexpected(missing("proxy-url is not supported"));
  config.server.tls_server_name = text(*cluster, "tls-server-name");
  config.server.insecure_skip_verify = text(*cluster, "insecure-skip-tls-verify") == "true";
  auto ca = pem(*cluster, "certificate-authority", folder);
  if (!ca) return std::unexpected(std::move(ca.error()));
  config.server.identity.ca_pem = *std::move(ca);

  const std::string user_name = text(*chosen, "user");
  if (user_name.empty()) return config;
  const auto user = named(root, "users", "user", user_name);
  if (!user) return std::unexpected(user.error());
  for (const char* unsupported : {"exec", "auth-provider", "username"}) {
    if ((*user)[unsupported]) {
      return std::unexpected(missing(std::string("users.user.") + unsupported + " is not supported; use a token, " +
                                     "tokenFile or a client certificate"));
    }
  }
  auto certificate = pem(*user, "client-certificate", folder);
  if (!certificate) return std::unexpected(std::move(certificate.error()));
  config.server.identity.client_certificate_pem = *std::move(certificate);
  auto key = pem(*user, "client-key", folder);
  if (!key) return std::unexpected(std::move(key.error()));
  config.server.identity.client_key_pem = *std::move(key);
  config.token = text(*user, "token");
  if (const std::string file = text(*user, "tokenFile"); !file.empty()) config.token_file = (folder / file).string();
  return config;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

Result<ClusterConfig> read_kubeconfig(const std::string& path, const std::string& context) {
  auto file = read_file(path);
  if (!file) return std::unexpected(std::move(file.error()).with_context("kubeconfig"));
  try {
    auto config = interpret(YAML::Load(*file), context, std::filesystem::absolute(path).parent_path());
    if (!config) return std::unexpected(std::move(config.error()).with_context("kubeconfig " + path));
    return config;
  } catch (const YAML::Exception& error) {
    return fail(ErrorClass::Terminal, "kubeconfig " + path + ": " + error.what());
  }
}

Result<ClusterConfig> read_in_cluster(const std::string& folder) {
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  std::string host = environment("KUBERNETES_SERVICE_HOST");
  if (host.empty() || port.empty()) {
    return fail(ErrorClass::Terminal, "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  auto ca = read_file(folder + "/ca.crt");
  if (!ca) return std::unexpected(std::move(ca.error()).with_context("in-cluster configuration"));
  ClusterConfig config;
  config.server.url = "https://" + host + ":" + port;
  config.server.identity.ca_pem = *std::move(ca);
  config.token_file = folder + "/token";
  if (auto ns = read_file(folder + "/namespace")) config.namespace_ = *std::move(ns);
  return config;
}

Result<ClusterConfig> find_cluster(const std::string& path, const std::string& context) {
  if (!path.empty()) return read_kubeconfig(path, context);
  if (const std::string paths = environment("KUBECONFIG"); !paths.empty()) {
    return read_kubeconfig(paths.substr(0, paths.find(':')), context);
  }
  if (!environment("KUBERNETES_SERVICE_HOST").empty()) return read_in_cluster();
  return read_kubeconfig(environment("HOME") + "/.kube/config", context);
}

}  // namespace reprise::runtime
