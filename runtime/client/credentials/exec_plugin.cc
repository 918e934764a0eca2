#include "runtime/client/credentials/exec_plugin.h"

#include "runtime/base/json_tree.h"
#include "runtime/client/internal/child_process.h"
#include "runtime/internal/json.h"
#include "runtime/kube/time.h"

namespace reprise::runtime {
namespace {

using internal::member;
using internal::text_of;

std::unexpected<Error> unauthorized(std::string message) {
  auto failure = fail(ErrorClass::Unauthorized, std::move(message));
  failure.error().not_sent = true;
  return failure;
}

// The last line, shortened, without what a terminal would obey.
std::string exit_message(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const std::size_t line = text.rfind('\n');
  if (line != text.npos) text.remove_prefix(line + 1);
  std::string message(text.substr(0, 200));
  for (char& c : message) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return message;
}

std::string hint(const ExecPlugin& plugin) {
  return plugin.install_hint.empty() ? "" : ". " + plugin.install_hint;
}

}  // namespace

std::string_view name(ExecEnd end) {
  switch (end) {
    case ExecEnd::NoError:
      return "no_error";
    case ExecEnd::PluginExecutionError:
      return "plugin_execution_error";
    case ExecEnd::PluginNotFoundError:
      return "plugin_not_found_error";
    case ExecEnd::ClientInternalError:
      return "client_internal_error";
  }
  return "";
}

std::string exec_info(const ExecPlugin& plugin) {
  Json::Value info(Json::objectValue);
  info["kind"] = "ExecCredential";
  info["apiVersion"] = plugin.api_version;
  info["spec"]["interactive"] = false;
  if (const auto cluster = internal::parse_json(plugin.cluster_json)) info["spec"]["cluster"] = *cluster;
  return compact_json(info);
}

Result<ExecAnswer> parse_exec_answer(const ExecPlugin& plugin, std::string_view output) {
  const auto answer = internal::parse_json(output);
  if (!answer) return unauthorized("printed what is no JSON");
  if (text_of(*answer, "kind") != "ExecCredential") return unauthorized("printed what is no ExecCredential");
  if (const std::string version = text_of(*answer, "apiVersion"); version != plugin.api_version) {
    return unauthorized("printed an ExecCredential of apiVersion \"" + version + "\", but the kubeconfig names \"" +
                        plugin.api_version + "\"");
  }
  const Json::Value& status = member(*answer, "status");
  ExecAnswer credential{.bearer = text_of(status, "token"),
                        .certificate_pem = text_of(status, "clientCertificateData"),
                        .key_pem = text_of(status, "clientKeyData")};
  if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
    return unauthorized("printed only one of status.clientCertificateData and status.clientKeyData");
  }
  if (credential.bearer.empty() && credential.certificate_pem.empty()) {
    return unauthorized("printed neither status.token nor status.clientCertificateData");
  }
  if (credential.bearer.find_first_of("\r\n") != std::string::npos) return unauthorized("printed a token of two lines");
  if (const std::string expiry = text_of(status, "expirationTimestamp"); !expiry.empty()) {
    credential.expires = kube::parse_time(expiry);
    if (!credential.expires) return unauthorized("printed a status.expirationTimestamp that is no RFC 3339 time");
  }
  return credential;
}

ExecOutcome run_exec_plugin(const ExecPlugin& plugin, const ChildStop& stop) {
  ChildCommand command{.arguments = plugin.arguments, .environment = plugin.environment, .timeout = plugin.timeout};
  command.environment.emplace_back("KUBERNETES_EXEC_INFO", exec_info(plugin));
  const std::string who = "credential plugin " + plugin.arguments.front() + " ";
  const auto ended = run_child(command, stop);
  if (!ended) {
    const bool missing = ended.error().error_class == ErrorClass::NotFound;
    const ExecEnd end = missing ? ExecEnd::PluginNotFoundError : ExecEnd::ClientInternalError;
    if (ended.error().error_class == ErrorClass::Cancelled) {
      return {fail(ErrorClass::Cancelled, who + "was stopped"), end, 1};
    }
    return {unauthorized(who + ended.error().message + hint(plugin)), end, 1};
  }
  if (ended->exit_code != 0) {
    const std::string message = exit_message(ended->standard_error);
    return {unauthorized(who + "ended with exit code " + std::to_string(ended->exit_code) +
                         (message.empty() ? "" : ": " + message) + hint(plugin)),
            ExecEnd::PluginExecutionError, ended->exit_code};
  }
  auto answer = parse_exec_answer(plugin, ended->standard_output);
  if (answer) return {std::move(answer)};
  return {unauthorized(who + answer.error().message + hint(plugin)), ExecEnd::ClientInternalError, 1};
}

}  // namespace reprise::runtime
