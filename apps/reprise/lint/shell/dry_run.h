// A script gone through as a shell would, without starting anything: one command fails, all others go well.
#pragma once

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
  // Both outlive this.
  DryRun(const List& script, const Command& failing) : script_(script), failing_(failing) {}

  void run(bool errexit, bool pipefail);

  [[nodiscard]] int starts() const { return starts_; }  // of the failing command
  [[nodiscard]] bool ends_well() const { return never_ends_ || status_ == 0; }
  [[nodiscard]] bool never_ends() const { return never_ends_; }
  [[nodiscard]] bool is_replaced() const { return is_replaced_; }

 private:
  enum class Flow { Next, Break, Continue, Return, Exit };

  Flow list(const List& list, bool is_checked);
  Flow and_or(const AndOr& and_or, bool is_checked);
  Flow pipeline(const Pipeline& pipeline, bool is_checked);
  Flow command(const Command& command, bool is_checked);
  Flow if_command(const Command& command, bool is_checked);
  Flow loop(const Command& command, bool is_checked);
  Flow simple(const Command& command, bool is_checked);
  Flow builtin(const std::string& name, const std::vector<std::string>& words, bool is_checked);
  void in_subshell(bool errexit, bool pipefail, const std::function<void()>& inner);
  Flow pipelines(const AndOr& and_or, bool is_checked);
  void wait_for(const std::vector<std::string>& words);
  void set_options(const std::vector<std::string>& words);
  [[nodiscard]] Flow exit_at(const std::vector<std::string>& words, Flow flow);
  void leave();  // runs the trap of EXIT
  // Nothing: not known before it runs.
  [[nodiscard]] std::optional<std::string> expanded(std::string_view word) const;
  [[nodiscard]] std::optional<std::string> value_of(std::string_view name) const;
  [[nodiscard]] std::optional<bool> test(const std::vector<std::string>& words) const;
  [[nodiscard]] bool holds_failing(const List& list) const;

  const List& script_;
  const Command& failing_;
  int starts_ = 0;
  int budget_ = 2000;  // commands, in all: a script may go round for ever
  int depth_ = 0, subshells_ = 0;
  bool never_ends_ = false, is_replaced_ = false;
  bool is_unknown_ = false;  // how the last test came out
  int status_ = 0;
  bool errexit_ = false, pipefail_ = false;
  std::vector<int> pipe_status_ = {0};
  std::vector<int> jobs_;
  std::map<std::string, std::string, std::less<>> variables_;
  std::map<std::string, const List*, std::less<>> functions_;
  std::string exit_trap_;
};

}  // namespace reprise::apps::lint::shell
