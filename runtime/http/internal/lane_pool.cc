#include "runtime/http/internal/lane_pool.h"

#include <utility>

namespace reprise::runtime {

LanePool::LanePool(boost::asio::io_context& context, const ServerConfig& server) : context_(context), server_(server) {}

CurlLane& LanePool::current() {
  std::erase_if(draining_, [](const auto& lane) { return lane->empty(); });
  const Instant now = std::chrono::steady_clock::now();
  if (lane_ && !lane_->doubted() && (!due_ || now < *due_)) return *lane_;
  if (lane_ && !lane_->empty()) draining_.push_back(std::move(lane_));
  lane_ = std::make_unique<CurlLane>(context_, server_.ping_interval);
  due_ = server_.connection_age ? std::optional(now + server_.connection_age()) : std::nullopt;
  return *lane_;
}

void LanePool::add(std::shared_ptr<CurlTransfer> transfer) {
  current().add(std::move(transfer));
}

void LanePool::cancel(const std::shared_ptr<CurlTransfer>& transfer) {
  transfer->detach();
  if (lane_) lane_->cancel(transfer);
  for (const auto& lane : draining_) lane->cancel(transfer);
}

}  // namespace reprise::runtime
