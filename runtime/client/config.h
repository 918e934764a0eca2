// Where the API server is: a kubeconfig file, or the files that a pod finds mounted.
#pragma once

#include <string>

#include "runtime/base/error.h"
#include "runtime/http/curl_transport.h"

namespace reprise::runtime {

struct ClusterConfig {
  ServerConfig server;
  std::string token;       // bearer token
  std::string token_file;  // read again while running; wins over `token`
  std::string namespace_;  // of the context, or of the pod; empty when unknown
};

// Reads clusters, users and contexts: server, certificate-authority(-data), tls-server-name, insecure-skip-tls-verify,
// client-certificate(-data), client-key(-data), token, tokenFile. Relative paths count from the file's folder.
// `context` empty: current-context. Terminal with the field's name when something is missing or not supported.
[[nodiscard]] Result<ClusterConfig> read_kubeconfig(const std::string& path, const std::string& context);

// KUBERNETES_SERVICE_HOST and _PORT, and the service account's files below `folder`.
[[nodiscard]] Result<ClusterConfig> read_in_cluster(
    const std::string& folder = "/var/run/secrets/kubernetes.io/serviceaccount");

// `path` if not empty; else $KUBECONFIG (its first file); else in-cluster when the environment says so; else
// ~/.kube/config.
[[nodiscard]] Result<ClusterConfig> find_cluster(const std::string& path, const std::string& context);

}  // namespace reprise::runtime
