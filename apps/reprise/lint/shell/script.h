// A shell script as a tree: as much of the language as entry scripts of images use.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/reprise/lint/shell/starter.h"

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

// One arm of a case: "a|b) ... ;;".
struct Arm {
  enum class After { Leaves, FallsThrough, TestsOn };  // ";;", ";&", ";;&"
  std::vector<std::string> patterns;                   // as they are written
  List body;
  After after = After::Leaves;
};

// Another script that a command runs, or whose output stands in one of its words, and how it runs.
struct Nested;

struct Command {
  enum class Kind { Simple, Group, Subshell, If, While, Until, For, Case, Function, Coprocess };
  Kind kind = Kind::Simple;
  // As they are written; for For the words of the list; for Function its name; for Case the word that is matched.
  std::vector<std::string> words;
  std::string variable;  // for For; Coprocess: its name
  // If: condition, then, otherwise; loops: condition, body; all others: the body alone.
  List condition, body, otherwise;
  std::vector<Arm> arms;
  std::shared_ptr<const Nested> nested;
  std::vector<std::shared_ptr<const Nested>> substituted;  // "$(...)"
  std::vector<std::shared_ptr<const Nested>> beside;       // "<(...)", ">(...)": nobody asks for their codes
  std::optional<std::string> input;                        // the known input: a here-document's, a pipe's
  std::string output;                                      // the file that is written anew, without quotes
};

struct Nested {
  List script;
  bool errexit = false, pipefail = false;
  bool in_place = false, hides_code = false;  // as in ShellCall
};

// Empty: the script holds something that is not understood here.
[[nodiscard]] std::optional<List> parse_script(std::string_view text);

}  // namespace reprise::apps::lint::shell
