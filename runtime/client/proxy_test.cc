#include "runtime/client/proxy.h"

#include <gtest/gtest.h>

namespace reprise::runtime {
namespace {

TEST(Proxy, the_environment_is_understood_as_kubectl_understands_it) {
  const struct {
    const char* invariant;
    const char* no_proxy;
    const char* url;
    bool want;
  } cases[] = {
      {"nothing is exempt", "", "https://api.example.com", true},
      {"loopback never takes a proxy", "", "https://127.0.0.1:6443", false},
      {"nor does its IPv6 form", "", "https://[::1]:6443", false},
      {"nor localhost", "", "https://localhost:6443", false},
      {"http has another variable", "", "http://api.example.com", false},
      {"everything is exempt", "*", "https://api.example.com", false},
      {"the name itself", "api.example.com", "https://api.example.com:6443", false},
      {"a domain with its subdomains", "example.com", "https://api.example.com", false},
      {"subdomains alone", ".example.com", "https://api.example.com", false},
      {"subdomains alone, not the domain", ".example.com", "https://example.com", true},
      {"a name that only ends alike", "ample.com", "https://example.com", true},
      {"one of several", "a.com, api.example.com", "https://api.example.com", false},
      {"with its port", "api.example.com:6443", "https://api.example.com:6443", false},
      {"with another port", "api.example.com:443", "https://api.example.com:6443", true},
      {"an address", "10.0.0.1", "https://10.0.0.1:6443", false},
      {"another address", "10.0.0.2", "https://10.0.0.1:6443", true},
      {"a network", "10.0.0.0/8", "https://10.1.2.3:6443", false},
      {"another network", "10.0.0.0/16", "https://10.1.2.3:6443", true},
      {"an IPv6 network", "fd00::/8", "https://[fd00::1]:6443", false},
      {"an address with a port", "10.0.0.1:6443", "https://10.0.0.1:6443", false},
  };
  for (const auto& test : cases) {
    const ProxyEnvironment environment{.https_proxy = "http://p:3128", .no_proxy = test.no_proxy};
    EXPECT_EQ(choose_proxy(environment, test.url), test.want ? "http://p:3128" : "") << test.invariant;
  }
}

TEST(Proxy, http_https_and_socks5_are_known_and_http_is_meant_where_nothing_is_said) {
  EXPECT_EQ(check_proxy_url("p:3128").value(), "http://p:3128");
  EXPECT_EQ(check_proxy_url("socks5://p:1080").value(), "socks5://p:1080");
  EXPECT_EQ(check_proxy_url("https://p").value(), "https://p");
  EXPECT_EQ(check_proxy_url("").value(), "");
  EXPECT_EQ(check_proxy_url("ftp://p").error().error_class, ErrorClass::Terminal);
}

}  // namespace
}  // namespace reprise::runtime
