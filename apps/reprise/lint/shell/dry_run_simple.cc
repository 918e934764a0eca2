// Runs a simple command: the programs it starts, and the shell's own commands.
#include <algorithm>
#include <array>
#include <utility>

#include "apps/reprise/lint/shell/characters.h"
#include "apps/reprise/lint/shell/condition.h"
#include "apps/reprise/lint/shell/dry_run.h"

namespace reprise::apps::lint::shell {
namespace {

constexpr int kTerminated = 128 + 15;
constexpr std::array<std::string_view, 5> kAssigning{"local", "export", "declare", "typeset", "readonly"};
// Commands that are known to go well.
constexpr std::array<std::string_view, 7> kSound{"true", ":", "echo", "printf", "set", "trap", "shift"};
constexpr std::array<std::string_view, 4> kArguments{"$@", "\"$@\"", "$*", "\"$*\""};

// "name=", "name+=", "name[0]=".
bool assigns(std::string_view word) {
  std::string_view name = word.substr(0, word.find('='));
  if (name.size() == word.size()) return false;
  if (name.ends_with('+')) name.remove_suffix(1);
  name = name.substr(0, name.find('['));
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::ranges::all_of(name, is_name_character);
}

// True for a command that goes on until it is killed.
bool is_endless(const Words& words) {
  const std::string_view name = base_name(words.front());
  const auto has = [&](std::string_view word) { return is_one_of(word, words); };
  if (std::ranges::any_of(words, [](const auto& word) { return word.starts_with("--pid"); })) return false;
  return (name == "tail" && (has("-f") || has("-F") || has("--follow"))) || (name == "sleep" && has("infinity"));
}

// Removes "exec" and its options: "exec -a name".
void remove_exec(Words& words) {
  words.erase(words.begin());
  while (!words.empty() && words.front().starts_with("-")) {
    const bool has_name = words.front() == "-a" && words.size() > 1;
    words.erase(words.begin(), words.begin() + (has_name ? 2 : 1));
  }
}

}  // namespace

DryRun::Flow DryRun::simple(const Command& command, bool is_checked) {
  const int before = status_;
  const auto substituted = aside(command);
  status_ = before;
  Words words = command.words;
  const bool assigns_only = std::ranges::all_of(words, assigns);
  while (!words.empty() && assigns(words.front())) {
    if (assigns_only) assign(words.front());
    words.erase(words.begin());
  }
  if (words.empty()) {
    status_ = substituted.value_or(0);
    return Flow::Next;
  }
  const bool replaces = words.front() == "exec";
  if (replaces) remove_exec(words);
  if (words.empty()) return Flow::Next;  // redirects the shell's own output
  bool is_passed_on = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (calls_ == 0 || !is_one_of(words[i], kArguments)) continue;
    is_passed_on = true;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(i), arguments_.begin(), arguments_.end());
    break;
  }
  if (words.empty()) return Flow::Next;
  is_assumed_ = false;
  const Flow flow =
      started(command, words, {.replaces = replaces, .is_passed_on = is_passed_on, .is_checked = is_checked});
  if (!replaces) return flow;
  exit_trap_.clear();  // the shell is no more
  return Flow::Exit;
}

DryRun::Flow DryRun::started(const Command& command, const Words& words, How how) {
  const std::string name = expanded(words.front()).value_or(words.front());  // "$ok" may be "false"
  if (const auto function = functions_.find(name); function != functions_.end())
    return call(*function->second, words, how.is_checked);
  if (command.nested) return nested(*command.nested, how);
  if (command.words == failing_ || (how.is_passed_on && is_passed_on(words))) {
    Words plain;
    for (const std::string& word : words) plain.push_back(without_quotes(word));
    ++starts_;
    is_replaced_ = is_replaced_ || (how.replaces && subshells_ == 0);
    status_ = hides_code(plain) ? 0 : 1;
    return Flow::Next;
  }
  if (is_endless(words)) {
    never_ends_ = true;
    return Flow::Next;
  }
  return builtin(name, words);
}

// True for the failing command passed on by a function: all but its name, and the words it has taken away.
bool DryRun::is_passed_on(const Words& words) const {
  if (words.empty() || words.size() >= failing_.size()) return false;
  return std::equal(words.rbegin(), words.rend(), failing_.rbegin());
}

DryRun::Flow DryRun::call(const List& function, const Words& words, bool is_checked) {
  const Words own = std::exchange(arguments_, Words(words.begin() + 1, words.end()));
  ++calls_;
  const Flow flow = list(function, is_checked);
  --calls_;
  arguments_ = own;
  return flow == Flow::Return ? Flow::Next : flow;
}

DryRun::Flow DryRun::nested(const Nested& nested, How how) {
  if (nested.in_place) {
    const Flow flow = list(nested.script, how.is_checked);
    return flow == Flow::Return ? Flow::Next : flow;
  }
  const bool endless = never_ends_;
  // exec: takes this shell's place
  const int processes = std::exchange(subshells_, subshells_ - (how.replaces ? 1 : 0));
  const bool killed = killed_;
  in_subshell(nested.errexit, nested.pipefail, [&] { static_cast<void>(list(nested.script, false)); });
  subshells_ = processes;
  if (std::exchange(killed_, killed) != killed) status_ = kTerminated;  // a shell of its own
  if (nested.hides_code) {
    status_ = 0;
    never_ends_ = endless;
  }
  return Flow::Next;
}

// Runs only parts that may start the trainer: all else goes well. Returns the status of the last.
std::optional<int> DryRun::aside(const Command& command) {
  std::optional<int> last;
  const auto run = [&](const Nested& script) {
    if (!holds_failing(script.script)) return 0;
    const bool endless = never_ends_;
    in_subshell(errexit_, pipefail_, [&] { static_cast<void>(list(script.script, false)); });
    never_ends_ = endless;
    return status_;
  };
  for (const auto& each : command.beside) static_cast<void>(run(*each));
  for (const auto& each : command.substituted) last = run(*each);
  return last;
}

DryRun::Flow DryRun::builtin(const std::string& name, const Words& words) {
  if (name == "exit") return exit_at(words, Flow::Exit);
  if (name == "return") return exit_at(words, Flow::Return);
  if (name == "break" || name == "continue") {
    status_ = 0;
    return name == "break" ? Flow::Break : Flow::Continue;
  }
  if (name == "wait") {
    wait_for(words);
    return Flow::Next;
  }
  if (name == "[" || name == "[[" || name == "test" || name == "((") {
    judge(words);
    return Flow::Next;
  }
  if (is_one_of(name, kAssigning))
    for (std::size_t i = 1; i < words.size(); ++i) assign(words[i]);
  if (name == "set") set_options(words);
  if (name == "shopt") set_shell_options(words);
  if (name == "kill" && kills_itself(words)) {
    killed_ = true;
    return Flow::Exit;
  }
  if (name == "trap") set_trap(words);
  if (name == "shift") {
    const auto many = words.size() > 1 ? number_in(words[1]).value_or(1) : 1;
    const auto count = std::min(arguments_.size(), static_cast<std::size_t>(std::max(many, 0)));
    arguments_.erase(arguments_.begin(), arguments_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  status_ = name == "false" ? 1 : name == "fg" && !jobs_.empty() ? jobs_.back() : 0;
  is_assumed_ = name != "false" && name != "fg" && !is_one_of(name, kSound) && !is_one_of(name, kAssigning);
  return Flow::Next;
}

void DryRun::judge(const Words& words) {
  std::optional<bool> holds;
  if (words.front() == "((") {
    const std::string_view text = words.size() > 1 ? std::string_view(words[1]) : std::string_view();
    const auto value = counted(text);
    if (value) holds = *value != 0;
  } else {
    Terms terms;
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i] != "]" && words[i] != "]]") terms.push_back(expanded(words[i]));
    holds = condition_of(terms);
  }
  is_unknown_ = is_assumed_ = !holds;
  status_ = holds.value_or(true) ? 0 : 1;
}

// "rc = $?", "rc |= $?", "i++", or a sum that changes nothing.
std::optional<int> DryRun::counted(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::size_t length = static_cast<std::size_t>(std::ranges::find_if_not(text, is_name_character) - text.begin());
  const std::string name(text.substr(0, length));
  std::string_view rest = text.substr(length);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  std::optional<int> value;
  if (name.empty() || rest.size() < 2) return sum(text);
  if (rest[0] == '=' && rest[1] != '=') {
    value = sum(rest.substr(1));
  } else if (rest.starts_with("++") || rest.starts_with("--")) {
    value = sum(name + rest[0] + "1");
  } else if (rest[1] == '=' && std::string_view("+-*/%|&").find(rest[0]) != std::string_view::npos) {
    value = sum(name + rest[0] + "(" + std::string(rest.substr(2)) + ")");
  } else {
    return sum(text);
  }
  variables_.erase(name);
  if (value) variables_[name] = std::to_string(*value);
  return value;
}

void DryRun::assign(std::string_view word) {
  if (!assigns(word)) return;
  const std::size_t equals = word.find('=');
  std::string_view name = word.substr(0, equals), value = word.substr(equals + 1);
  const bool adds = name.ends_with('+');
  if (adds) name.remove_suffix(1);
  const bool is_member = name.find('[') != std::string_view::npos;
  name = name.substr(0, name.find('['));
  const bool is_array = value.starts_with('(') && value.ends_with(')');
  auto made = is_array ? expanded_array(value.substr(1, value.size() - 2)) : expanded(value);
  const auto old = variables_.find(name);
  if (made && adds && old != variables_.end()) made = old->second + (is_array ? " " : "") + *made;
  if (made && !is_member && !(adds && old == variables_.end()))
    variables_.insert_or_assign(std::string(name), *made);
  else if (old != variables_.end())
    variables_.erase(old);
}

// An exit in a trap without a code has the one before the trap. A code that nobody knows before it runs may be the
// trainer's.
DryRun::Flow DryRun::exit_at(const Words& words, Flow flow) {
  if (words.size() < 2) {
    if (flow == Flow::Exit) status_ = status_before_trap_.value_or(status_);
    return flow;
  }
  const auto code = expanded(words[1]);
  const auto number = code ? number_in(*code) : std::nullopt;
  status_ = number.value_or(starts_ > 0 ? 1 : status_);
  return flow;
}

// Without a process `wait` waits for all, and ends with 0. Any of several processes in one variable may be the trainer.
void DryRun::wait_for(const Words& words) {
  status_ = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto word = expanded(words[i]);
    if (word == "-n" && !jobs_.empty()) status_ = jobs_.front();
    if (word && word->starts_with("-")) continue;
    const std::string_view text = word ? std::string_view(*word) : std::string_view();
    const auto job = number_in(text.starts_with("job:") ? text.substr(4)
                               : text.starts_with("%")  ? text.substr(1)
                                                        : "x");
    if (job && *job >= 1 && static_cast<std::size_t>(*job) <= jobs_.size())
      status_ = jobs_[static_cast<std::size_t>(*job) - 1];
    if (!job)
      for (const int each : jobs_) status_ = each != 0 ? each : status_;
  }
}

void DryRun::set_options(const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || (word[0] != '-' && word[0] != '+')) continue;
    const bool on = word[0] == '-';
    for (const char letter : std::string_view(word).substr(1)) {
      if (letter == 'e') errexit_ = on;
      if (letter == 'E') errtrace_ = on;
      if (letter != 'o' || i + 1 >= words.size()) continue;
      ++i;
      set_option(words[i], on);
      break;
    }
  }
}

void DryRun::set_option(std::string_view name, bool on) {
  if (name == "pipefail") pipefail_ = on;
  if (name == "errexit") errexit_ = on;
  if (name == "errtrace") errtrace_ = on;
}

// Options of `set` given with -o: "shopt -so pipefail", "shopt -u -o errexit".
void DryRun::set_shell_options(const Words& words) {
  std::string letters;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i].starts_with("-")) letters += words[i];
  const auto says = [&](char letter) { return letters.find(letter) != std::string::npos; };
  if (!says('o') || says('s') == says('u')) return;
  for (std::size_t i = 1; i < words.size(); ++i) set_option(words[i], says('s'));
}

// True for "kill $$" with a signal that ends the script; false when the script traps SIGTERM: its end is unknown then.
bool DryRun::kills_itself(const Words& words) const {
  bool is_meant = false, ends = true, may_be_taken = true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = without_quotes(words[i]);
    is_meant = is_meant || word == "$$" || word == "${$}" || word == "$BASHPID";
    if (word == "-0" || word == "0" || word == "-l" || word == "-CONT" || word == "CONT") ends = false;
    if (word == "-9" || word == "9" || word == "-KILL" || word == "KILL") may_be_taken = false;
  }
  return is_meant && ends && !(may_be_taken && traps_term_);
}

void DryRun::set_trap(const Words& words) {
  if (words.size() < 3) return;
  const std::string action = words[1] == "-" ? std::string() : without_quotes(words[1]);
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string signal = without_quotes(words[i]);
    if (signal == "EXIT" || signal == "0") exit_trap_ = action;
    if (signal == "ERR") err_trap_ = action;
    if (signal == "TERM" || signal == "SIGTERM" || signal == "15") traps_term_ = words[1] != "-";
  }
}

}  // namespace reprise::apps::lint::shell
