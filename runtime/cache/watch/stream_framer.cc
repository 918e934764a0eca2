#include "runtime/cache/watch/stream_framer.h"

#include <algorithm>
#include <cstdint>

namespace reprise::runtime {
namespace {

constexpr std::size_t header = 4;
constexpr std::size_t kept_capacity = 64U << 10U;  // a buffer that grew beyond this is given back

std::size_t length_of(std::string_view bytes) {
  std::size_t length = 0;
  for (const char byte : bytes.substr(0, header)) length = length << 8U | static_cast<unsigned char>(byte);
  return length;
}

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

void StreamFramer::reset(Encoding encoding) {
  encoding_ = encoding;
  given_ = true;
  release();
  chunk_ = {};
}

StreamFramer::Step StreamFramer::next(std::string_view& event) {
  for (;;) {
    release();
    const Step step = encoding_ == Encoding::Json ? next_line(event) : next_length(event);
    if (step != Step::Event || !event.empty()) return step;
  }
}

StreamFramer::Step StreamFramer::next_line(std::string_view& event) {
  const std::size_t end = chunk_.find('\n');
  const std::size_t length = std::min(end, chunk_.size());
  if (partial_.size() + length > limit_) return Step::TooLong;
  if (end == std::string_view::npos) {
    keep(length);
    return Step::NeedMore;
  }
  if (partial_.empty()) {
    event = without_return(chunk_.substr(0, end));
  } else {
    keep(length);
    event = without_return(partial_);
    given_ = true;
  }
  chunk_.remove_prefix(partial_.empty() ? end + 1 : 1);
  return Step::Event;
}

StreamFramer::Step StreamFramer::next_length(std::string_view& event) {
  if (partial_.empty() && chunk_.size() >= header) {
    const std::size_t length = length_of(chunk_);
    if (length > limit_) return Step::TooLong;
    if (chunk_.size() - header >= length) {
      event = chunk_.substr(header, length);
      chunk_.remove_prefix(header + length);
      return Step::Event;
    }
  }
  if (partial_.size() < header) keep(std::min(header - partial_.size(), chunk_.size()));
  if (partial_.size() < header) return Step::NeedMore;
  const std::size_t length = length_of(partial_);
  if (length > limit_) return Step::TooLong;
  keep(std::min(header + length - partial_.size(), chunk_.size()));
  if (partial_.size() < header + length) return Step::NeedMore;
  event = std::string_view(partial_).substr(header);
  given_ = true;
  return Step::Event;
}

void StreamFramer::release() {
  if (!given_) return;
  given_ = false;
  partial_.clear();
  if (partial_.capacity() > kept_capacity) std::string().swap(partial_);
}

void StreamFramer::keep(std::size_t bytes) {
  partial_.append(chunk_.substr(0, bytes));
  chunk_.remove_prefix(bytes);
}

}  // namespace reprise::runtime
