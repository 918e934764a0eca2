// Joins the bytes of several logs into lines of one: whole lines, each with its source in front. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace reprise::plugin {

class LogLines {
 public:
  explicit LogLines(bool prefixes) : prefixes_(prefixes) {}
  // The lines that are whole now. `source`: "1/0", attempt and index.
  [[nodiscard]] std::string take(const std::string& source, std::string_view bytes);
  // The rest of a log that has ended, as a line.
  [[nodiscard]] std::string end(const std::string& source);

 private:
  [[nodiscard]] std::string line(const std::string& source, std::string_view text) const;
  bool prefixes_;
  std::map<std::string, std::string> rests_;
};

}  // namespace reprise::plugin
