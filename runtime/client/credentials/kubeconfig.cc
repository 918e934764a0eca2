#include <openssl/evp.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "runtime/base/yaml_check.h"
#include "runtime/client/config.h"
#include "runtime/client/internal/config_file.h"
#include "runtime/client/internal/kubeconfig_exec.h"
#include "runtime/client/proxy.h"

namespace reprise::runtime {
namespace {

Error missing(const std::string& what) {
  return {ErrorClass::Terminal, what, {}};
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

// `key`-data in base64, or the file that `key` names (its path goes into `path`), or nothing.
Result<std::string> pem(const YAML::Node& node, const std::string& key, const std::filesystem::path& folder,
                        std::string& path) {
  if (const std::string data = text(node, (key + "-data").c_str()); !data.empty()) {
    if (auto bytes = decode_base64(data)) return *std::move(bytes);
    return std::unexpected(missing(key + "-data is not base64"));
  }
  const std::string file = text(node, key.c_str());
  if (file.empty()) return std::string();
  path = (folder / file).string();
  return read_config_file(path);
}

struct File {
  YAML::Node root;
  std::filesystem::path folder;  // its relative paths count from here
};
struct Entry {
  YAML::Node node;
  std::filesystem::path folder;
};

// Finds the entry of that name in the first file that has it; later files do not count.
Result<Entry> named(const std::vector<File>& files, const char* list, const char* member, const std::string& name) {
  std::string others;
  for (const File& file : files) {
    for (const YAML::Node& entry : file.root[list]) {
      if (text(entry, "name") == name) return Entry{entry[member], file.folder};
      others += (others.empty() ? "; must be one of " : ", ") + text(entry, "name");
    }
  }
  return std::unexpected(missing(std::string(list) + " has no entry named \"" + name + "\"" + others));
}

std::vector<std::string> texts(const YAML::Node& list) {
  std::vector<std::string> all;
  for (const YAML::Node& entry : list) all.push_back(entry.as<std::string>());
  return all;
}

Result<std::string> proxy_of(const YAML::Node& cluster, const std::string& url) {
  if (const std::string own = text(cluster, "proxy-url"); !own.empty()) {
    auto checked = check_proxy_url(own);
    if (!checked) return std::unexpected(std::move(checked.error()).with_context("proxy-url"));
    return checked;
  }
  return check_proxy_url(choose_proxy(read_proxy_environment(), url));
}

Result<Impersonation> impersonation_of(const YAML::Node& user) {
  Impersonation who{.user = text(user, "as"), .uid = text(user, "as-uid"), .groups = texts(user["as-groups"])};
  for (const auto& entry : user["as-user-extra"]) who.extra[entry.first.as<std::string>()] = texts(entry.second);
  if (who.user.empty() && !(who.uid.empty() && who.groups.empty() && who.extra.empty())) {
    return std::unexpected(missing("as-uid, as-groups and as-user-extra need \"as\""));
  }
  return who;
}

Result<void> read_user(const Entry& entry, const YAML::Node& cluster, ClusterConfig& config) {
  const auto& [user, folder] = entry;
  for (const char* unsupported : {"auth-provider", "username"}) {
    if (user[unsupported]) {
      return std::unexpected(
          missing(std::string(unsupported) + " is not supported; use exec, token, tokenFile or a client certificate"));
    }
  }
  TlsIdentity& identity = config.server.identity;
  auto certificate = pem(user, "client-certificate", folder, config.tls_files.certificate);
  if (!certificate) return std::unexpected(std::move(certificate.error()));
  identity.client_certificate_pem = *std::move(certificate);
  auto key = pem(user, "client-key", folder, config.tls_files.key);
  if (!key) return std::unexpected(std::move(key.error()));
  identity.client_key_pem = *std::move(key);
  if (identity.client_certificate_pem.empty() != identity.client_key_pem.empty()) {
    return std::unexpected(missing("client-certificate and client-key need each other"));
  }
  config.token = text(user, "token");
  if (const std::string file = text(user, "tokenFile"); !file.empty()) config.token_file = (folder / file).string();
  auto who = impersonation_of(user);
  if (!who) return std::unexpected(std::move(who.error()));
  config.impersonate = *std::move(who);
  if (!user["exec"]) return {};
  auto plugin = read_exec(user["exec"], cluster, config.server, folder);
  if (!plugin) return std::unexpected(std::move(plugin.error()).with_context("exec"));
  config.exec = *std::move(plugin);
  return {};
}

Result<ClusterConfig> interpret(const std::vector<File>& files, std::string context) {
  for (const File& file : files) {
    if (context.empty()) context = text(file.root, "current-context");
  }
  if (context.empty()) return std::unexpected(missing("current-context is not set and no context was given"));
  const auto chosen = named(files, "contexts", "context", context);
  if (!chosen) return std::unexpected(chosen.error());
  const auto found = named(files, "clusters", "cluster", text(chosen->node, "cluster"));
  if (!found) return std::unexpected(found.error());
  const YAML::Node& cluster = found->node;

  ClusterConfig config;
  config.namespace_ = text(chosen->node, "namespace");
  config.server.url = text(cluster, "server");
  if (config.server.url.empty())
    return std::unexpected(missing("the cluster of context " + context + " has no server"));
  auto proxy = proxy_of(cluster, config.server.url);
  if (!proxy) return std::unexpected(std::move(proxy.error()));
  config.server.proxy_url = *std::move(proxy);
  config.server.disable_compression = text(cluster, "disable-compression") == "true";
  config.server.tls_server_name = text(cluster, "tls-server-name");
  config.server.insecure_skip_verify = text(cluster, "insecure-skip-tls-verify") == "true";
  auto ca = pem(cluster, "certificate-authority", found->folder, config.tls_files.ca);
  if (!ca) return std::unexpected(std::move(ca.error()));
  config.server.identity.ca_pem = *std::move(ca);

  const std::string user_name = text(chosen->node, "user");
  if (user_name.empty()) return config;
  const auto user = named(files, "users", "user", user_name);
  if (!user) return std::unexpected(user.error());
  if (auto known = read_user(*user, cluster, config); !known) {
    return std::unexpected(std::move(known.error()).with_context("user " + user_name));
  }
  return config;
}

Result<File> load(const std::string& path) {
  auto file = read_config_file(path);
  if (!file) return std::unexpected(std::move(file.error()).with_context("kubeconfig"));
  if (auto checked = check_yaml(*file); !checked)
    return fail(ErrorClass::Terminal, "kubeconfig " + path + ": " + checked.error().message);
  try {
    std::error_code problem;
    const std::filesystem::path whole = std::filesystem::absolute(path, problem);
    if (problem) return fail(ErrorClass::Terminal, "kubeconfig " + path + ": " + problem.message());
    return File{YAML::Load(*file), whole.parent_path()};
  } catch (const YAML::Exception& error) {
    return fail(ErrorClass::Terminal, "kubeconfig " + path + ": " + error.what());
  }
}

}  // namespace

Result<ClusterConfig> read_kubeconfig(const std::string& path, const std::string& context) {
  return read_kubeconfigs({path}, context);
}

Result<ClusterConfig> read_kubeconfigs(const std::vector<std::string>& paths, const std::string& context) {
  std::string listed;
  for (const std::string& path : paths) listed += (listed.empty() ? "" : ", ") + path;
  std::vector<File> files;
  for (const std::string& path : paths) {
    std::error_code unknown;
    if (paths.size() > 1 && !std::filesystem::exists(path, unknown) && !unknown) continue;
    auto file = load(path);
    if (!file) return std::unexpected(std::move(file).error());
    files.push_back(*std::move(file));
  }
  if (files.empty()) return fail(ErrorClass::Terminal, "kubeconfig: none of these files exists: " + listed);
  try {
    auto config = interpret(files, context);
    if (!config) return std::unexpected(std::move(config.error()).with_context("kubeconfig " + listed));
    return config;
  } catch (const YAML::Exception& error) {
    return fail(ErrorClass::Terminal, "kubeconfig " + listed + ": " + error.what());
  }
}

}  // namespace reprise::runtime
