#include "node-agent/options.h"

#include <algorithm>
#include <cctype>

#include "agent/net/address.h"

namespace reprise::node_agent {
namespace {

constexpr std::string_view kUsage =
    "Usage: reprise-node-agent [FLAG]...\n"
    "\n"
    "Watches the cloud's metadata service on this machine, and taints the own Node when the machine is to go. Made for "
    "a DaemonSet: the chart's nodeAgent.\n"
    "\n"
    "Flags:\n"
    "  --node-name arg        the own Node (default: $NODE_NAME)\n"
    "  --provider arg         aws, gcp or azure (default: as the Node's spec.providerID says)\n"
    "  --metadata-url arg     the metadata service, by address (default: http://169.254.169.254:80)\n"
    "  --server arg           the API server, by address (default: "
    "https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT)\n"
    "  --server-name arg      the name in its certificate (default: kubernetes.default.svc)\n"
    "  --token-file arg       read for each call (default: /var/run/secrets/kubernetes.io/serviceaccount/token)\n"
    "  --authority-file arg   whom to trust, PEM (default: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt)\n"
    "  --version              print the version\n"
    "  -h [ --help ]          print this text\n";

struct Texts {
  Options options;
  std::string provider;
  std::string* named(std::string_view flag) {
    if (flag == "--node-name") return &options.node_name;
    if (flag == "--provider") return &provider;
    if (flag == "--metadata-url") return &options.metadata_url;
    if (flag == "--server") return &options.server;
    if (flag == "--server-name") return &options.server_name;
    if (flag == "--token-file") return &options.token_file;
    return flag == "--authority-file" ? &options.authority_file : nullptr;
  }
};

// A name becomes a part of a path.
bool is_name(std::string_view text) {
  constexpr std::size_t kLongest = 253;
  return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, [](unsigned char each) {
    return std::islower(each) != 0 || std::isdigit(each) != 0 || each == '-' || each == '.';
  });
}

std::string server_of(const Environment& environment) {
  const auto host = environment("KUBERNETES_SERVICE_HOST"), port = environment("KUBERNETES_SERVICE_PORT");
  if (!host || !port) return {};
  return "https://" + (host->find(':') == std::string::npos ? *host : "[" + *host + "]") + ":" + *port;
}

std::expected<Options, std::string> checked(Texts texts) {
  Options& options = texts.options;
  if (!is_name(options.node_name))
    return std::unexpected("--node-name: found \"" + options.node_name +
                           "\", must be the name of a Node (or NODE_NAME)");
  if (!texts.provider.empty()) {
    options.provider = provider_of_name(texts.provider);
    if (!options.provider)
      return std::unexpected("--provider: found \"" + texts.provider + "\", must be aws, gcp or azure");
  }
  if (!agent::parse_url(options.metadata_url, agent::kHttp))
    return std::unexpected("--metadata-url: found \"" + options.metadata_url +
                           "\", must be http://ADDRESS:PORT with an address of IPv4 or, in brackets, IPv6");
  if (!agent::parse_url(options.server, agent::kHttps))
    return std::unexpected("--server: found \"" + options.server +
                           "\", must be https://ADDRESS:PORT with an address of IPv4 or, in brackets, IPv6");
  return options;
}

}  // namespace

std::string_view usage() {
  return kUsage;
}

std::expected<Options, std::string> parse_options(const std::vector<std::string>& arguments,
                                                  const Environment& environment) {
  Texts texts;
  texts.options.node_name = environment("NODE_NAME").value_or("");
  texts.options.server = server_of(environment);
  for (auto at = arguments.begin(); at != arguments.end(); ++at) {
    const auto equals = std::min(at->find('='), at->size());
    std::string* const into = texts.named(std::string_view(*at).substr(0, equals));
    if (into == nullptr) return std::unexpected("unknown flag \"" + *at + "\"");
    if (equals < at->size()) {
      *into = at->substr(equals + 1);
    } else {
      if (at + 1 == arguments.end()) return std::unexpected(*at + " needs a value");
      *into = *++at;
    }
  }
  return checked(std::move(texts));
}

}  // namespace reprise::node_agent
