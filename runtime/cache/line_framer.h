// Cuts a stream of bytes into lines: lines over several chunks, several in one chunk.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace reprise::runtime {

// One thread. A line longer than `limit` is an error and ends the stream's use.
class LineFramer {
 public:
  explicit LineFramer(std::size_t limit = 16U << 20U) : limit_(limit) {}
  // Calls `line` for each complete, non-empty line, without line feed; the view lives for the call. `line` returns
  // false to stop: the rest is dropped. Returns false when the limit was passed.
  [[nodiscard]] bool feed(std::string_view bytes, const std::function<bool(std::string_view)>& line);
  void reset();
  [[nodiscard]] std::size_t buffered() const { return partial_.size(); }

 private:
  std::size_t limit_;
  std::string partial_;
};

}  // namespace reprise::runtime
