#include "agent/formats/verify/said_values.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "agent/json/json.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kBlanks = " \t\r\n", kDecimalDigits = "0123456789";
constexpr std::size_t kMostValues = 48, kMostLines = 32;

bool is_blank(char c) {
  return kBlanks.contains(c);
}

std::size_t past_space(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

bool is_all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDecimalDigits) == std::string_view::npos;
}

bool is_printed(std::string_view text) {
  constexpr unsigned char kFirstPrinted = 0x20;
  return std::ranges::all_of(text,
                             [](char c) { return is_blank(c) || static_cast<unsigned char>(c) >= kFirstPrinted; });
}

// Walks through a text that is known to be JSON.
class JsonWalk {
 public:
  explicit JsonWalk(std::string_view text) : text_(text) {}

  std::vector<SaidValue> run() {
    while (at_ < text_.size()) step();
    return std::move(values_);
  }

 private:
  struct Level {
    std::size_t list = 0;  // 0: an object
    std::string key;
    std::size_t last_end = 0;                     // end of the element before
    std::optional<std::size_t> waits_for_next{};  // the value that is cut up to the next one
  };

  void step() {
    switch (text_[at_]) {
      case '{':
      case '[':
        open(text_[at_++] == '[');
        return;
      case '}':
      case ']':
        ++at_;
        if (!levels_.empty()) levels_.pop_back();
        if (!levels_.empty()) levels_.back().last_end = at_;
        return;
      case '"':
        return take_text();
      default:
        if (is_blank(text_[at_]) || text_[at_] == ',' || text_[at_] == ':')
          ++at_;
        else
          take_word();
    }
  }

  void open(bool is_array) {
    const std::string key = levels_.empty() ? std::string() : levels_.back().key;
    begin_element(at_ - 1);
    levels_.push_back({.list = is_array ? ++lists_ : 0, .key = is_array ? key : std::string()});
    levels_.back().last_end = at_;
  }

  void take_text() {
    const std::size_t begin = ++at_;
    bool has_escapes = false;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') {
        has_escapes = true;
        ++at_;
      }
    const std::size_t end = std::min(at_++, text_.size());
    const std::size_t next = past_space(text_, at_);
    const bool is_key = !levels_.empty() && levels_.back().list == 0 && next < text_.size() && text_[next] == ':';
    if (is_key) {
      levels_.back().key = std::string(text_.substr(begin, end - begin));
      at_ = next + 1;
      return;
    }
    add(begin, end, begin - 1, !has_escapes);
  }

  void take_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && !std::string_view(",]}").contains(text_[at_])) ++at_;
    add(begin, at_, begin, true);
  }

  void begin_element(std::size_t begin) {
    if (levels_.empty() || !levels_.back().waits_for_next) return;
    values_[*levels_.back().waits_for_next].cut_as_first.end = begin;
    levels_.back().waits_for_next.reset();
  }

  // `outside`: where the value begins with its quote.
  void add(std::size_t begin, std::size_t end, std::size_t outside, bool counts) {
    begin_element(outside);
    const std::string_view text = text_.substr(begin, end - begin);
    SaidValue value{.text = std::string(text), .begin = begin, .end = end, .is_number = is_all_digits(text)};
    if (!levels_.empty()) {
      Level& level = levels_.back();
      value.key = level.key;
      value.list = level.list;
      value.cut = {.begin = level.last_end, .end = at_};
      value.cut_as_first = {.begin = outside, .end = at_};
      level.last_end = at_;
      if (counts && level.list != 0) level.waits_for_next = values_.size();
    }
    if (counts) values_.push_back(std::move(value));
  }

  std::string_view text_;
  std::size_t at_ = 0, lists_ = 0;
  std::vector<Level> levels_;
  std::vector<SaidValue> values_;
};

struct Line {
  std::size_t begin = 0, end = 0, next = 0;  // without what stands around it, and where the next one begins
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t newline = std::min(text.find('\n', begin), text.size());
    Line line{.begin = begin, .end = newline, .next = std::min(newline + 1, text.size())};
    while (line.begin < line.end && is_blank(text[line.begin])) ++line.begin;
    while (line.end > line.begin && is_blank(text[line.end - 1])) --line.end;
    if (line.begin < line.end && text[line.begin] != '#') lines.push_back(line);
    begin = newline + 1;
  }
  return lines;
}

// "latest: step_20", "step=20", "checkpoint = 'step_20'"; the whole line may be a name all the same.
std::optional<std::size_t> end_of_key(std::string_view text, const Line& line) {
  constexpr std::string_view kOfKey = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. \"'";
  const std::size_t end = text.find_first_not_of(kOfKey, line.begin);
  const bool is_key = end != std::string_view::npos && end > line.begin && end + 1 < line.end &&
                      (text[end] == ':' || text[end] == '=') && !text.substr(end).starts_with("://");
  return is_key ? std::optional(end) : std::nullopt;
}

class LineWalk {
 public:
  explicit LineWalk(std::string_view text) : text_(text) {}

  std::optional<std::vector<SaidValue>> run() {
    const auto lines = lines_of(text_);
    if (lines.size() > kMostLines) return std::nullopt;
    for (const Line& line : lines) take(line);
    for (SaidValue& each : values_)
      if (each.list != 0 && by_key_[each.key].lines < 2) each.list = 0;
    return std::move(values_);
  }

 private:
  void take(const Line& line) {
    constexpr std::string_view kItem = "- ";
    Line rest = line;
    if (text_.substr(rest.begin, rest.end - rest.begin).starts_with(kItem))
      rest.begin = past_space(text_, rest.begin + kItem.size());
    add(line, rest.begin, rest.end, "");
    if (const auto end = end_of_key(text_, rest))
      return add(line, past_space(text_, *end + 1), rest.end, text_.substr(rest.begin, *end - rest.begin));
    take_words(line, rest);
  }

  // "20 step_20", not "saved step_20 after 3 h".
  void take_words(const Line& line, const Line& rest) {
    constexpr std::string_view kBetween = " \t,;";
    std::vector<std::pair<std::size_t, std::size_t>> words;
    for (std::size_t at = rest.begin; at < rest.end;) {
      const std::size_t begin = std::min(text_.find_first_not_of(kBetween, at), rest.end);
      at = std::min(text_.find_first_of(kBetween, begin), rest.end);
      if (begin < at) words.emplace_back(begin, at);
    }
    const auto may_name = [&](const auto& word) {
      return text_.substr(word.first, word.second - word.first).find_first_of("0123456789/") != std::string_view::npos;
    };
    if (words.size() < 2 || !std::ranges::all_of(words, may_name)) return;
    for (const auto& [begin, end] : words) add(line, begin, end, "");
  }

  void add(const Line& line, std::size_t begin, std::size_t end, std::string_view key) {
    for (const char quote : {'"', '\''})
      if (end - begin >= 2 && text_[begin] == quote && text_[end - 1] == quote) {
        ++begin;
        --end;
        break;
      }
    const std::string_view text = text_.substr(begin, end - begin);
    SaidValue value{.text = std::string(text), .begin = begin, .end = end, .is_number = is_all_digits(text)};
    while (!key.empty() && is_blank(key.back())) key.remove_suffix(1);
    value.key = std::string(key);
    const bool is_alone = (begin <= line.begin + 3 && end + 1 >= line.end) || !key.empty();
    if (is_alone && !value.is_number) {
      const auto [list, is_new] = by_key_.try_emplace(value.key, List{.number = by_key_.size() + 1});
      ++list->second.lines;
      value.list = list->second.number;
      value.cut = value.cut_as_first = {.begin = line.begin, .end = line.next};
    }
    values_.push_back(std::move(value));
  }

  struct List {
    std::size_t number = 0, lines = 0;
  };

  std::string_view text_;
  std::map<std::string, List> by_key_;
  std::vector<SaidValue> values_;
};

// The JSON of a dict that Python's str() has printed, each piece in its place.
std::string json_of_python(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWords{
      {{"'", "\""}, {"True", "true"}, {"False", "false"}, {"None", "null"}}};
  std::string json(text);
  for (const auto& [python, word] : kWords)
    for (std::size_t at = json.find(python); at != std::string::npos; at = json.find(python, at + 1))
      json.replace(at, python.size(), word);
  return json;
}

// "[resume]"
bool begins_with_section(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t end = line.find_last_not_of(kBlanks);
  return line.size() < text.size() && end != std::string_view::npos && line[end] == ']';
}

}  // namespace

std::optional<std::vector<SaidValue>> said_values(std::string_view text) {
  const std::size_t begin = past_space(text, 0);
  if (begin == text.size() || !is_printed(text)) return std::nullopt;
  auto values = std::optional<std::vector<SaidValue>>();
  const std::string as_json = json_of_python(text);
  if (!std::string_view("{[\"").contains(text[begin]))
    values = LineWalk(text).run();
  else if (parse_python_json(text.substr(begin)))
    values = JsonWalk(text).run();
  else if (parse_python_json(std::string_view(as_json).substr(begin)))
    values = JsonWalk(as_json).run();
  else if (begins_with_section(text.substr(begin)))
    values = LineWalk(text).run();
  return values && values->size() <= kMostValues ? std::move(values) : std::nullopt;
}

}  // namespace reprise::agent
