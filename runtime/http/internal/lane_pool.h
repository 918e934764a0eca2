// The lane that new transfers take, and older lanes that live until their last transfer ends. A new lane changes the
// connection without disturbing transfers under way: a multi of its own has connections, TLS sessions and a store of
// authorities of its own.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/http/internal/curl_lane.h"

namespace reprise::runtime {

// One thread: the loop's.
class LanePool {
 public:
  // `server` outlives the pool.
  LanePool(boost::asio::io_context& context, const ServerConfig& server);

  // Not inside a callback of libcurl.
  void add(std::shared_ptr<CurlTransfer> transfer);
  // Ends a transfer without telling anyone.
  void cancel(const std::shared_ptr<CurlTransfer>& transfer);
  // The next transfer takes a new connection.
  void renew() { due_ = Instant::min(); }

 private:
  CurlLane& current();

  boost::asio::io_context& context_;
  const ServerConfig& server_;
  std::unique_ptr<CurlLane> lane_;
  std::optional<Instant> due_;
  std::vector<std::unique_ptr<CurlLane>> draining_;
};

}  // namespace reprise::runtime
