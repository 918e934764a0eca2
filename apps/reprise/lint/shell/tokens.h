// Splits a shell script into words, operators and redirections.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::apps::lint::shell {

struct Token {
  enum class Kind {
    Word,         // with its quotes; between "((" and "))" one word
    Operator,     // "&&", "||", "|", ";", "&", "(", ")", ";;", ";&", ";;&"; a line's end is ";"
    Redirection,  // "<", ">", ">>", "<<" (a here-document), "<<<", "<(" and ">(" (a process's)
  };
  Kind kind = Kind::Word;
  std::string text;
  // The target of a redirection: the file as it is written, the lines of a here-document, the script of a process.
  std::string target = {};
};

// Without comments, without the numbers of redirected descriptors. Empty: a quote or bracket is not closed.
[[nodiscard]] std::optional<std::vector<Token>> tokens_of(std::string_view text);

// The scripts whose output stands in a word: "$(...)" and "`...`".
[[nodiscard]] std::vector<std::string> substitutions_in(std::string_view word);

}  // namespace reprise::apps::lint::shell
