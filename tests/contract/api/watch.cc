#include <thread>
#include <utility>

#include "tests/contract/api/world.h"

namespace reprise::contract {
namespace {

constexpr std::chrono::seconds timeout{90};

Frame read(const std::string& line) {
  const Value value = json(line);
  return {std::string(simulator::text(value, {"type"})), simulator::object(value, {"object"})};
}

}  // namespace

Watch::Watch(std::string path_and_query, std::string_view accept) {
  stream_ = backend().transport().open({.path_and_query = std::move(path_and_query),
                                        .headers = {{"Accept", std::string(accept)}},
                                        .idle_timeout = std::chrono::seconds(120)},
                                       *this);
}

Watch::~Watch() {
  stream_.reset();
}

bool Watch::await(const std::function<bool()>& seen, bool idle) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  // A backend without waiting delivers all its events at once: then a second look is enough.
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (seen()) return true;
    }
    if (std::chrono::steady_clock::now() > end) return false;
    if (idle) {
      backend().let_watches_idle();
    } else {
      backend().let_watches_hear();
    }
  }
}

Frame Watch::next_of_all() {
  if (!await([this] { return !lines_.empty() || closed_; }, true)) {
    ADD_FAILURE() << "no frame came";
    return {};
  }
  const std::lock_guard lock(mutex_);
  if (lines_.empty()) {
    ADD_FAILURE() << "the watch was closed without a frame";
    return {};
  }
  Frame frame = read(lines_.front());
  lines_.pop_front();
  return frame;
}

Frame Watch::next() {
  while (true) {
    if (!await([this] { return !lines_.empty() || closed_; }, false)) {
      ADD_FAILURE() << "no frame came";
      return {};
    }
    const std::lock_guard lock(mutex_);
    if (lines_.empty()) {
      ADD_FAILURE() << "the watch was closed without a frame: " << rest_;
      return {};
    }
    Frame frame = read(lines_.front());
    lines_.pop_front();
    if (frame.type != "BOOKMARK") return frame;
  }
}

int Watch::status() {
  if (!await([this] { return status_.has_value() || closed_; }, false)) ADD_FAILURE() << "no answer came";
  const std::lock_guard lock(mutex_);
  return status_.value_or(0);
}

std::string Watch::rejection() {
  if (!await([this] { return closed_; }, false)) ADD_FAILURE() << "the answer did not end";
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const std::string& line : lines_) text += line;
  return text + rest_;
}

bool Watch::closes() {
  return await([this] { return closed_; }, false);
}

void Watch::on_status(int status, std::optional<runtime::Duration>) {
  const std::lock_guard lock(mutex_);
  status_ = status;
}

void Watch::on_bytes(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  rest_ += bytes;
  for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos; rest_.erase(0, end + 1)) {
    if (end > 0) lines_.push_back(rest_.substr(0, end));
  }
}

void Watch::on_closed(std::optional<runtime::Error>) {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

}  // namespace reprise::contract
