// A shell script as a tree: as much of the shell's language as entry scripts of images are written in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::apps::lint::shell {

struct Command;

struct Pipeline {
  bool negated = false;
  std::vector<Command> parts;
};

struct Joined {
  bool and_then = true;  // by `&&` to the one before, or by `||`; the first is joined to nothing
  Pipeline pipeline;
};

struct AndOr {
  std::vector<Joined> pipelines;
  bool in_background = false;
};

using List = std::vector<AndOr>;

// What `bash -c` is given: another script, and how it is run.
struct Nested;

struct Command {
  enum class Kind { Simple, Group, Subshell, If, While, Until, For, Function };
  Kind kind = Kind::Simple;
  std::vector<std::string> words;  // as they are written; of For the words that are gone through; of Function its name
  std::string variable;            // of For
  // Of an If: condition, then, otherwise; of a loop: condition, body; else the body alone.
  List condition, body, otherwise;
  std::shared_ptr<const Nested> nested;
};

struct Nested {
  List script;
  bool errexit = false, pipefail = false;
};

// The words of a command that starts a shell: which of them is the script, and how it is run.
struct ShellCall {
  std::size_t script = 0;  // index
  bool errexit = false, pipefail = false;
};
// Nothing: it starts no shell with a script in a word.
[[nodiscard]] std::optional<ShellCall> shell_call(const std::vector<std::string>& words);

// Nothing: it says something beyond what is understood here.
[[nodiscard]] std::optional<List> parse_script(std::string_view text);

// The last part of a path.
[[nodiscard]] std::string_view base_name(std::string_view path);
// Without quotes; variables and the like stay as they are written.
[[nodiscard]] std::string without_quotes(std::string_view word);

}  // namespace reprise::apps::lint::shell
