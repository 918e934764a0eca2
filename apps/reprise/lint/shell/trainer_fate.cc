#include "apps/reprise/lint/shell/trainer_fate.h"

#include <algorithm>
#include <vector>

#include "apps/reprise/lint/shell/dry_run.h"
#include "apps/reprise/lint/shell/script.h"
#include "apps/reprise/lint/shell/trainers.h"

namespace reprise::apps::lint::shell {
namespace {

std::string line_of(const Words& words) {
  std::string text;
  for (const std::string& word : words) {
    if (word == "exec") continue;
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

void look_for_traps(const List& list, TrainerFate& fate) {
  for (const AndOr& and_or : list)
    for (const auto& [and_then, pipeline] : and_or.pipelines)
      for (const Command& command : pipeline.parts) {
        for (const List* inner : {&command.condition, &command.body, &command.otherwise}) look_for_traps(*inner, fate);
        for (const Arm& arm : command.arms) look_for_traps(arm.body, fate);
        if (command.nested) look_for_traps(command.nested->script, fate);
        if (command.words.size() < 3 || command.words.front() != "trap") continue;
        const bool does_something = !without_quotes(command.words[1]).empty();
        for (std::size_t i = 2; i < command.words.size(); ++i) {
          const std::string signal = without_quotes(command.words[i]);
          const bool is_term = signal == "TERM" || signal == "SIGTERM" || signal == "15";
          fate.handles_term = fate.handles_term || (is_term && does_something && command.words[1] != "-");
          fate.ignores_term = fate.ignores_term || (is_term && !does_something);
          fate.traps_exit = fate.traps_exit || ((signal == "EXIT" || signal == "0") && does_something);
        }
      }
}

}  // namespace

std::optional<TrainerFate> fate_of_trainer(const ShellCall& call) {
  const auto list = parse_script(call.text);
  if (!list) return std::nullopt;
  TrainerFate fate;
  look_for_traps(*list, fate);
  std::vector<Words> looked_at;
  for (const Words& trainer : trainers_in(*list)) {
    if (std::ranges::find(looked_at, trainer) != looked_at.end()) continue;
    looked_at.push_back(trainer);
    DryRun run(*list, trainer);
    run.run(call.errexit, call.pipefail);
    if (run.starts() == 0) continue;
    const bool loses = call.hides_code || run.ends_well();
    if (fate.trainer.empty() || (loses && !fate.loses_code)) fate.trainer = line_of(trainer);
    fate.loses_code = fate.loses_code || loses;
    fate.starts_again = fate.starts_again || run.starts() > 1;
    fate.is_replaced = fate.is_replaced || run.is_replaced();
  }
  return fate;
}

}  // namespace reprise::apps::lint::shell
