#include "runtime/client/internal/kubeconfig_exec.h"

#include <json/value.h>
#include <openssl/evp.h>

#include "runtime/base/json_tree.h"

namespace reprise::runtime {
namespace {

constexpr std::string_view extension_name = "client.authentication.k8s.io/exec";

std::string text_of(const YAML::Node& node, const char* key) {
  const YAML::Node value = node[key];
  return value && value.IsScalar() ? value.as<std::string>() : std::string();
}

std::string encode_base64(const std::string& bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

// YAML tells a quoted scalar by its tag "!"; other scalars are read as JSON where that works.
Json::Value json_of(const YAML::Node& node) {
  if (node.IsMap()) {
    Json::Value object(Json::objectValue);
    for (const auto& entry : node) object[entry.first.as<std::string>()] = json_of(entry.second);
    return object;
  }
  if (node.IsSequence()) {
    Json::Value list(Json::arrayValue);
    for (const YAML::Node& entry : node) list.append(json_of(entry));
    return list;
  }
  if (!node.IsScalar()) return {};
  if (bool truth = false; node.Tag() != "!" && YAML::convert<bool>::decode(node, truth)) return truth;
  if (std::int64_t number = 0; node.Tag() != "!" && YAML::convert<std::int64_t>::decode(node, number)) {
    return Json::Int64(number);
  }
  return node.as<std::string>();
}

// Builds spec.cluster of the plugin's input: client.authentication.k8s.io's names for kubeconfig's fields.
std::string describe(const YAML::Node& cluster, const ServerConfig& server) {
  Json::Value described(Json::objectValue);
  described["server"] = server.url;
  for (const char* key : {"tls-server-name", "proxy-url"}) {
    if (const std::string value = text_of(cluster, key); !value.empty()) described[key] = value;
  }
  if (server.insecure_skip_verify) described["insecure-skip-tls-verify"] = true;
  if (server.disable_compression) described["disable-compression"] = true;
  if (!server.identity.ca_pem.empty()) {
    described["certificate-authority-data"] = encode_base64(server.identity.ca_pem);
  }
  for (const YAML::Node& entry : cluster["extensions"]) {
    if (text_of(entry, "name") == extension_name) described["config"] = json_of(entry["extension"]);
  }
  return compact_json(described);
}

}  // namespace

Result<ExecPlugin> read_exec(const YAML::Node& exec, const YAML::Node& cluster, const ServerConfig& server,
                             const std::filesystem::path& folder) {
  ExecPlugin plugin{.api_version = text_of(exec, "apiVersion"), .install_hint = text_of(exec, "installHint")};
  if (plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    return fail(ErrorClass::Terminal,
                "apiVersion is \"" + plugin.api_version + "\"; client.authentication.k8s.io/v1 and v1beta1 are known");
  }
  std::string command = text_of(exec, "command");
  if (command.empty()) return fail(ErrorClass::Terminal, "command is not set");
  if (command.find('/') != std::string::npos) command = (folder / command).string();
  plugin.arguments.push_back(std::move(command));
  for (const YAML::Node& argument : exec["args"]) plugin.arguments.push_back(argument.as<std::string>());
  for (const YAML::Node& entry : exec["env"])
    plugin.environment.emplace_back(text_of(entry, "name"), text_of(entry, "value"));
  if (text_of(exec, "interactiveMode") == "Always") {
    return fail(ErrorClass::Terminal,
                "interactiveMode is Always, but there is no terminal; must be Never or IfAvailable");
  }
  if (text_of(exec, "provideClusterInfo") == "true") plugin.cluster_json = describe(cluster, server);
  return plugin;
}

}  // namespace reprise::runtime
