#include "apps/reprise/lint/shell/dry_run.h"

#include <algorithm>
#include <utility>

#include "apps/reprise/lint/shell/characters.h"
#include "apps/reprise/lint/shell/trainers.h"

namespace reprise::apps::lint::shell {
namespace {

constexpr int kDeepest = 60;  // functions that call each other
constexpr int kMostRounds = 3;

bool is_name(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::ranges::all_of(text, is_name_character);
}

bool is_for_ever(const Command& loop) {
  if (loop.condition.size() != 1 || loop.condition.front().pipelines.size() != 1) return false;
  const auto& parts = loop.condition.front().pipelines.front().pipeline.parts;
  if (parts.size() != 1 || parts.front().words.empty()) return false;
  const std::string& word = parts.front().words.front();
  return word == "true" || word == ":" || word == "false";
}

// It goes on until it is killed.
bool is_endless(const std::vector<std::string>& words) {
  const std::string_view name = base_name(words.front());
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  if (std::ranges::any_of(words, [](const auto& word) { return word.starts_with("--pid"); })) return false;
  return (name == "tail" && (has("-f") || has("-F") || has("--follow"))) || (name == "sleep" && has("infinity"));
}

}  // namespace

void DryRun::run(bool errexit, bool pipefail) {
  errexit_ = errexit;
  pipefail_ = pipefail;
  static_cast<void>(list(script_, false));
  leave();
}

void DryRun::leave() {
  if (exit_trap_.empty() || never_ends_) return;
  const auto trap = parse_script(exit_trap_);
  exit_trap_.clear();
  if (!trap) return;
  const int status = status_;
  errexit_ = false;
  if (list(*trap, false) != Flow::Exit) status_ = status;
}

DryRun::Flow DryRun::list(const List& list, bool is_checked) {
  if (++depth_ > kDeepest) never_ends_ = true;
  Flow flow = Flow::Next;
  for (const AndOr& each : list) {
    if (never_ends_) break;
    if (flow = and_or(each, is_checked); flow != Flow::Next) break;
  }
  --depth_;
  return never_ends_ ? Flow::Exit : flow;
}

DryRun::Flow DryRun::and_or(const AndOr& and_or, bool is_checked) {
  if (!and_or.in_background) return pipelines(and_or, is_checked);
  const bool endless = never_ends_;
  in_subshell(errexit_, pipefail_, [&] { static_cast<void>(pipelines(and_or, false)); });
  never_ends_ = endless;  // nobody waits for it
  jobs_.push_back(status_);
  status_ = 0;
  return Flow::Next;
}

DryRun::Flow DryRun::pipelines(const AndOr& and_or, bool is_checked) {
  for (std::size_t i = 0; i < and_or.pipelines.size(); ++i) {
    const auto& [and_then, each] = and_or.pipelines[i];
    if (i > 0 && and_then != (status_ == 0)) continue;
    const bool is_last = i + 1 == and_or.pipelines.size();
    if (const Flow flow = pipeline(each, is_checked || !is_last); flow != Flow::Next || never_ends_) return flow;
  }
  return Flow::Next;
}

DryRun::Flow DryRun::pipeline(const Pipeline& pipeline, bool is_checked) {
  Flow flow = Flow::Next;
  if (pipeline.parts.size() == 1) {
    flow = command(pipeline.parts.front(), is_checked || pipeline.negated);
    if (flow == Flow::Exit) return flow;
    if (pipeline.parts.front().kind == Command::Kind::Simple) pipe_status_ = {status_};
  } else {
    std::vector<int> statuses;
    for (const Command& part : pipeline.parts) {
      const bool endless = never_ends_;
      in_subshell(errexit_, pipefail_, [&] { static_cast<void>(command(part, is_checked)); });
      never_ends_ = endless;  // it ends with the others
      statuses.push_back(status_);
    }
    pipe_status_ = statuses;
    status_ = statuses.back();
    if (pipefail_)
      for (const int each : statuses) status_ = each != 0 ? each : status_;
  }
  if (pipeline.negated) {
    status_ = status_ == 0 ? 1 : 0;
    return flow;
  }
  const bool fails = status_ != 0 && errexit_ && !is_checked && flow == Flow::Next;
  return fails ? Flow::Exit : flow;
}

void DryRun::in_subshell(bool errexit, bool pipefail, const std::function<void()>& inner) {
  const auto variables = variables_;
  const auto functions = functions_;
  const std::string trap = std::exchange(exit_trap_, {});
  const std::vector<int> jobs = jobs_;
  const bool own_errexit = std::exchange(errexit_, errexit), own_pipefail = std::exchange(pipefail_, pipefail);
  ++subshells_;
  inner();
  leave();
  --subshells_;
  variables_ = variables;
  functions_ = functions;
  exit_trap_ = trap;
  jobs_ = jobs;
  errexit_ = own_errexit;
  pipefail_ = own_pipefail;
}

DryRun::Flow DryRun::command(const Command& command, bool is_checked) {
  if (--budget_ < 0) {
    never_ends_ = true;
    return Flow::Exit;
  }
  switch (command.kind) {
    case Command::Kind::Simple:
      return simple(command, is_checked);
    case Command::Kind::Group:
      return list(command.body, is_checked);
    case Command::Kind::Subshell:
      in_subshell(errexit_, pipefail_, [&] { static_cast<void>(list(command.body, is_checked)); });
      return Flow::Next;
    case Command::Kind::If:
      return if_command(command, is_checked);
    case Command::Kind::While:
    case Command::Kind::Until:
    case Command::Kind::For:
      return loop(command, is_checked);
    case Command::Kind::Function:
      functions_[command.words.front()] = &command.body;
      status_ = 0;
      return Flow::Next;
  }
  return Flow::Next;
}

bool DryRun::holds_failing(const List& list) const {
  const auto found = trainers_in(list);
  return std::ranges::find(found, &failing_) != found.end();
}

// Where nobody can know which way it goes, it goes the trainer's.
DryRun::Flow DryRun::if_command(const Command& command, bool is_checked) {
  const int starts = starts_;
  is_unknown_ = false;
  if (const Flow flow = list(command.condition, true); flow != Flow::Next) return flow;
  const bool is_known = starts_ != starts || status_ != 0;
  const bool otherwise = is_known ? status_ != 0 : holds_failing(command.otherwise);
  status_ = 0;
  return list(otherwise ? command.otherwise : command.body, is_checked);
}

// Round after round as long as the trainer is started in each. Where it is not, what is waited for comes one day,
// unless nothing is waited for.
DryRun::Flow DryRun::loop(const Command& command, bool is_checked) {
  const bool is_for = command.kind == Command::Kind::For;
  const int rounds = is_for ? std::clamp<int>(static_cast<int>(command.words.size()), 1, kMostRounds) : kMostRounds;
  int last = 0;
  for (int round = 0; round < rounds; ++round) {
    const int starts = starts_;
    if (!is_for) {
      is_unknown_ = false;
      if (const Flow flow = list(command.condition, true); flow != Flow::Next) return flow;
      const bool goes_on = is_unknown_ || (status_ == 0) == (command.kind == Command::Kind::While);
      if (!goes_on) {
        status_ = last;
        return Flow::Next;
      }
    } else {
      const auto value =
          command.words.empty() ? std::nullopt : expanded(command.words[static_cast<std::size_t>(round)]);
      if (value)
        variables_[command.variable] = *value;
      else
        variables_.erase(command.variable);
    }
    const Flow flow = list(command.body, is_checked);
    if (flow == Flow::Exit || flow == Flow::Return) return flow;
    last = status_;
    if (flow == Flow::Break) return Flow::Next;
    if (!is_for && starts_ == starts && !is_for_ever(command)) return Flow::Next;
  }
  if (!is_for) never_ends_ = true;
  return Flow::Next;
}

DryRun::Flow DryRun::simple(const Command& command, bool is_checked) {
  std::vector<std::string> words = command.words;
  // Assignments alone, or for the command behind them.
  while (!words.empty()) {
    const std::size_t equals = words.front().find('=');
    if (equals == std::string::npos || !is_name(std::string_view(words.front()).substr(0, equals))) break;
    const auto value = expanded(std::string_view(words.front()).substr(equals + 1));
    const std::string name = words.front().substr(0, equals);
    if (words.size() == 1 && value)
      variables_[name] = *value;
    else if (words.size() == 1)
      variables_.erase(name);
    words.erase(words.begin());
  }
  if (words.empty()) {
    status_ = 0;
    return Flow::Next;
  }
  const bool replaces = words.front() == "exec";
  if (replaces) words.erase(words.begin());
  if (words.empty()) return Flow::Next;  // it redirects the shell's own output
  Flow flow = Flow::Next;
  if (command.nested) {
    in_subshell(command.nested->errexit, command.nested->pipefail,
                [&] { static_cast<void>(list(command.nested->script, false)); });
  } else if (command.words == failing_.words) {
    ++starts_;
    is_replaced_ = is_replaced_ || (replaces && subshells_ == 0);
    status_ = 1;
  } else if (is_endless(words)) {
    never_ends_ = true;
  } else {
    flow = builtin(without_quotes(words.front()), words, is_checked);
  }
  if (!replaces) return flow;
  exit_trap_.clear();  // the shell is no more
  return Flow::Exit;
}

DryRun::Flow DryRun::builtin(const std::string& name, const std::vector<std::string>& words, bool is_checked) {
  if (name == "exit") return exit_at(words, Flow::Exit);
  if (name == "return") return exit_at(words, Flow::Return);
  if (name == "break") return Flow::Break;
  if (name == "continue") return Flow::Continue;
  if (const auto function = functions_.find(name); function != functions_.end()) {
    const Flow flow = list(*function->second, is_checked);
    return flow == Flow::Return ? Flow::Next : flow;
  }
  if (name == "wait") {
    wait_for(words);
    return Flow::Next;
  }
  const auto holds = test(words);  // it may ask for the status before
  status_ = name == "false" ? 1 : 0;
  if (name == "set") set_options(words);
  if (name == "[" || name == "[[" || name == "test") {
    is_unknown_ = !holds;
    status_ = holds.value_or(true) ? 0 : 1;
  }
  const bool at_exit = std::ranges::any_of(words, [](const auto& each) { return each == "EXIT" || each == "0"; });
  if (name == "trap" && words.size() > 2 && at_exit) exit_trap_ = without_quotes(words[1]);
  return Flow::Next;
}

DryRun::Flow DryRun::exit_at(const std::vector<std::string>& words, Flow flow) {
  if (words.size() < 2) return flow;
  const auto code = expanded(words[1]);
  const auto number = code ? number_in(*code) : std::nullopt;
  status_ = number.value_or(status_);
  return flow;
}

// Without a process it waits for all, and ends with 0.
void DryRun::wait_for(const std::vector<std::string>& words) {
  status_ = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto word = expanded(words[i]);
    if (word == "-n" && !jobs_.empty()) status_ = jobs_.front();
    if (!word || word->starts_with("-")) continue;
    const std::string_view text = *word;
    const auto job = number_in(text.starts_with("job:") ? text.substr(4)
                               : text.starts_with("%")  ? text.substr(1)
                                                        : "x");
    if (job && *job >= 1 && static_cast<std::size_t>(*job) <= jobs_.size())
      status_ = jobs_[static_cast<std::size_t>(*job) - 1];
    // Of several processes in one variable any may be the trainer.
    if (!job)
      for (const int each : jobs_) status_ = each != 0 ? each : status_;
  }
}

void DryRun::set_options(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || (word[0] != '-' && word[0] != '+')) continue;
    const bool on = word[0] == '-';
    for (const char letter : std::string_view(word).substr(1)) {
      if (letter == 'e') errexit_ = on;
      if (letter != 'o' || i + 1 >= words.size()) continue;
      ++i;
      if (words[i] == "pipefail") pipefail_ = on;
      if (words[i] == "errexit") errexit_ = on;
      break;
    }
  }
}

}  // namespace reprise::apps::lint::shell
