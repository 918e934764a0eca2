// A shell script as a tree: as much of the shell's language as entry scripts of images are written in.
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

// Of a case: "a|b) ... ;;".
struct Arm {
  enum class After { Leaves, FallsThrough, TestsOn };  // ";;", ";&", ";;&"
  std::vector<std::string> patterns;                   // as they are written
  List body;
  After after = After::Leaves;
};

// Another script that a command runs, or whose output stands in one of its words, and how it is run.
struct Nested;

struct Command {
  enum class Kind { Simple, Group, Subshell, If, While, Until, For, Case, Function, Coprocess };
  Kind kind = Kind::Simple;
  // As they are written; of For the words that are gone through; of Function its name; of Case what is asked.
  std::vector<std::string> words;
  std::string variable;  // of For; of Coprocess its name
  // Of an If: condition, then, otherwise; of a loop: condition, body; else the body alone.
  List condition, body, otherwise;
  std::vector<Arm> arms;
  std::shared_ptr<const Nested> nested;
  std::vector<std::shared_ptr<const Nested>> substituted;  // "$(...)"
  std::vector<std::shared_ptr<const Nested>> beside;       // "<(...)", ">(...)": nobody asks for their codes
  std::optional<std::string> input;                        // that is known: of a here-document, of a pipe
  std::string output;                                      // the file that is written anew, without quotes
};

struct Nested {
  List script;
  bool errexit = false, pipefail = false;
  bool in_place = false, hides_code = false;  // as of ShellCall
};

// Nothing: it says something beyond what is understood here.
[[nodiscard]] std::optional<List> parse_script(std::string_view text);

}  // namespace reprise::apps::lint::shell
