#include "agent/net/address.h"

#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

TEST(Address, is_an_address_and_a_port) {
  const auto four = parse_url("https://10.96.0.12:9446", kHttps);
  ASSERT_TRUE(four);
  EXPECT_EQ(four->get()->sa_family, AF_INET);
  EXPECT_EQ(four->text, "10.96.0.12:9446");
  const auto six = parse_url("https://[fd00::12]:9446/", kHttps);
  ASSERT_TRUE(six);
  EXPECT_EQ(six->get()->sa_family, AF_INET6);
  EXPECT_EQ(six->text, "[fd00::12]:9446");
  EXPECT_TRUE(parse_url("http://169.254.169.254:80", kHttp));
}

TEST(Address, is_nothing_else) {
  for (const char* url :
       {"", "10.96.0.12:9446", "http://10.96.0.12:9446", "https://10.96.0.12", "https://operator:9446",
        "https://fd00::12:9446", "https://10.96.0.12:0", "https://10.96.0.12:70000", "https://10.96.0.12:9446/v1",
        "https://user@10.96.0.12:9446", "https://[10.0.0.1]:9446"})
    EXPECT_FALSE(parse_url(url, kHttps)) << url;
}

}  // namespace
}  // namespace reprise::agent
