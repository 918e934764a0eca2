#include "runtime/http/internal/curl_error.h"

#include <gtest/gtest.h>

namespace reprise::runtime {
namespace {

TEST(CurlError, every_way_to_lose_a_connection_means_watch_again_and_only_configuration_is_terminal) {
  const struct {
    const char* invariant;
    CURLcode code;
    ErrorClass want;
  } cases[] = {
      {"GOAWAY", CURLE_HTTP2, ErrorClass::Unavailable},
      {"RST_STREAM", CURLE_HTTP2_STREAM, ErrorClass::Unavailable},
      {"half an answer", CURLE_PARTIAL_FILE, ErrorClass::Unavailable},
      {"no answer", CURLE_GOT_NOTHING, ErrorClass::Unavailable},
      {"reset while reading", CURLE_RECV_ERROR, ErrorClass::Unavailable},
      {"reset while writing", CURLE_SEND_ERROR, ErrorClass::Unavailable},
      {"too slow, or silent", CURLE_OPERATION_TIMEDOUT, ErrorClass::Unavailable},
      {"nobody listens", CURLE_COULDNT_CONNECT, ErrorClass::Unavailable},
      {"no such name", CURLE_COULDNT_RESOLVE_HOST, ErrorClass::Unavailable},
      {"the proxy refuses", CURLE_PROXY, ErrorClass::Unavailable},
      {"the handshake fails", CURLE_SSL_CONNECT_ERROR, ErrorClass::Unavailable},
      {"an authority being rotated", CURLE_PEER_FAILED_VERIFICATION, ErrorClass::Unavailable},
      {"a client certificate that is none", CURLE_SSL_CERTPROBLEM, ErrorClass::Terminal},
      {"a URL that is none", CURLE_URL_MALFORMAT, ErrorClass::Terminal},
      {"a scheme that is unknown", CURLE_UNSUPPORTED_PROTOCOL, ErrorClass::Terminal},
  };
  for (const auto& test : cases)
    EXPECT_EQ(name(curl_error(test.code, "", true).error_class), name(test.want)) << test.invariant;
}

TEST(CurlError, what_never_left_is_marked_and_what_may_have_arrived_is_not) {
  EXPECT_TRUE(curl_error(CURLE_COULDNT_CONNECT, "", false).not_sent);
  EXPECT_FALSE(curl_error(CURLE_RECV_ERROR, "", true).not_sent);
}

TEST(CurlError, the_detail_is_told_where_there_is_one) {
  EXPECT_EQ(curl_error(CURLE_RECV_ERROR, "reset by peer", true).message, "reset by peer");
  EXPECT_FALSE(curl_error(CURLE_RECV_ERROR, "", true).message.empty());
}

}  // namespace
}  // namespace reprise::runtime
