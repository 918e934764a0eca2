#include "apps/reprise/lint/shell/script.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apps/reprise/lint/shell/tokens.h"

namespace reprise::apps::lint::shell {
namespace {

constexpr int kDeepestNesting = 50;  // of what stands in each other

constexpr std::array<std::string_view, 7> kShells{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"};
// Start what comes behind them, and end as it does.
constexpr std::array<std::string_view, 10> kStarters{"tini",    "dumb-init", "env",    "nice",   "catatonit",
                                                     "busybox", "nohup",     "setsid", "stdbuf", "ionice"};
// The same, with words of their own in between that are no options: "timeout 7d", "gosu user", "conda run -n x".
constexpr std::array<std::string_view, 17> kStartersWithWords{
    "timeout", "gosu",  "su-exec", "setpriv",    "sudo",   "chroot", "taskset",  "numactl", "chrt",
    "uv",      "conda", "mamba",   "micromamba", "poetry", "pipenv", "xvfb-run", "flock"};
constexpr std::array<std::string_view, 2> kWithScript{"su", "runuser"};  // start a shell by themselves: "su user -c"

bool is_one_of(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

class Parser {
 public:
  Parser(const std::vector<Token>& tokens, int depth) : tokens_(tokens), depth_(depth) {}

  std::optional<List> whole() {
    List list = list_until({});
    if (!sound_ || at_ < tokens_.size()) return std::nullopt;
    return list;
  }

 private:
  using Ends = std::vector<std::string_view>;

  [[nodiscard]] bool is_operator(std::string_view text) const {
    return at_ < tokens_.size() && !tokens_[at_].is_word && tokens_[at_].text == text;
  }
  [[nodiscard]] bool is_word(std::string_view text) const {
    return at_ < tokens_.size() && tokens_[at_].is_word && tokens_[at_].text == text;
  }
  bool take_word(std::string_view text) {
    const bool there = is_word(text);
    if (there) ++at_;
    return there;
  }
  void expect_word(std::string_view text) { sound_ = take_word(text) && sound_; }
  void skip_lines() {
    while (is_operator(";")) ++at_;
  }
  [[nodiscard]] bool at_end(const Ends& ends) const {
    if (at_ >= tokens_.size() || is_operator(")")) return true;
    return std::ranges::any_of(ends, [&](std::string_view end) { return is_word(end); });
  }

  List list_until(const Ends& ends) {
    List list;
    if (++depth_ > kDeepestNesting) sound_ = false;
    for (skip_lines(); sound_ && !at_end(ends); skip_lines()) {
      AndOr and_or = and_or_list();
      if (is_operator("&")) {
        and_or.in_background = true;
        ++at_;
      } else if (!is_operator(";") && !at_end(ends)) {
        sound_ = false;
      }
      list.push_back(std::move(and_or));
    }
    --depth_;
    return list;
  }

  AndOr and_or_list() {
    AndOr made;
    bool and_then = true;
    while (sound_) {
      made.pipelines.emplace_back(and_then, pipeline());
      if (!is_operator("&&") && !is_operator("||")) break;
      and_then = is_operator("&&");
      ++at_;
      skip_lines();
    }
    return made;
  }

  Pipeline pipeline() {
    Pipeline made;
    while (take_word("!")) made.negated = !made.negated;
    static_cast<void>(take_word("time"));
    while (sound_) {
      made.parts.push_back(command());
      if (!is_operator("|")) break;
      ++at_;
      skip_lines();
    }
    return made;
  }

  Command command() {
    Command made;
    if (is_operator("(")) {
      ++at_;
      made.kind = Command::Kind::Subshell;
      made.body = list_until({});
      sound_ = sound_ && is_operator(")");
      ++at_;
    } else if (take_word("{")) {
      made.kind = Command::Kind::Group;
      made.body = list_until({"}"});
      expect_word("}");
    } else if (take_word("if")) {
      made = if_command();
    } else if (is_word("while") || is_word("until")) {
      made.kind = is_word("while") ? Command::Kind::While : Command::Kind::Until;
      ++at_;
      made.condition = list_until({"do"});
      loop_body(made);
    } else if (take_word("for")) {
      made = for_command();
    } else if (is_word("case") || is_word("select") || is_word("function") || is_word("coproc")) {
      sound_ = false;
    } else {
      made = simple_command();
    }
    return made;
  }

  void loop_body(Command& made) {
    expect_word("do");
    made.body = list_until({"done"});
    expect_word("done");
  }

  Command if_command() {
    Command made;
    made.kind = Command::Kind::If;
    made.condition = list_until({"then"});
    expect_word("then");
    made.body = list_until({"elif", "else", "fi"});
    if (take_word("elif")) {
      AndOr other;
      Pipeline one;
      one.parts.push_back(if_command());
      other.pipelines.emplace_back(true, std::move(one));
      made.otherwise.push_back(std::move(other));
      return made;  // its fi is taken
    }
    if (take_word("else")) made.otherwise = list_until({"fi"});
    expect_word("fi");
    return made;
  }

  Command for_command() {
    Command made;
    made.kind = Command::Kind::For;
    sound_ = sound_ && at_ < tokens_.size() && tokens_[at_].is_word;
    if (sound_) made.variable = tokens_[at_++].text;
    if (take_word("in"))
      while (at_ < tokens_.size() && tokens_[at_].is_word) made.words.push_back(tokens_[at_++].text);
    skip_lines();
    loop_body(made);
    return made;
  }

  Command simple_command() {
    Command made;
    while (at_ < tokens_.size() && tokens_[at_].is_word) made.words.push_back(tokens_[at_++].text);
    if (made.words.size() == 1 && is_operator("(")) {
      ++at_;
      sound_ = sound_ && is_operator(")");
      ++at_;
      skip_lines();
      made.kind = Command::Kind::Function;
      if (sound_) {
        AndOr only;
        only.pipelines.emplace_back(true, Pipeline{.negated = false, .parts = {command()}});
        made.body.push_back(std::move(only));
      }
      return made;
    }
    if (is_operator("(")) sound_ = false;
    add_nested(made);
    return made;
  }

  void add_nested(Command& made) {
    std::vector<std::string> plain;
    for (const std::string& word : made.words) plain.push_back(without_quotes(word));
    if (!plain.empty() && plain.front() == "exec") plain.erase(plain.begin());
    const auto call = shell_call(plain);
    if (!call) return;
    const auto tokens = tokens_of(plain[call->script]);
    auto script = tokens ? Parser(*tokens, depth_ + 1).whole() : std::nullopt;
    if (!script) {
      sound_ = false;
      return;
    }
    made.nested = std::make_shared<const Nested>(
        Nested{.script = *std::move(script), .errexit = call->errexit, .pipefail = call->pipefail});
  }

  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool sound_ = true;
};

// Of "su user -c 'a script'".
std::optional<ShellCall> script_behind_option(const std::vector<std::string>& words, std::size_t at) {
  const auto option = std::find_if(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(),
                                   [](const std::string& each) { return each == "-c" || each == "--command"; });
  if (option == words.end() || std::next(option) == words.end()) return std::nullopt;
  ShellCall call;
  call.script = static_cast<std::size_t>(std::next(option) - words.begin());
  return call;
}

// What is behind it are its own words.
bool starts_trainer(std::string_view word) {
  return word.starts_with("python") || word.ends_with(".py") || word == "torchrun" || word == "accelerate";
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

std::optional<ShellCall> shell_call(const std::vector<std::string>& words) {
  std::size_t at = 0;
  bool may_have_words = false;
  while (at < words.size() && !is_one_of(base_name(words[at]), kShells)) {
    const std::string_view word = base_name(words[at]);
    if (is_one_of(word, kWithScript)) return script_behind_option(words, at);
    may_have_words = may_have_words || is_one_of(word, kStartersWithWords);
    const bool passes = is_one_of(word, kStarters) || may_have_words || words[at].starts_with("-") ||
                        words[at].find('=') != std::string::npos;
    if (!passes || starts_trainer(word)) return std::nullopt;
    ++at;
  }
  ShellCall call;
  bool has_script = false;
  for (++at; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word.size() < 2 || (word[0] != '-' && word[0] != '+')) break;
    if (word == "--") {
      ++at;
      break;
    }
    if (word.starts_with("--")) continue;
    for (const char letter : std::string_view(word).substr(1)) {
      has_script = has_script || letter == 'c';
      call.errexit = call.errexit || (letter == 'e' && word[0] == '-');
      if (letter != 'o' || at + 1 >= words.size()) continue;
      ++at;
      call.pipefail = call.pipefail || words[at] == "pipefail";
      call.errexit = call.errexit || words[at] == "errexit";
      break;
    }
  }
  if (!has_script || at >= words.size()) return std::nullopt;
  call.script = at;
  return call;
}

std::optional<List> parse_script(std::string_view text) {
  const auto tokens = tokens_of(text);
  return tokens ? Parser(*tokens, 0).whole() : std::nullopt;
}

}  // namespace reprise::apps::lint::shell
