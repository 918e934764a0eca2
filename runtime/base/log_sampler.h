// Keeps a loop that repeats one message from filling the disk: of lines with the same message, 100 pass in a second and
// of the others one in 100 (zap's sampling). Lines left out are counted; their number is logged when the second is over
// and the line comes again.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/base/clock.h"
#include "runtime/base/log.h"

namespace reprise::runtime {

struct LogSampling {
  Duration window{1'000};
  std::uint64_t first = 100, then_every = 100;
  std::size_t most_messages = 512;  // remembered at once
};

// Callable from any thread.
class SamplingLogger final : public Logger {
 public:
  // `clock` outlives it.
  SamplingLogger(std::unique_ptr<Logger> inner, const Clock& clock, LogSampling sampling = {})
      : inner_(std::move(inner)), clock_(clock), sampling_(sampling) {}

  void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) override;
  [[nodiscard]] bool enabled(LogLevel level) const override { return inner_->enabled(level); }
  bool set_level(LogLevel level) override { return inner_->set_level(level); }
  // Lines left out since the start.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  struct Window {
    Instant begun;
    std::uint64_t lines = 0, left_out = 0;
  };
  // True: the line passes. `missed`: lines of the window before that did not.
  [[nodiscard]] bool passes(std::string_view message, std::uint64_t& missed);

  std::unique_ptr<Logger> inner_;
  const Clock& clock_;
  LogSampling sampling_;
  std::atomic<std::uint64_t> left_out_{0};
  std::mutex mutex_;
  std::map<std::string, Window, std::less<>> windows_;  // by message
};

}  // namespace reprise::runtime
