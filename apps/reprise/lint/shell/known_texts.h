// The texts that a script holds itself: values of variables, files that it writes, output of commands in a pipe. Any of
// them may hold the command that runs.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "apps/reprise/lint/shell/script.h"

namespace reprise::apps::lint::shell {

class KnownTexts {
 public:
  // Learns from a simple command: its assignments, and the file that it writes.
  void learn(const Command& command);

  // A word or text with the values of the variables that are known.
  [[nodiscard]] std::string with_values(std::string_view text) const;
  [[nodiscard]] std::optional<std::string> file(std::string_view name) const;

  // Output of echo, printf, cat and tee; empty: not known before it runs.
  [[nodiscard]] std::optional<std::string> printed_by(const Command& command) const;

 private:
  std::map<std::string, std::string, std::less<>> values_, files_;
};

}  // namespace reprise::apps::lint::shell
