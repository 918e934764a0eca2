// Runs through a script as a shell would, without starting anything: one command fails, all others go well.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/reprise/lint/shell/script.h"

namespace reprise::apps::lint::shell {

class DryRun {
 public:
  // `failing`: the words of a command, as they are written. Both outlive this.
  DryRun(const List& script, const Words& failing) : script_(script), failing_(failing) {}

  void run(bool errexit, bool pipefail);

  [[nodiscard]] int starts() const { return starts_; }  // starts of the failing command
  [[nodiscard]] bool ends_well() const { return !killed_ && (never_ends_ || status_ == 0); }
  [[nodiscard]] bool never_ends() const { return never_ends_; }
  [[nodiscard]] bool is_replaced() const { return is_replaced_; }

 private:
  enum class Flow { Next, Break, Continue, Return, Exit };
  struct How {
    bool replaces = false;      // by exec
    bool is_passed_on = false;  // "$@" of a function
    bool is_checked = false;
  };

  Flow list(const List& list, bool is_checked);
  Flow and_or(const AndOr& and_or, bool is_checked);
  Flow pipelines(const AndOr& and_or, bool is_checked);
  Flow pipeline(const Pipeline& pipeline, bool is_checked);
  Flow command(const Command& command, bool is_checked);
  Flow if_command(const Command& command, bool is_checked);
  Flow case_command(const Command& command, bool is_checked);
  Flow loop(const Command& command, bool is_checked);
  Flow failed();  // runs the trap of ERR
  void leave();   // runs the trap of EXIT
  void in_subshell(bool errexit, bool pipefail, const std::function<void()>& inner);
  void in_background(const std::function<void()>& inner);

  Flow simple(const Command& command, bool is_checked);
  Flow started(const Command& command, const Words& words, How how);
  Flow nested(const Nested& nested, How how);
  Flow call(const List& function, const Words& words, bool is_checked);
  Flow builtin(const std::string& name, const Words& words);
  std::optional<int> aside(const Command& command);
  void assign(std::string_view word);
  void wait_for(const Words& words);
  void set_options(const Words& words);
  void set_shell_options(const Words& words);
  void set_option(std::string_view name, bool on);
  [[nodiscard]] bool kills_itself(const Words& words) const;
  void set_trap(const Words& words);
  void judge(const Words& words);  // sets the status of a test
  [[nodiscard]] Flow exit_at(const Words& words, Flow flow);

  // Empty: not known before it runs.
  [[nodiscard]] std::optional<std::string> expanded(std::string_view word) const;
  [[nodiscard]] std::optional<std::string> expanded_array(std::string_view text) const;
  [[nodiscard]] std::optional<std::string> value_of(std::string_view name) const;
  [[nodiscard]] std::optional<int> sum(std::string_view text) const;
  std::optional<int> counted(std::string_view text);
  [[nodiscard]] bool is_passed_on(const Words& words) const;
  // True when the list may start the failing command.
  [[nodiscard]] bool holds_failing(const List& list, int depth = 0) const;
  [[nodiscard]] bool holds_failing(const Command& command, int depth) const;

  const List& script_;
  const Words& failing_;
  int starts_ = 0;
  int budget_ = 2000;               // commands, in all: a script may go round for ever
  mutable int looks_left_ = 20000;  // at commands, for the failing one
  int depth_ = 0, subshells_ = 0, calls_ = 0;
  bool never_ends_ = false, is_replaced_ = false;
  bool killed_ = false;      // the script itself, by a signal of its own
  bool is_unknown_ = false;  // the last test's result
  bool is_assumed_ = false;  // the last command is only assumed to have gone well
  int status_ = 0;
  std::optional<int> status_before_trap_;
  bool errexit_ = false, pipefail_ = false, errtrace_ = false;
  std::vector<int> pipe_status_ = {0};
  std::vector<int> jobs_;
  Words arguments_;  // arguments of the function that is run, as they are written
  std::map<std::string, std::string, std::less<>> variables_;
  std::map<std::string, const List*, std::less<>> functions_;
  std::string exit_trap_, err_trap_;
  bool traps_term_ = false;
  std::deque<List> traps_;  // functions may be defined in them
};

}  // namespace reprise::apps::lint::shell
