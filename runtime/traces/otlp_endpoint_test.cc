// The receiver of traces, from the flag and OpenTelemetry's variables.
#include "runtime/traces/otlp_endpoint.h"

#include <gtest/gtest.h>

#include <map>

namespace reprise::runtime {
namespace {

using Variables = std::map<std::string, std::string>;

Result<std::optional<OtlpEndpoint>> find(const std::string& flag, const Variables& variables) {
  return find_otlp_endpoint(flag, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string{} : found->second;
  });
}

struct Case {
  const char* what;
  std::string flag;
  Variables variables;
  std::string server, path;  // empty: off
};

// NOLINTNEXTLINE(readability-function-size): a table
const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"nothing is given: off", "", {}, "", ""},
      {"the flag", "http://c:4318", {}, "http://c:4318", "/v1/traces"},
      {"a path before it stays", "https://c/otlp/", {}, "https://c", "/otlp/v1/traces"},
      {"the variable for all signals",
       "",
       {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/"}},
       "http://c:4318",
       "/v1/traces"},
      {"the one for traces goes before it and is taken as it is",
       "",
       {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"}, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t:1/x"}},
       "http://t:1",
       "/x"},
      {"without a path it has the shortest", "", {{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t"}}, "http://t", "/"},
      {"the flag goes before both",
       "http://f",
       {{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t"}},
       "http://f",
       "/v1/traces"},
      {"turned off for the whole process", "http://c", {{"OTEL_SDK_DISABLED", "true"}}, "", ""},
      {"headers alone turn nothing on", "", {{"OTEL_EXPORTER_OTLP_HEADERS", "a=b"}}, "", ""},
  };
  return all;
}

TEST(OtlpEndpoint, is_found_as_opentelemetry_says) {
  for (const Case& each : cases()) {
    const auto found = find(each.flag, each.variables);
    ASSERT_TRUE(found) << each.what << ": " << found.error().message;
    EXPECT_EQ(found->has_value(), !each.server.empty()) << each.what;
    if (!*found) continue;
    EXPECT_EQ((*found)->server, each.server) << each.what;
    EXPECT_EQ((*found)->path, each.path) << each.what;
  }
}

TEST(OtlpEndpoint, has_the_headers_percent_decoded_those_for_traces_before_the_others) {
  const auto both = find("http://c", {{"OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20abc%3D, x-team = vision"},
                                      {"OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca.pem"}});
  ASSERT_TRUE(both && *both);
  const std::vector<std::pair<std::string, std::string>> expected{{"Authorization", "Bearer abc="},
                                                                  {"x-team", "vision"}};
  EXPECT_EQ((*both)->headers, expected);
  EXPECT_EQ((*both)->ca_file, "/ca.pem");
  const auto own =
      find("http://c", {{"OTEL_EXPORTER_OTLP_HEADERS", "a=b"}, {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "c=d"}});
  ASSERT_TRUE(own && *own);
  EXPECT_EQ((*own)->headers.front().first, "c");
}

TEST(OtlpEndpoint, names_what_is_wrong_and_keeps_secrets_to_itself) {
  const std::vector<std::pair<Variables, std::string>> wrong{
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"}}, "OTEL_EXPORTER_OTLP_ENDPOINT: no URL"},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://"}}, "without a host"},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:s3cret@c"}}, "OTEL_EXPORTER_OTLP_HEADERS"},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c/?token=s3cret"}}, "a query"},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}, {"OTEL_EXPORTER_OTLP_HEADERS", "a=b,s3cret"}}, "entry 2"},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}, {"OTEL_EXPORTER_OTLP_HEADERS", "a=s3cret%0d%0ax"}}, "entry 1"},
      {{{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}, {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}}, "http/json"},
  };
  for (const auto& [variables, message] : wrong) {
    const auto found = find("", variables);
    ASSERT_FALSE(found) << message;
    EXPECT_NE(found.error().message.find(message), std::string::npos) << found.error().message;
    EXPECT_EQ(found.error().message.find("s3cret"), std::string::npos) << found.error().message;
  }
}

}  // namespace
}  // namespace reprise::runtime
