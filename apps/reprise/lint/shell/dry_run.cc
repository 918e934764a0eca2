#include "apps/reprise/lint/shell/dry_run.h"

#include <algorithm>
#include <utility>

#include "apps/reprise/lint/shell/condition.h"

namespace reprise::apps::lint::shell {
namespace {

constexpr int kDeepest = 60;  // functions that call each other
constexpr int kMostRounds = 3;

bool is_for_ever(const Command& loop) {
  if (loop.condition.size() != 1 || loop.condition.front().pipelines.size() != 1) return false;
  const auto& parts = loop.condition.front().pipelines.front().pipeline.parts;
  if (parts.size() != 1 || parts.front().words.empty()) return false;
  const std::string& word = parts.front().words.front();
  return word == "true" || word == ":" || word == "false";
}

}  // namespace

void DryRun::run(bool errexit, bool pipefail) {
  errexit_ = errexit;
  pipefail_ = pipefail;
  static_cast<void>(list(script_, false));
  leave();
}

void DryRun::leave() {
  if (exit_trap_.empty() || never_ends_ || killed_) return;
  auto trap = parse_script(exit_trap_);
  exit_trap_.clear();
  if (!trap) return;
  const int status = status_;
  status_before_trap_ = status;
  errexit_ = false;
  if (list(traps_.emplace_back(*std::move(trap)), false) != Flow::Exit) status_ = status;
  status_before_trap_.reset();
}

// Functions run the trap only after `set -E`.
DryRun::Flow DryRun::failed() {
  if (err_trap_.empty() || never_ends_ || (calls_ > 0 && !errtrace_)) return Flow::Next;
  auto parsed = parse_script(err_trap_);
  if (!parsed) return Flow::Next;
  const std::string trap = std::exchange(err_trap_, {});
  const int status = status_;
  status_before_trap_ = status;
  const Flow flow = list(traps_.emplace_back(*std::move(parsed)), true);
  status_before_trap_.reset();
  if (flow == Flow::Next) status_ = status;
  err_trap_ = trap;
  return flow;
}

DryRun::Flow DryRun::list(const List& list, bool is_checked) {
  if (++depth_ > kDeepest) never_ends_ = true;
  Flow flow = Flow::Next;
  for (const AndOr& each : list) {
    if (never_ends_ || killed_) break;
    if (flow = and_or(each, is_checked); flow != Flow::Next) break;
  }
  --depth_;
  return never_ends_ || killed_ ? Flow::Exit : flow;
}

DryRun::Flow DryRun::and_or(const AndOr& and_or, bool is_checked) {
  if (!and_or.in_background) return pipelines(and_or, is_checked);
  in_background([&] { static_cast<void>(pipelines(and_or, false)); });
  return Flow::Next;
}

void DryRun::in_background(const std::function<void()>& inner) {
  const bool endless = never_ends_;
  in_subshell(errexit_, pipefail_, inner);
  never_ends_ = endless;  // nobody waits for it
  jobs_.push_back(status_);
  status_ = 0;
}

// When nobody can know how the pipeline before ends, the run goes the trainer's way.
DryRun::Flow DryRun::pipelines(const AndOr& and_or, bool is_checked) {
  bool is_open = false;
  for (std::size_t i = 0; i < and_or.pipelines.size(); ++i) {
    const auto& [and_then, each] = and_or.pipelines[i];
    const auto holds = [&](const Command& part) { return holds_failing(part, 0); };
    if (i > 0 && and_then != (status_ == 0) && !(is_open && std::ranges::any_of(each.parts, holds))) continue;
    const bool is_last = i + 1 == and_or.pipelines.size();
    const int starts = starts_;
    if (const Flow flow = pipeline(each, is_checked || !is_last); flow != Flow::Next || never_ends_) return flow;
    is_open = is_assumed_ && starts_ == starts;
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
      never_ends_ = endless;  // the endless part ends with the others
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
  if (status_ == 0 || is_checked || flow != Flow::Next) return flow;
  if (const Flow trapped = failed(); trapped != Flow::Next) return trapped;
  return errexit_ ? Flow::Exit : flow;
}

void DryRun::in_subshell(bool errexit, bool pipefail, const std::function<void()>& inner) {
  const auto variables = variables_;
  const auto functions = functions_;
  const std::string trap = std::exchange(exit_trap_, {});
  const std::string at_failure = errtrace_ ? err_trap_ : std::exchange(err_trap_, {});
  const std::vector<int> jobs = jobs_;
  const bool own_errtrace = errtrace_;
  const bool own_errexit = std::exchange(errexit_, errexit), own_pipefail = std::exchange(pipefail_, pipefail);
  ++subshells_;
  inner();
  leave();
  --subshells_;
  variables_ = variables;
  functions_ = functions;
  exit_trap_ = trap;
  err_trap_ = at_failure;
  jobs_ = jobs;
  errtrace_ = own_errtrace;
  errexit_ = own_errexit;
  pipefail_ = own_pipefail;
}

DryRun::Flow DryRun::command(const Command& command, bool is_checked) {
  if (--budget_ < 0) {
    never_ends_ = true;
    return Flow::Exit;
  }
  if (command.kind != Command::Kind::Simple && !command.beside.empty()) static_cast<void>(aside(command));
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
    case Command::Kind::Case:
      return case_command(command, is_checked);
    case Command::Kind::Coprocess:
      in_background([&] { static_cast<void>(list(command.body, false)); });
      variables_[command.variable + "_PID"] = "job:" + std::to_string(jobs_.size());
      return Flow::Next;
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

bool DryRun::holds_failing(const List& list, int depth) const {
  if (depth > kDeepest) return false;
  return std::ranges::any_of(list, [&](const AndOr& and_or) {
    return std::ranges::any_of(and_or.pipelines, [&](const Joined& joined) {
      return std::ranges::any_of(joined.pipeline.parts,
                                 [&](const Command& part) { return holds_failing(part, depth + 1); });
    });
  });
}

bool DryRun::holds_failing(const Command& command, int depth) const {
  if (command.kind == Command::Kind::Function) return false;  // a definition calls nothing
  if (--looks_left_ < 0) return false;
  if (command.words == failing_) return true;
  const auto in = [&](const auto& nested) { return nested && holds_failing(nested->script, depth + 1); };
  if (in(command.nested) || std::ranges::any_of(command.substituted, in) || std::ranges::any_of(command.beside, in))
    return true;
  if (std::ranges::any_of(command.arms, [&](const Arm& arm) { return holds_failing(arm.body, depth + 1); }))
    return true;
  for (const List* inner : {&command.condition, &command.body, &command.otherwise})
    if (holds_failing(*inner, depth + 1)) return true;
  const auto function = command.words.empty() ? functions_.end() : functions_.find(command.words.front());
  return function != functions_.end() && holds_failing(*function->second, depth + 1);
}

// When nobody can know which way the condition goes, the run goes the trainer's.
DryRun::Flow DryRun::if_command(const Command& command, bool is_checked) {
  const int starts = starts_;
  is_unknown_ = false;
  if (const Flow flow = list(command.condition, true); flow != Flow::Next) return flow;
  bool otherwise = status_ != 0;
  if (starts_ == starts && is_assumed_)
    otherwise = holds_failing(command.otherwise) || (otherwise && !holds_failing(command.body));
  const List& chosen = otherwise ? command.otherwise : command.body;  // begins with the condition's $?
  if (chosen.empty()) status_ = 0;
  return list(chosen, is_checked);
}

// Chooses in the same way: the arm that holds the trainer, else the one for all the rest.
DryRun::Flow DryRun::case_command(const Command& command, bool is_checked) {
  const auto asked = expanded(command.words.front());
  const auto fits = [&](const Arm& arm) {
    return std::ranges::any_of(arm.patterns, [&](const std::string& pattern) {
      return asked ? matches(expanded(pattern).value_or(""), *asked) : pattern == "*";
    });
  };
  const auto holds = [&](const Arm& arm) { return holds_failing(arm.body); };
  auto arm = asked ? command.arms.end() : std::ranges::find_if(command.arms, holds);
  if (arm == command.arms.end()) arm = std::ranges::find_if(command.arms, fits);
  if (arm == command.arms.end() || arm->body.empty()) status_ = 0;
  while (arm != command.arms.end()) {
    if (const Flow flow = list(arm->body, is_checked); flow != Flow::Next) return flow;
    const Arm::After after = arm->after;
    if (after == Arm::After::Leaves) break;
    ++arm;
    if (after == Arm::After::TestsOn) arm = std::find_if(arm, command.arms.end(), fits);
  }
  return Flow::Next;
}

// Goes round as long as the trainer is started in each round. A round without it ends the loop, whose event comes one
// day, unless the loop waits for nothing.
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

}  // namespace reprise::apps::lint::shell
