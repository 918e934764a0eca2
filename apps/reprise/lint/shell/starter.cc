#include "apps/reprise/lint/shell/starter.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "apps/reprise/lint/shell/tokens.h"

namespace reprise::apps::lint::shell {
namespace {

constexpr std::array<std::string_view, 7> kShells{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"};
// Start the command behind them, or behind words of their own ("timeout 7d", "gosu user", "conda run -n x").
constexpr std::array<std::string_view, 35> kStarters{
    "busybox", "catatonit", "chroot",  "chrt",    "command", "daemon",   "daemonize", "dumb-init", "env",
    "exec",    "flock",     "gosu",    "ionice",  "logsave", "nice",     "nohup",     "numactl",   "parallel",
    "runuser", "screen",    "setsid",  "setpriv", "ssh",     "stdbuf",   "su-exec",   "sudo",      "systemd-run",
    "taskset", "time",      "timeout", "tini",    "tmux",    "unbuffer", "xargs",     "xvfb-run"};
// The same, with "run" or "exec" behind their name: their other commands start no trainer.
constexpr std::array<std::string_view, 10> kRunners{"conda",  "mamba",  "micromamba", "uv",        "poetry",
                                                    "pipenv", "docker", "podman",     "apptainer", "singularity"};
// Start a shell by themselves: "su user -c".
constexpr std::array<std::string_view, 4> kWithScript{"su", "runuser", "script", "flock"};
// Give a shell the one word that is a command line.
constexpr std::array<std::string_view, 3> kWithLine{"parallel", "ssh", "tmux"};
// Start it and do not wait, whatever their options.
constexpr std::array<std::string_view, 2> kDetaching{"daemonize", "daemon"};
constexpr std::size_t kDeepestStarters = 8;  // starters such as "env -S" and "find -exec" that hold another

bool has_any(const Words& words, std::initializer_list<std::string_view> which) {
  return std::ranges::any_of(words, [&](const std::string& word) { return is_one_of(word, which); });
}

// A letter among those of "-qec".
bool has_letter(const Words& words, char letter) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.find(letter) != std::string::npos;
  });
}

// The words from `begin` to before `end`.
Words between(const Words& words, std::size_t begin, std::size_t end) {
  const auto at = [&](std::size_t index) {
    return words.begin() + static_cast<std::ptrdiff_t>(std::min(index, words.size()));
  };
  return {at(begin), at(end)};
}
Words behind(const Words& words, std::size_t at) {
  return between(words, at, words.size());
}

bool is_starter(const Words& words, std::size_t at) {
  const std::string_view name = base_name(words[at]);
  if (is_one_of(name, kRunners)) return at + 1 < words.size() && (words[at + 1] == "run" || words[at + 1] == "exec");
  return is_one_of(name, kStarters);
}

// True for a program whose arguments are its own words.
bool starts_trainer(std::string_view word) {
  return word.starts_with("python") || word.ends_with(".py") || word == "torchrun" || word == "accelerate";
}

// The starter's own words: up to the option that holds a script, or to the command.
bool hides(std::string_view name, const Words& own) {
  if (is_one_of(name, kDetaching)) return true;
  if (name == "setsid") return (has_letter(own, 'f') || has_any(own, {"--fork"})) && !has_any(own, {"-w", "--wait"});
  if (is_one_of(name, std::array{"tmux", "screen", "docker", "podman"}))
    return has_letter(own, 'd') || has_any(own, {"--detach"});
  if (name == "systemd-run") return !has_any(own, {"--wait", "--scope", "-P", "-t", "--pty", "--pipe"});
  if (name == "script") return !has_letter(own, 'e') && !has_any(own, {"--return"});
  return false;
}

// "-c TEXT", "--command TEXT", "--command=TEXT", also the last letter of several.
std::optional<ShellCall> script_behind_option(const Words& words, std::size_t at) {
  const std::string_view name = base_name(words[at]);
  for (std::size_t i = at + 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (is_one_of(base_name(word), kShells) || starts_trainer(base_name(word))) return std::nullopt;
    const bool is_option =
        word == "--command" || (word.size() > 1 && word[0] == '-' && word[1] != '-' && word.back() == 'c');
    const bool is_one = word.starts_with("--command=");
    if (!is_one && (!is_option || i + 1 >= words.size())) continue;
    const Words own = between(words, at + 1, i + 1);
    return ShellCall{.text = is_one ? word.substr(word.find('=') + 1) : words[i + 1],
                     .word = is_one ? i : i + 1,
                     .hides_code = hides(name, own)};
  }
  return std::nullopt;
}

// `at`: the word behind the shell's name.
ShellCall call_of_shell(const Words& words, std::size_t at) {
  ShellCall call{.from = ShellCall::From::Input};
  bool has_script = false, reads_input = false;
  for (; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word.size() < 2 || (word[0] != '-' && word[0] != '+')) break;
    if (word == "--") {
      ++at;
      break;
    }
    if (word.starts_with("--")) continue;
    for (const char letter : std::string_view(word).substr(1)) {
      has_script = has_script || letter == 'c';
      reads_input = reads_input || letter == 's';
      call.errexit = call.errexit || (letter == 'e' && word[0] == '-');
      if (letter != 'o' || at + 1 >= words.size()) continue;
      ++at;
      call.pipefail = call.pipefail || words[at] == "pipefail";
      call.errexit = call.errexit || words[at] == "errexit";
      break;
    }
  }
  if (at >= words.size() || reads_input || words[at] == "-") return call;
  call.from = has_script ? ShellCall::From::Text : ShellCall::From::File;
  call.text = words[at];
  call.word = at;
  return call;
}

ShellCall call_of_eval(const Words& words) {
  ShellCall call{.word = 1, .in_place = true};
  for (std::size_t i = 1; i < words.size(); ++i) call.text += (i > 1 ? " " : "") + words[i];
  return call;
}

// "-exec WORDS ;" and "-exec WORDS +".
struct Found {
  std::size_t at = 0;
  Words words;
  bool hides_code = false;
};
std::optional<Found> executed_by_find(const Words& words) {
  const auto is_exec = [](const std::string& word) { return is_one_of(word, std::array{"-exec", "-execdir", "-ok"}); };
  const auto begin = std::ranges::find_if(words, is_exec);
  if (begin == words.end()) return std::nullopt;
  const auto end = std::find_if(begin, words.end(), [](const auto& word) { return word == ";" || word == "+"; });
  return Found{.at = static_cast<std::size_t>(begin - words.begin()) + 1,
               .words = {std::next(begin), end},
               .hides_code = end == words.end() || *end == ";"};
}

// "-S TEXT", "--split-string=TEXT": words, not a script.
std::optional<Found> split_by_env(const Words& words, std::size_t at) {
  for (std::size_t i = at; i < words.size(); ++i) {
    const bool is_option = words[i] == "-S" || words[i] == "--split-string" || words[i] == "-vS";
    const bool is_one = words[i].starts_with("--split-string=") || (words[i].starts_with("-S") && words[i].size() > 2);
    if (!is_one && (!is_option || i + 1 >= words.size())) continue;
    std::string text =
        is_option ? words[i + 1] : words[i].substr(words[i].starts_with("-S") ? 2 : words[i].find('=') + 1);
    const auto tokens = tokens_of(text);
    if (!tokens) return std::nullopt;
    Found found{.at = is_option ? i + 1 : i, .words = {}};
    for (const Token& token : *tokens) found.words.push_back(without_quotes(token.text));
    for (const std::string& word : behind(words, is_option ? i + 2 : i + 1)) found.words.push_back(word);
    return found;
  }
  return std::nullopt;
}

std::optional<ShellCall> call_within(const Words& words, std::size_t depth);

std::optional<ShellCall> call_of(const std::optional<Found>& found, std::size_t depth) {
  if (!found || depth >= kDeepestStarters) return std::nullopt;
  auto call = call_within(found->words, depth + 1);
  if (!call) return std::nullopt;
  call->word = found->at;
  call->hides_code = call->hides_code || found->hides_code;
  return call;
}

// The shell call that the word at `at` makes of the words behind it. `starter`: the name of the command that starts it.
std::optional<ShellCall> call_at(const Words& words, std::size_t at, std::string_view starter, std::size_t depth) {
  const std::string_view name = base_name(words[at]);
  if (is_one_of(name, kShells)) return call_of_shell(words, at + 1);
  if (is_one_of(name, kWithScript)) return script_behind_option(words, at);
  if (name == "env") return call_of(split_by_env(words, at + 1), depth);
  if (name == "find") {
    auto call = call_of(executed_by_find(behind(words, at)), depth);
    if (call) call->word += at;
    return call;
  }
  if (is_one_of(starter, kWithLine) && words[at].find(' ') != std::string::npos)
    return ShellCall{.text = words[at], .word = at};
  return std::nullopt;
}

std::optional<ShellCall> call_within(const Words& words, std::size_t depth) {
  if (words.empty()) return std::nullopt;
  if (words[0] == "eval") return call_of_eval(words);
  if ((words[0] == "source" || words[0] == ".") && words.size() > 1)
    return ShellCall{.from = ShellCall::From::File, .text = words[1], .word = 1, .in_place = true};
  bool is_started = false, loses_code = false;
  std::size_t starter = 0;
  for (std::size_t at = 0; at < words.size() && !words[at].starts_with(":::"); ++at) {
    const std::string_view by = is_started ? base_name(words[starter]) : std::string_view();
    auto call = call_at(words, at, by, depth);
    const bool starts = is_starter(words, at);
    if (is_started && (call || starts)) loses_code = loses_code || hides(by, between(words, starter + 1, at));
    if (call) {
      call->hides_code = call->hides_code || loses_code;
      return call;
    }
    if (starts) starter = at;
    is_started = is_started || starts;
    const bool passes = is_started || words[at].find('=') != std::string::npos;
    if (!passes || starts_trainer(base_name(words[at]))) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string without_quotes(std::string_view word) {
  std::string text;
  char quote = '\0';
  for (std::size_t at = 0; at < word.size(); ++at) {
    const char c = word[at];
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else if (c == '\\' && quote != '\'' && at + 1 < word.size()) {
      text += word[++at];
    } else {
      text += c;
    }
  }
  return text;
}

std::optional<ShellCall> shell_call(const Words& words) {
  return call_within(words, 0);
}

bool hides_code(const Words& words) {
  if (!words.empty() && base_name(words[0]) == "find") {
    const auto found = executed_by_find(words);
    return found && (found->hides_code || hides_code(found->words));
  }
  for (std::size_t at = 0; at < words.size() && is_starter(words, at);) {
    std::size_t end = at + 1;
    while (end < words.size() && !is_starter(words, end) && !starts_trainer(base_name(words[end]))) ++end;
    if (hides(base_name(words[at]), between(words, at + 1, end))) return true;
    at = end;
  }
  return false;
}

Words without_starters(const Words& words) {
  if (!words.empty() && base_name(words[0]) == "find") {
    const auto found = executed_by_find(words);
    return found ? without_starters(found->words) : words;
  }
  std::size_t at = 0;
  bool is_started = false;
  for (; at < words.size(); ++at) {
    const std::string& word = words[at];
    const bool starts = is_starter(words, at);
    const bool is_own = is_started && (word.starts_with("-") || (word[0] >= '0' && word[0] <= '9'));
    if (!starts && !is_own && word.find('=') == std::string::npos) break;
    is_started = is_started || starts;
  }
  return behind(words, at);
}

}  // namespace reprise::apps::lint::shell
