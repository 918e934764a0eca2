// A client that speaks TLS, for tests of servers.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdint>
#include <string>
#include <utility>

namespace reprise::runtime::testing {

// One connection to the server, which is verified; throws where TLS fails.
class TlsClient {
 public:
  TlsClient(std::uint16_t port, const std::string& ca_pem) : stream_(context_, trust(tls_, ca_pem)) {
    stream_.next_layer().connect({boost::asio::ip::make_address("127.0.0.1"), port});
    stream_.handshake(boost::asio::ssl::stream_base::client);
  }

  boost::beast::http::response<boost::beast::http::string_body> ask(
      const std::string& token, boost::beast::http::verb verb = boost::beast::http::verb::get,
      const std::string& target = "/metrics") {
    boost::beast::http::request<boost::beast::http::empty_body> request{verb, target, 11};
    return send(request, token);
  }

  boost::beast::http::response<boost::beast::http::string_body> post(const std::string& token,
                                                                     const std::string& target, std::string body) {
    boost::beast::http::request<boost::beast::http::string_body> request{boost::beast::http::verb::post, target, 11};
    request.body() = std::move(body);
    request.prepare_payload();
    return send(request, token);
  }

 private:
  template <class Request>
  boost::beast::http::response<boost::beast::http::string_body> send(Request& request, const std::string& token) {
    request.set(boost::beast::http::field::host, "localhost");
    if (!token.empty()) request.set(boost::beast::http::field::authorization, "Bearer " + token);
    boost::beast::http::write(stream_, request);
    boost::beast::http::response_parser<boost::beast::http::string_body> parser;
    parser.skip(request.method() == boost::beast::http::verb::head);
    boost::beast::http::read(stream_, buffer_, parser);
    return parser.release();
  }

  static boost::asio::ssl::context& trust(boost::asio::ssl::context& tls, const std::string& ca_pem) {
    tls.set_verify_mode(boost::asio::ssl::verify_peer);
    tls.add_certificate_authority(boost::asio::buffer(ca_pem));
    return tls;
  }
  boost::asio::io_context context_;
  boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_client};
  boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream_;
  boost::beast::flat_buffer buffer_;
};

}  // namespace reprise::runtime::testing
