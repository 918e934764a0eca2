// Compressed answers on the wire.
#include <boost/crc.hpp>

#include "runtime/http/http2_for_tests.h"

namespace reprise::runtime {
namespace {

using testing::H2Act;
using testing::H2Answer;
using testing::H2Request;
using testing::Http2Test;
using testing::Watcher;

std::string little_endian(std::uint32_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFFU);
  return out;
}

// Valid gzip that stores the text as it is; at most 64 KiB.
std::string gzip(const std::string& text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  boost::crc_32_type sum;
  sum.process_bytes(text.data(), text.size());
  return std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01", 11) + little_endian(size, 2) +
         little_endian(~size, 2) + text + little_endian(sum.checksum(), 4) + little_endian(size, 4);
}

struct CompressionTest : Http2Test {
  void serve_gzip(const std::string& body) {
    serve([this, body](const H2Request& request) {
      const auto accepted = request.headers.find("accept-encoding");
      const bool asked = accepted != request.headers.end() && accepted->second.find("gzip") != std::string::npos;
      asked_for_gzip = asked;
      const auto act = request.path == "/watch" ? H2Act::Hold : H2Act::Reply;
      if (!asked) return H2Answer{.act = act, .body = "plain"};
      return H2Answer{.act = act, .body = body, .headers = {{"content-encoding", "gzip"}}};
    });
  }
  std::atomic<bool> asked_for_gzip{false};
};

TEST_F(CompressionTest, an_answer_may_come_gzipped_and_is_read_as_what_it_was) {
  const std::string list = R"({"kind":"PodList","items":[)" + std::string(30'000, ' ') + "]}";
  serve_gzip(gzip(list));
  const auto answer = connect().send({.path_and_query = "/list"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(asked_for_gzip);
  EXPECT_EQ(answer->body, list);
}

TEST_F(CompressionTest, nothing_is_compressed_where_that_is_turned_off) {
  serve_gzip(gzip("compressed"));
  config.disable_compression = true;
  EXPECT_EQ(connect().send({.path_and_query = "/list"})->body, "plain");
  EXPECT_FALSE(asked_for_gzip);
}

TEST_F(CompressionTest, watches_never_are_so_that_no_event_waits_in_an_inflater) {
  serve_gzip(gzip("compressed"));
  connect();
  Watcher sink;
  std::unique_ptr<Stream> stream;
  on_thread([&] { stream = transport->open({.path_and_query = "/watch"}, sink); });
  EXPECT_EQ(sink.status.get_future().get(), 200);
  EXPECT_FALSE(asked_for_gzip);
  on_thread([&] { stream.reset(); });
}

// An answer that only stops early is noticed by its reader: client/internal/answer_check.h.
TEST_F(CompressionTest, a_gzipped_answer_that_was_changed_on_its_way_is_no_answer) {
  std::string body = gzip("the whole text");
  body[body.size() - 6] ^= 1;  // the sum
  serve_gzip(body);
  const auto answer = connect().send({.path_and_query = "/list"});
  ASSERT_FALSE(answer) << answer->body;
  EXPECT_EQ(answer.error().error_class, ErrorClass::Unavailable) << answer.error().message;
}

}  // namespace
}  // namespace reprise::runtime
