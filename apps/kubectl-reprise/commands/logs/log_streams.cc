#include "apps/kubectl-reprise/commands/logs/log_streams.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "runtime/client/status.h"

namespace reprise::plugin {

class LogStreams::Sink final : public runtime::StreamSink {
 public:
  explicit Sink(std::string source) : source_(std::move(source)) {}

  // On the executor's thread.
  void begin(runtime::Transport& transport, const std::string& path) {
    stream_ = transport.open({.path_and_query = path, .headers = {{"Accept", "*/*"}}}, *this);
  }
  void cancel() { stream_.reset(); }
  void on_status(int status, std::optional<runtime::Duration>) override {
    const std::lock_guard lock(mutex_);
    status_ = status;
  }
  void on_bytes(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    bytes_ += bytes;
  }
  void on_closed(std::optional<runtime::Error> error) override {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (error) trouble_ = error->message;
    if (!runtime::is_success(status_) && status_ != 0)
      trouble_ = runtime::decode_status(status_, std::exchange(bytes_, {})).message;
  }

  // On the caller's thread.
  [[nodiscard]] std::string pump(LogLines& lines) {
    const std::lock_guard lock(mutex_);
    // A body with another status is no log.
    if (!runtime::is_success(status_)) return {};
    std::string text = lines.take(source_, std::exchange(bytes_, {}));
    if (ended_) text += lines.end(source_);
    return text;
  }
  [[nodiscard]] bool ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  [[nodiscard]] std::string trouble() {
    const std::lock_guard lock(mutex_);
    std::string text = std::exchange(trouble_, {});
    return text.empty() ? text : "log of " + source_ + ": " + text + "\n";
  }

 private:
  const std::string source_;
  mutable std::mutex mutex_;
  int status_ = 0;
  bool ended_ = false;
  std::string bytes_, trouble_;
  std::unique_ptr<runtime::Stream> stream_;  // the executor's
};

LogStreams::LogStreams(Cluster& cluster, bool prefixes) : cluster_(cluster), lines_(prefixes) {}

LogStreams::~LogStreams() {
  for (auto& [key, sink] : sinks_) cluster_.executor().post([ended = sink] { ended->cancel(); });
}

void LogStreams::open(const std::string& key, const std::string& source, const std::string& path) {
  auto sink = std::make_shared<Sink>(source);
  sinks_[key] = sink;
  cluster_.executor().post([sink, path, &transport = cluster_.transport()] { sink->begin(transport, path); });
}

std::string LogStreams::pump() {
  std::string text;
  for (auto& [key, sink] : sinks_) text += sink->pump(lines_);
  return text;
}

std::size_t LogStreams::running() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(sinks_, [](const auto& each) { return !each.second->ended(); }));
}

std::string LogStreams::troubles() {
  std::string text;
  for (auto& [key, sink] : sinks_) text += sink->trouble();
  return text;
}

}  // namespace reprise::plugin
