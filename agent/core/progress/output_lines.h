// Lines of what is printed, as a terminal has them: a bar that is drawn over itself ends in \r. Made for looking at
// some of them, not for passing all on: long ones are cut, and beyond so many a second they are left out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "runtime/base/clock.h"

namespace reprise::agent {

class OutputLines {
 public:
  static constexpr std::size_t kLongest = 1024;
  static constexpr int kPerSecond = 200;

  // `line` is called for each that ends in `bytes`, but for empty ones.
  void take(std::string_view bytes, runtime::Instant now, const std::function<void(std::string_view)>& line);

 private:
  [[nodiscard]] bool may_look(runtime::Instant now);

  std::string begun_;
  bool inside_ = false;  // inside a line that was left out, whose end is yet to come
  runtime::Instant second_{};
  int looked_at_ = 0;
};

// The last of what was printed.
class OutputTail {
 public:
  void take(std::string_view bytes);
  // The text of at most so many whole lines, and so many bytes, of UTF-8. A line that was drawn over gives its last
  // version.
  [[nodiscard]] std::string text(std::size_t lines, std::size_t bytes) const;

 private:
  std::string kept_;
};

}  // namespace reprise::agent
