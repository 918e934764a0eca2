#include "runtime/traces/otlp_endpoint.h"

#include <algorithm>

namespace reprise::runtime {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// "%20" is a space: values are percent-encoded, as in W3C Baggage.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) && hex_digit(text[i + 2]);
    if (!escape) {
      decoded += text[i];
      continue;
    }
    decoded += static_cast<char>(*hex_digit(text[i + 1]) * 16 + *hex_digit(text[i + 2]));
    i += 2;
  }
  return decoded;
}

bool is_token(std::string_view text) {
  constexpr std::string_view more = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           more.find(c) != std::string_view::npos;
  });
}

bool is_header_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

using Headers = std::vector<std::pair<std::string, std::string>>;

// Parses "name=value,name=value". The error does not repeat the wrong text: it may be a secret.
Result<Headers> headers_of(const char* variable, std::string_view text) {
  Headers headers;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view one = trimmed(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    if (one.empty()) continue;
    const auto equals = one.find('=');
    std::string name(trimmed(one.substr(0, equals)));
    std::string value =
        equals == std::string_view::npos ? std::string{} : percent_decoded(trimmed(one.substr(equals + 1)));
    if (equals == std::string_view::npos || !is_token(name) || !is_header_value(value))
      return fail(ErrorClass::Terminal, std::string(variable) + ": entry " + std::to_string(headers.size() + 1) +
                                            " is no header; write name=value,name=value with percent-encoded values");
    headers.emplace_back(std::move(name), std::move(value));
  }
  return headers;
}

struct Url {
  std::string server, path;
};

Url split(std::string_view url) {
  const auto host = url.find("://") + 3;
  const auto slash = url.find('/', host);
  if (slash == std::string_view::npos) return {std::string(url), {}};
  return {std::string(url.substr(0, slash)), std::string(url.substr(slash))};
}

struct Given {
  std::string name, url;
  bool for_all_signals = true;  // /v1/traces is added
};

std::optional<Given> given_url(std::string_view flag, const Environment& environment) {
  if (!flag.empty()) return Given{.name = "--otlp-endpoint", .url = std::string(flag)};
  constexpr const char *for_traces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", *for_all = "OTEL_EXPORTER_OTLP_ENDPOINT";
  if (auto url = environment(for_traces); !url.empty()) return Given{for_traces, std::move(url), false};
  if (auto url = environment(for_all); !url.empty()) return Given{.name = for_all, .url = std::move(url)};
  return std::nullopt;
}

// A variable for traces, else the one for all signals.
struct Variable {
  const char* name;
  std::string value;
};

Variable variable(const Environment& environment, const char* for_traces, const char* for_all) {
  if (auto value = environment(for_traces); !value.empty()) return {for_traces, std::move(value)};
  return {for_all, environment(for_all)};
}

}  // namespace

Result<void> check_otlp_url(std::string_view name, std::string_view url) {
  const auto wrong = [&](const std::string& what) {
    return fail(ErrorClass::Terminal, std::string(name) + ": " + what +
                                          "; write http://HOST:PORT or https://HOST:PORT, with a path or without");
  };
  const bool http = url.starts_with("http://"), https = url.starts_with("https://");
  if (!http && !https) return wrong("no URL of http or https");
  const std::string_view rest = url.substr(http ? 7 : 8);
  if (rest.empty() || rest.starts_with('/') || rest.starts_with(':')) return wrong("a URL without a host");
  const std::string_view authority = rest.substr(0, rest.find('/'));
  if (authority.find('@') != std::string_view::npos)
    return wrong("a URL with a user's name; credentials belong into OTEL_EXPORTER_OTLP_HEADERS");
  const bool plain = std::ranges::all_of(rest, [](char c) { return c > ' ' && c < 0x7f && c != '?' && c != '#'; });
  return plain ? Result<void>{} : wrong("a URL with a query, a fragment or a blank");
}

Result<std::optional<OtlpEndpoint>> find_otlp_endpoint(std::string_view flag, const Environment& environment) {
  const auto given = given_url(flag, environment);
  if (!given || environment("OTEL_SDK_DISABLED") == "true") return std::nullopt;
  if (auto right = check_otlp_url(given->name, given->url); !right) return std::unexpected(std::move(right.error()));
  const auto protocol = variable(environment, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol.value == "grpc")
    return fail(ErrorClass::Terminal, std::string(protocol.name) +
                                          ": grpc is not spoken here; set http/json and the receiver's port for HTTP, "
                                          "4318 as a rule");
  const auto headers = variable(environment, "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS");
  auto read = headers_of(headers.name, headers.value);
  if (!read) return std::unexpected(std::move(read.error()));
  Url url = split(given->url);
  if (given->for_all_signals) {
    while (url.path.ends_with('/')) url.path.pop_back();
    url.path += "/v1/traces";
  }
  if (url.path.empty()) url.path = "/";
  return OtlpEndpoint{
      .server = std::move(url.server),
      .path = std::move(url.path),
      .headers = std::move(*read),
      .ca_file =
          variable(environment, "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "OTEL_EXPORTER_OTLP_CERTIFICATE").value};
}

}  // namespace reprise::runtime
