#include "apps/reprise/lint/shell/script.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apps/reprise/lint/shell/known_texts.h"
#include "apps/reprise/lint/shell/tokens.h"

namespace reprise::apps::lint::shell {
namespace {

constexpr int kDeepestNesting = 50;  // levels of scripts in scripts
constexpr int kMostScripts = 500;    // in words, documents and files of one script

// Shared by all parts of a script.
struct Shared {
  KnownTexts texts = {};
  int scripts_left = kMostScripts;
};

class Parser {
 public:
  Parser(const std::vector<Token>& tokens, Shared& shared, int depth)
      : tokens_(tokens), shared_(shared), texts_(shared.texts), depth_(depth) {}

  std::optional<List> whole() {
    List list = list_until({});
    if (!sound_ || at_ < tokens_.size()) return std::nullopt;
    return list;
  }

 private:
  using Ends = std::vector<std::string_view>;
  using Kind = Token::Kind;

  [[nodiscard]] bool is_a(Kind kind) const { return at_ < tokens_.size() && tokens_[at_].kind == kind; }
  [[nodiscard]] bool is_operator(std::string_view text) const {
    return is_a(Kind::Operator) && tokens_[at_].text == text;
  }
  [[nodiscard]] bool is_word(std::string_view text) const { return is_a(Kind::Word) && tokens_[at_].text == text; }
  bool take_word(std::string_view text) {
    const bool there = is_word(text);
    if (there) ++at_;
    return there;
  }
  bool take_operator(std::string_view text) {
    const bool there = is_operator(text);
    if (there) ++at_;
    return there;
  }
  void expect_word(std::string_view text) { sound_ = take_word(text) && sound_; }
  void expect_operator(std::string_view text) { sound_ = take_operator(text) && sound_; }
  std::string any_word() {
    sound_ = sound_ && is_a(Kind::Word);
    return sound_ ? tokens_[at_++].text : std::string();
  }
  void skip_lines() {
    while (is_operator(";")) ++at_;
  }
  [[nodiscard]] bool at_end(const Ends& ends) const {
    if (at_ >= tokens_.size() || is_operator(")") || ends_arm()) return true;
    return std::ranges::any_of(ends, [&](std::string_view end) { return is_word(end); });
  }
  [[nodiscard]] bool ends_arm() const { return is_operator(";;") || is_operator(";&") || is_operator(";;&"); }

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

  static List list_of(Command command) {
    AndOr only;
    only.pipelines.emplace_back(true, Pipeline{});
    only.pipelines.front().pipeline.parts.push_back(std::move(command));
    List list;
    list.push_back(std::move(only));
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
    if (take_word("time")) static_cast<void>(take_word("-p"));
    std::optional<std::string> piped;
    while (sound_) {
      made.parts.push_back(command(piped));
      if (!take_operator("|")) break;
      piped = texts_.printed_by(made.parts.back());
      skip_lines();
    }
    return made;
  }

  // `piped`: its input, if known.
  Command command(const std::optional<std::string>& piped) {
    Command made;
    if (take_operator("(")) {
      made.kind = Command::Kind::Subshell;
      made.body = list_until({});
      expect_operator(")");
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
    } else if (take_word("case")) {
      made = case_command();
    } else if (take_word("function")) {
      const std::string name = any_word();
      if (take_operator("(")) expect_operator(")");
      return function(name);
    } else if (take_word("coproc")) {
      return coprocess();
    } else if (is_word("select")) {
      sound_ = false;
    } else {
      return simple_command(piped);
    }
    while (is_a(Kind::Redirection)) redirect(made);
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
      made.otherwise = list_of(if_command());
      return made;  // its fi is taken
    }
    if (take_word("else")) made.otherwise = list_until({"fi"});
    expect_word("fi");
    return made;
  }

  Command for_command() {
    Command made;
    made.kind = Command::Kind::For;
    made.variable = any_word();
    if (made.variable == "((") {  // nobody counts here: several rounds
      static_cast<void>(any_word());
      made.words = {"$((", "$((", "$(("};
    }
    skip_lines();
    if (take_word("in"))
      while (is_a(Kind::Word)) made.words.push_back(tokens_[at_++].text);
    skip_lines();
    loop_body(made);
    return made;
  }

  Command case_command() {
    Command made;
    made.kind = Command::Kind::Case;
    made.words.push_back(any_word());
    skip_lines();
    expect_word("in");
    for (skip_lines(); sound_ && !is_word("esac"); skip_lines()) {
      Arm arm;
      static_cast<void>(take_operator("("));
      do arm.patterns.push_back(any_word());
      while (sound_ && take_operator("|"));
      expect_operator(")");
      arm.body = list_until({"esac"});
      if (is_operator(";&")) arm.after = Arm::After::FallsThrough;
      if (is_operator(";;&")) arm.after = Arm::After::TestsOn;
      sound_ = sound_ && (ends_arm() || is_word("esac"));
      if (ends_arm()) ++at_;
      made.arms.push_back(std::move(arm));
    }
    expect_word("esac");
    return made;
  }

  Command function(const std::string& name) {
    Command made;
    made.kind = Command::Kind::Function;
    made.words = {name};
    skip_lines();
    if (++depth_ > kDeepestNesting) sound_ = false;
    if (sound_) made.body = list_of(command({}));
    --depth_;
    return made;
  }

  // A name stands before a compound command alone.
  Command coprocess() {
    Command made;
    made.kind = Command::Kind::Coprocess;
    made.variable = "COPROC";
    const bool has_name = is_a(Kind::Word) && at_ + 1 < tokens_.size() && !is_word("{") &&
                          (tokens_[at_ + 1].text == "{" || tokens_[at_ + 1].text == "(");
    if (has_name) made.variable = any_word();
    if (++depth_ > kDeepestNesting) sound_ = false;
    if (sound_) made.body = list_of(command({}));
    --depth_;
    return made;
  }

  Command simple_command(const std::optional<std::string>& piped) {
    Command made;
    made.input = piped;
    while (is_a(Kind::Word) || is_a(Kind::Redirection)) {
      if (is_a(Kind::Word))
        made.words.push_back(tokens_[at_++].text);
      else
        redirect(made);
    }
    if (made.words.size() == 1 && take_operator("(")) {
      expect_operator(")");
      return function(made.words.front());
    }
    if (is_operator("(")) sound_ = false;
    for (const std::string& word : made.words)
      for (const std::string& script : substitutions_in(word)) add_aside(made.substituted, script);
    add_nested(made);
    texts_.learn(made);
    return made;
  }

  void redirect(Command& made) {
    const Token& token = tokens_[at_++];
    if (token.text == "<<") made.input = token.target;
    if (token.text == "<<<") made.input = texts_.with_values(without_quotes(token.target));
    if (token.text == "<") made.input = texts_.file(without_quotes(token.target));
    if (token.text == ">" && token.target.starts_with("/dev/")) return;
    if (token.text == ">") made.output = without_quotes(token.target);
    if (token.text == "<(" || token.text == ">(") add_aside(made.beside, token.target);
  }

  // Adds the script; when it is not understood, the rest of the command is all the same.
  void add_aside(std::vector<std::shared_ptr<const Nested>>& where, std::string_view script) {
    if (auto list = parsed(script)) where.push_back(std::make_shared<const Nested>(Nested{.script = *std::move(list)}));
  }

  [[nodiscard]] std::optional<List> parsed(std::string_view script) {
    if (depth_ >= kDeepestNesting || --shared_.scripts_left < 0) return std::nullopt;
    const auto tokens = tokens_of(script);
    return tokens ? Parser(*tokens, shared_, depth_ + 1).whole() : std::nullopt;
  }

  // A script that another command prints: "$(cat <<EOF ... )".
  [[nodiscard]] std::optional<std::string> printed(std::string_view word) {
    const auto scripts = substitutions_in(word);
    const auto list = scripts.size() == 1 ? parsed(scripts.front()) : std::nullopt;
    if (!list || list->size() != 1 || list->front().pipelines.size() != 1) return std::nullopt;
    const auto& parts = list->front().pipelines.front().pipeline.parts;
    return parts.size() == 1 ? texts_.printed_by(parts.front()) : std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> script_of(const Command& made, const ShellCall& call) {
    switch (call.from) {
      case ShellCall::From::Input:
        return made.input;
      case ShellCall::From::File:
        return texts_.file(call.text);
      case ShellCall::From::Text:
        break;
    }
    if (call.text.starts_with("$(") || call.text.starts_with("`")) return printed(made.words[call.word]);
    return call.in_place || call.text.starts_with("$") ? texts_.with_values(call.text) : call.text;
  }

  void add_nested(Command& made) {
    Words plain;
    for (const std::string& word : made.words) plain.push_back(without_quotes(word));
    auto call = shell_call(plain);
    const Words started = without_starters(plain);
    if (!call && !started.empty() && texts_.file(started.front()))
      call = ShellCall{.from = ShellCall::From::File, .text = started.front()};
    const auto text = call ? script_of(made, *call) : std::nullopt;
    if (!text) return;
    auto script = parsed(*text);
    if (!script) {
      sound_ = false;
      return;
    }
    const std::string first_line = text->substr(0, text->find('\n'));
    const bool stops =
        call->from == ShellCall::From::File && first_line.starts_with("#!") && first_line.ends_with(" -e");
    made.nested = std::make_shared<const Nested>(Nested{.script = *std::move(script),
                                                        .errexit = call->errexit || stops,
                                                        .pipefail = call->pipefail,
                                                        .in_place = call->in_place,
                                                        .hides_code = call->hides_code});
  }

  const std::vector<Token>& tokens_;
  Shared& shared_;
  KnownTexts& texts_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool sound_ = true;
};

}  // namespace

std::optional<List> parse_script(std::string_view text) {
  const auto tokens = tokens_of(text);
  Shared shared;
  return tokens ? Parser(*tokens, shared, 0).whole() : std::nullopt;
}

}  // namespace reprise::apps::lint::shell
