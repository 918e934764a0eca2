// Finds the API server and our identity: a kubeconfig file, or the files that a pod finds mounted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/client/credentials/credentials.h"
#include "runtime/client/credentials/exec_plugin.h"
#include "runtime/client/credentials/tls_rotation.h"
#include "runtime/http/curl_transport.h"

namespace reprise::runtime {

// Asks the server to treat our requests as someone else's, where our own rights allow that.
struct Impersonation {
  std::string user, uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};
// Impersonate-User and so on; none without a user.
[[nodiscard]] Headers impersonation_headers(const Impersonation& who);

struct ClusterConfig {
  ServerConfig server;
  std::string token;       // bearer token
  std::string token_file;  // read again while running; wins over `token`
  std::optional<ExecPlugin> exec;
  TlsFiles tls_files;  // the files that server.identity was read from, if any
  Impersonation impersonate;
  std::string namespace_;  // the context's or the pod's; empty when unknown
};

// Reads of clusters: server, certificate-authority(-data), tls-server-name, insecure-skip-tls-verify, proxy-url,
// disable-compression; of users: client-certificate(-data), client-key(-data), token, tokenFile, exec, as, as-uid,
// as-groups, as-user-extra; contexts. Relative paths count from the file's folder. Without proxy-url the environment's
// proxy is taken. `context` empty: current-context. Terminal with the field's name when something is missing or not
// supported.
[[nodiscard]] Result<ClusterConfig> read_kubeconfig(const std::string& path, const std::string& context);

// Several files as one, as kubectl reads them: of entries with one name the first counts, current-context is that of
// the first file that sets it, a file that does not exist is passed over.
[[nodiscard]] Result<ClusterConfig> read_kubeconfigs(const std::vector<std::string>& paths, const std::string& context);

// KUBERNETES_SERVICE_HOST and _PORT, and the service account's files below `folder`.
[[nodiscard]] Result<ClusterConfig> read_in_cluster(
    const std::string& folder = "/var/run/secrets/kubernetes.io/serviceaccount");

// `path` if not empty; else $KUBECONFIG (files with ':' between them); else in-cluster when the environment says so;
// else ~/.kube/config.
[[nodiscard]] Result<ClusterConfig> find_cluster(const std::string& path, const std::string& context);

}  // namespace reprise::runtime
