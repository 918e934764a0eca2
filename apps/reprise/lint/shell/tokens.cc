#include "apps/reprise/lint/shell/tokens.h"

#include <algorithm>
#include <utility>

namespace reprise::apps::lint::shell {
namespace {

constexpr std::string_view kEndsWord = " \t\r\n;&|()<>";

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
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
      } else if (c == '<' || c == '>' || (c == '&' && next() == '>')) {
        redirection();
      } else if (kEndsWord.find(c) != std::string_view::npos) {
        read_operator();
      } else {
        read_word();
      }
    }
    if (!sound_) return std::nullopt;
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char next(std::size_t by = 1) const { return at_ + by < text_.size() ? text_[at_ + by] : '\0'; }
  void add_operator(std::string_view text, std::size_t length) {
    tokens_.push_back({.is_word = false, .text = std::string(text)});
    at_ += length;
  }

  void read_operator() {
    const char c = text_[at_];
    if (c == '&' && next() == '&') return add_operator("&&", 2);
    if (c == '|' && next() == '|') return add_operator("||", 2);
    if (c == '|' && next() == '&') return add_operator("|", 2);
    if (c == ';' && next() == ';') {
      sound_ = false;  // of a case
      return;
    }
    add_operator(std::string_view(&text_[at_], 1), 1);
  }

  // With its target: where the output goes changes no code.
  void redirection() {
    if (text_[at_] == '<' && next() == '<' && next(2) != '<') {
      sound_ = false;
      return;
    }
    while (at_ < text_.size() && std::string_view("<>&|").find(text_[at_]) != std::string_view::npos) ++at_;
    if (at_ < text_.size() && text_[at_] == '(') return skip_brackets('(', ')');
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    if ((next(0) == '<' || next(0) == '>') && next() == '(') {
      ++at_;
      return skip_brackets('(', ')');
    }
    static_cast<void>(word());
  }

  void read_word() {
    std::string text = word();
    if (is_digits(text) && (next(0) == '<' || next(0) == '>')) return;  // the number of what is redirected
    const bool is_test = text == "[[";
    tokens_.push_back({.is_word = true, .text = std::move(text)});
    if (is_test) rest_of_test();
  }

  // Between [[ and ]] operators are words.
  void rest_of_test() {
    while (sound_ && at_ < text_.size()) {
      while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
      std::string text = word();
      if (text.empty() && at_ < text_.size()) text = text_[at_++];
      const bool ends = text == "]]";
      tokens_.push_back({.is_word = true, .text = std::move(text)});
      if (ends) return;
    }
    sound_ = false;
  }

  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && sound_ && kEndsWord.find(text_[at_]) == std::string_view::npos) {
      const char c = text_[at_];
      if (c == '\\') {
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

  std::string_view text_;
  std::size_t at_ = 0;
  bool sound_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::optional<std::vector<Token>> tokens_of(std::string_view text) {
  return Reader(text).run();
}

}  // namespace reprise::apps::lint::shell
