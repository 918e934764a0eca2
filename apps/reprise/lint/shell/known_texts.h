// The texts that a script holds itself: values of variables, files that it writes, what a command prints into a pipe.
// What is run may stand in any of them.
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
  // A simple command: what it assigns, and the file that it writes.
  void learn(const Command& command);

  // A word or text with the values of the variables that are known.
  [[nodiscard]] std::string with_values(std::string_view text) const;
  [[nodiscard]] std::optional<std::string> file(std::string_view name) const;

  // Of echo, printf, cat and tee; nothing: not known before it runs.
  [[nodiscard]] std::optional<std::string> printed_by(const Command& command) const;

 private:
  std::map<std::string, std::string, std::less<>> values_, files_;
};

}  // namespace reprise::apps::lint::shell
