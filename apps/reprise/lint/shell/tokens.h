// A shell script in words and operators.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::apps::lint::shell {

struct Token {
  bool is_word = false;
  std::string
      text;  // of a word with its quotes; of an operator "&&", "||", "|", ";", "&", "(", ")"; a line's end is ";"
};

// Without comments and redirections. Nothing: a quote or bracket is not closed, or there is a here-document.
[[nodiscard]] std::optional<std::vector<Token>> tokens_of(std::string_view text);

}  // namespace reprise::apps::lint::shell
