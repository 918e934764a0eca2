// Cuts the bytes of a watch into events: JSON events are lines, protobuf events follow their length in four bytes, the
// highest first. An event that lies within one chunk is not copied.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/cache/encoding.h"

namespace reprise::runtime {

// One thread. Memory: one event that is not complete yet, at most `limit` bytes.
class StreamFramer {
 public:
  enum class Step {
    Event,     // `event` is the next one
    NeedMore,  // everything added has been used
    TooLong,   // an event is longer than the limit: the stream is of no more use
  };

  explicit StreamFramer(std::size_t limit) : limit_(limit) {}

  // A new stream.
  void reset(Encoding encoding);
  // `chunk` lives until next() has said NeedMore.
  void add(std::string_view chunk) { chunk_ = chunk; }
  // The event lives until the next call; empty ones are passed over.
  [[nodiscard]] Step next(std::string_view& event);
  [[nodiscard]] std::size_t buffered() const { return partial_.size(); }

 private:
  Step next_line(std::string_view& event);
  Step next_length(std::string_view& event);
  void release();
  void keep(std::size_t bytes);

  std::size_t limit_;
  Encoding encoding_ = Encoding::Json;
  std::string partial_;  // the beginning of an event whose rest has not come
  bool given_ = false;   // partial_ is the event that next() returned last
  std::string_view chunk_;
};

}  // namespace reprise::runtime
