// Commands that start another one, or a script: "timeout 7d bash -c '...'", "script -qec '...'", "eval ...", "find
// -exec ... ;". All rules read their words in this one way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::apps::lint::shell {

// Words have no quotes here.
using Words = std::vector<std::string>;

struct ShellCall {
  enum class From {
    Text,   // the script stands in the words
    File,   // in a file, whose name stands in the words
    Input,  // in its input
  };
  From from = From::Text;
  std::string text = {};  // the script, or the name of its file
  std::size_t word = 0;   // index of its first word
  bool errexit = false, pipefail = false;
  bool in_place = false;    // by the shell that runs the command: eval, source
  bool hides_code = false;  // ends with 0 whatever the script ends with, or before it
};

// Empty: the words start no shell.
[[nodiscard]] std::optional<ShellCall> shell_call(const Words& words);

// True when the words start no shell, and end with 0 although the started command fails, or do not wait for it.
[[nodiscard]] bool hides_code(const Words& words);

// The words of the started command: behind "timeout 7d", "nohup", "sudo -u user", "find . -exec", "env A=1". Where a
// starter has words of its own that look like a command's it stays whole.
[[nodiscard]] Words without_starters(const Words& words);

[[nodiscard]] bool is_one_of(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

// The last part of a path.
[[nodiscard]] std::string_view base_name(std::string_view path);
// The word without quotes; variables and the like stay as they are written.
[[nodiscard]] std::string without_quotes(std::string_view word);

}  // namespace reprise::apps::lint::shell
