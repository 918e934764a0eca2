#include "apps/reprise/lint/shell/tokens.h"

#include <algorithm>
#include <utility>

#include "apps/reprise/lint/shell/characters.h"

namespace reprise::apps::lint::shell {
namespace {

constexpr std::string_view kEndsWord = " \t\r\n;&|()<>";

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "name=", "name+=", "name[0]=": an array may follow.
bool is_assigned(std::string_view text) {
  if (!text.ends_with('=')) return false;
  text.remove_suffix(1);
  if (text.ends_with('+')) text.remove_suffix(1);
  if (text.ends_with(']')) text = text.substr(0, text.find('['));
  return !text.empty() && std::ranges::all_of(text, is_name_character);
}

// Removes escapes as in a here-document whose end is written without quotes.
std::string without_escapes(std::string_view text) {
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escapes = text[at] == '\\' && at + 1 < text.size();
    if (escapes && text[at + 1] == '\n') {
      ++at;
      continue;
    }
    if (escapes && std::string_view("$`\\").find(text[at + 1]) != std::string_view::npos) ++at;
    made += text[at];
  }
  return made;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::optional<std::vector<Token>> run() {
    while (at_ < text_.size() && sound_) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '\\' && next() == '\n') {
        at_ += 2;
      } else if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '\n') {
        add_operator(";", 1);
        here_documents();
      } else if (c == '<' || c == '>' || (c == '&' && next() == '>')) {
        redirection();
      } else if (c == '(' && next() == '(' && arithmetic()) {
        continue;
      } else if (kEndsWord.find(c) != std::string_view::npos) {
        read_operator();
      } else {
        read_word();
      }
    }
    here_documents();
    if (!sound_) return std::nullopt;
    return std::move(tokens_);
  }

  // The substitutions in a word.
  std::vector<std::string> substitutions() {
    std::vector<std::string> found;
    bool in_double_quotes = false;
    while (at_ < text_.size() && sound_) {
      const char c = text_[at_];
      const std::size_t begin = at_;
      if (c == '"') in_double_quotes = !in_double_quotes;
      if (c == '\'' && !in_double_quotes) {
        skip_to(c);
      } else if (c == '`') {
        skip_to(c);
        if (sound_) found.emplace_back(text_.substr(begin + 1, at_ - begin - 2));
      } else if (c == '$' && next() == '(') {
        ++at_;
        skip_brackets('(', ')');
        const bool is_sum = text_[begin + 2] == '(';
        if (sound_ && !is_sum) found.emplace_back(text_.substr(begin + 2, at_ - begin - 3));
      } else {
        at_ = std::min(at_ + (c == '\\' ? 2U : 1U), text_.size());
      }
    }
    return found;
  }

 private:
  [[nodiscard]] char next(std::size_t by = 1) const { return at_ + by < text_.size() ? text_[at_ + by] : '\0'; }
  void add_operator(std::string_view text, std::size_t length) {
    tokens_.push_back({.kind = Token::Kind::Operator, .text = std::string(text)});
    at_ += length;
  }
  void add_word(std::string text) { tokens_.push_back({.kind = Token::Kind::Word, .text = std::move(text)}); }
  void add_redirection(std::string_view text, std::string target) {
    tokens_.push_back({.kind = Token::Kind::Redirection, .text = std::string(text), .target = std::move(target)});
  }
  void skip_blanks() {
    while (next(0) == ' ' || next(0) == '\t') ++at_;
  }

  void read_operator() {
    const char c = text_[at_];
    if (c == '&' && next() == '&') return add_operator("&&", 2);
    if (c == '|' && next() == '|') return add_operator("||", 2);
    if (c == '|' && next() == '&') return add_operator("|", 2);
    if (c == ';' && next() == ';') return next(2) == '&' ? add_operator(";;&", 3) : add_operator(";;", 2);
    if (c == ';' && next() == '&') return add_operator(";&", 2);
    add_operator(std::string_view(&text_[at_], 1), 1);
  }

  // Reads "((" up to "))". False: they are brackets of two subshells.
  bool arithmetic() {
    const std::size_t begin = at_;
    ++at_;
    skip_brackets('(', ')');
    if (!sound_ || next(0) != ')') {
      at_ = begin;
      sound_ = true;
      return false;
    }
    add_word("((");
    add_word(std::string(text_.substr(begin + 2, at_ - begin - 3)));
    ++at_;
    return true;
  }

  void redirection() {
    const char way = text_[at_] == '&' ? '>' : text_[at_];
    if (way == '<' && next() == '<') return next(2) == '<' ? here_string() : here_document();
    if (next() == '(') return process(way);
    const bool appends = next() == way;
    while (at_ < text_.size() && std::string_view("<>&|").find(text_[at_]) != std::string_view::npos) ++at_;
    skip_blanks();
    if ((next(0) == '<' || next(0) == '>') && next() == '(') return process(next(0));
    const std::string_view text = way == '<' ? "<" : appends ? ">>" : ">";
    add_redirection(text, word());
  }

  // "<(...)", ">(...)".
  void process(char way) {
    ++at_;
    const std::size_t begin = at_;
    skip_brackets('(', ')');
    if (sound_) add_redirection(way == '<' ? "<(" : ">(", std::string(text_.substr(begin + 1, at_ - begin - 2)));
  }

  void here_string() {
    at_ += 3;
    skip_blanks();
    add_redirection("<<<", word());
  }

  // Notes the here-document: its lines come behind the line's end.
  void here_document() {
    at_ += 2;
    const bool without_tabs = next(0) == '-';
    if (without_tabs) ++at_;
    skip_blanks();
    const std::string written = word();
    HereDocument made{.token = tokens_.size(), .end = {}, .is_literal = false, .without_tabs = without_tabs};
    for (const char c : written) {
      const bool quotes = c == '\'' || c == '"' || c == '\\';
      made.is_literal = made.is_literal || quotes;
      if (!quotes) made.end += c;
    }
    sound_ = sound_ && !made.end.empty();
    open_.push_back(std::move(made));
    add_redirection("<<", {});
  }

  void here_documents() {
    for (const HereDocument& each : open_) {
      std::string lines;
      while (at_ < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, end - at_);
        at_ = std::min(end + 1, text_.size());
        while (each.without_tabs && line.starts_with('\t')) line.remove_prefix(1);
        if (line == each.end) break;
        lines.append(line).append("\n");
      }
      tokens_[each.token].target = each.is_literal ? lines : without_escapes(lines);
    }
    open_.clear();
  }

  void read_word() {
    std::string text = word();
    if (is_digits(text) && (next(0) == '<' || next(0) == '>')) return;  // the number of a redirected descriptor
    const bool is_test = text == "[[";
    add_word(std::move(text));
    if (is_test) rest_of_test();
  }

  // Between [[ and ]] operators are words.
  void rest_of_test() {
    while (sound_ && at_ < text_.size()) {
      while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
      const std::size_t begin = at_;
      std::string text = word();
      const bool is_pair = text.empty() && (next(0) == '&' || next(0) == '|') && next() == next(0);
      if (text.empty() && at_ < text_.size()) text = text_.substr(at_, is_pair ? 2 : 1);
      if (at_ == begin) at_ += text.size();
      const bool ends = text == "]]";
      add_word(std::move(text));
      if (ends) return;
    }
    sound_ = false;
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && sound_) {
      const char c = text_[at_];
      if (c == '(' && is_assigned(text_.substr(begin, at_ - begin))) {
        skip_brackets('(', ')');
      } else if (kEndsWord.find(c) != std::string_view::npos) {
        break;
      } else if (c == '\\') {
        at_ = std::min(at_ + 2, text_.size());
      } else if (c == '\'' || c == '`') {
        skip_to(c);
      } else if (c == '"') {
        skip_double_quotes();
      } else if (c == '$' && next() == '(') {
        ++at_;
        skip_brackets('(', ')');
      } else if (c == '$' && next() == '{') {
        ++at_;
        skip_brackets('{', '}');
      } else {
        ++at_;
      }
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  void skip_to(char end) {
    const std::size_t found = text_.find(end, at_ + 1);
    sound_ = found != std::string_view::npos;
    at_ = sound_ ? found + 1 : text_.size();
  }

  void skip_double_quotes() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') {
        at_ = std::min(at_ + 2, text_.size());
      } else if (text_[at_] == '$' && next() == '(') {
        ++at_;
        skip_brackets('(', ')');
      } else {
        ++at_;
      }
    }
    sound_ = sound_ && at_ < text_.size();
    ++at_;
  }

  void skip_brackets(char open, char close) {
    int depth = 0;
    while (at_ < text_.size() && sound_) {
      const char c = text_[at_];
      if (c == '\'') {
        skip_to(c);
        continue;
      }
      if (c == '"') {
        skip_double_quotes();
        continue;
      }
      if (c == open) ++depth;
      if (c == close && --depth == 0) {
        ++at_;
        return;
      }
      at_ = std::min(at_ + (c == '\\' ? 2U : 1U), text_.size());
    }
    sound_ = false;
  }

  struct HereDocument {
    std::size_t token = 0;  // index
    std::string end;
    bool is_literal = false, without_tabs = false;
  };

  std::string_view text_;
  std::size_t at_ = 0;
  bool sound_ = true;
  std::vector<Token> tokens_;
  std::vector<HereDocument> open_;  // their lines are still to come
};

}  // namespace

std::optional<std::vector<Token>> tokens_of(std::string_view text) {
  return Reader(text).run();
}

std::vector<std::string> substitutions_in(std::string_view word) {
  return Reader(word).substitutions();
}

}  // namespace reprise::apps::lint::shell
