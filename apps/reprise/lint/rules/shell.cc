#include "apps/reprise/lint/rules/shell.h"

#include <optional>
#include <vector>

#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/shell/starter.h"
#include "apps/reprise/lint/shell/trainer_fate.h"
#include "simulator/base/json.h"

namespace reprise::apps::lint {
namespace {

using simulator::array;
using simulator::text;
using simulator::Value;

constexpr std::size_t kLongestQuoted = 80;

std::string cut(std::string text) {
  if (text.size() > kLongestQuoted) text = text.substr(0, kLongestQuoted) + "...";
  return text;
}

std::string lost_code(const shell::TrainerFate& fate) {
  const std::string trainer = "'" + cut(fate.trainer) + "'";
  if (fate.starts_again)
    return "where " + trainer +
           " fails, or is stopped after a save, the script starts it again: Reprise learns of no failure, and a second "
           "trainer may write after the notice; begin its line with exec and leave restarts to the job "
           "(spec.backoffLimit)";
  return "where " + trainer +
         " fails, the script ends with 0 all the same, or never, and Reprise takes the training for done; begin its "
         "line "
         "with exec, or keep its code: set -e, set -o pipefail before a pipe (bash), wait \"$!\" behind an &";
}

std::string kept_signals(const shell::TrainerFate& fate) {
  if (fate.ignores_term)
    return "the shell has SIGTERM ignored, by what it starts as well: the trainer learns nothing of the notice and "
           "does "
           "not save; take the trap away and begin its line with exec";
  if (fate.traps_exit)
    return "a bash that traps EXIT takes every signal that would end it, runs the trap and ends: the trainer learns "
           "nothing of a request, and its code is lost; begin its line with exec, or trap the signals and wait for it";
  return "a shell keeps SIGTERM to itself: the trainer learns nothing of the notice and does not save; begin its line "
         "with exec, or trap the signal";
}

}  // namespace

void look_at_shell(const Manifest& job, const std::string& at, const Value& container, Report& report) {
  const auto& command = array(container, {"command"});
  if (command.size() == 1 && text(command[0], {}).find(' ') != std::string_view::npos) {
    report.add(Severity::Warning, "command-words", job, at + ".command[0]",
               "found '" + std::string(text(command[0], {})) +
                   "': is taken for the name of one program; write each word as an element");
    return;
  }
  std::vector<std::string> words;
  for (const char* part : {"command", "args"})
    for (const Value& word : array(container, {part})) words.emplace_back(text(word, {}));
  const auto call = shell::shell_call(words);
  if (!call || call->from != shell::ShellCall::From::Text) return;
  const std::string field = call->word < command.size()
                                ? at + ".command[" + std::to_string(call->word) + "]"
                                : at + ".args[" + std::to_string(call->word - command.size()) + "]";
  const std::string& script = call->text;
  const auto fate = shell::fate_of_trainer(*call);
  if (fate && (fate->loses_code || fate->starts_again))
    report.add(Severity::Warning, "shell-exit-code", job, field, lost_code(*fate));
  const bool hands_on = fate ? fate->is_replaced || (fate->handles_term && !fate->ignores_term)
                             : script.find("exec ") != std::string::npos || script.find("trap ") != std::string::npos;
  if (hands_on) return;
  const bool one = words[call->word] == script && script.find_first_of(";&|\n$`(") == std::string::npos &&
                   !script.starts_with("exec ");
  report.add(
      Severity::Warning, "shell-signals", job, field, kept_signals(fate.value_or(shell::TrainerFate{})),
      {one && job.find(field) != nullptr ? replace_value(job, field, in_quotes("exec " + script)) : std::nullopt});
}

}  // namespace reprise::apps::lint
