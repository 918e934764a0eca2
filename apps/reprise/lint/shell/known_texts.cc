#include "apps/reprise/lint/shell/known_texts.h"

#include <algorithm>

#include "apps/reprise/lint/shell/characters.h"

namespace reprise::apps::lint::shell {
namespace {

std::string_view without_dot(std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  return name;
}

// "\n" as printf writes it.
std::string with_line_ends(std::string_view text) {
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_end = text.substr(at, 2) == "\\n";
    made += is_end ? '\n' : text[at];
    at += is_end ? 1 : 0;
  }
  return made;
}

// The name in "$NAME" or "${NAME}" at `at`; its end in `end`.
std::string_view name_at(std::string_view text, std::size_t at, std::size_t& end) {
  const bool in_braces = text.substr(at + 1, 1) == "{";
  const std::size_t begin = at + (in_braces ? 2 : 1);
  end = begin;
  while (end < text.size() && is_name_character(text[end])) ++end;
  const std::string_view name = text.substr(begin, end - begin);
  if (!in_braces) return name;
  if (text.substr(end, 1) != "}") return {};
  ++end;
  return name;
}

}  // namespace

void KnownTexts::learn(const Command& command) {
  for (const std::string& word : command.words) {
    const std::size_t equals = word.find('=');
    const std::string_view name = std::string_view(word).substr(0, equals);
    if (equals == std::string::npos || name.empty() || !std::ranges::all_of(name, is_name_character)) continue;
    const std::string_view value = std::string_view(word).substr(equals + 1);
    // A value found only while the script runs is not known here, nor is an array.
    const bool is_text =
        value.find("$(") == std::string::npos && value.find('`') == std::string::npos && !value.starts_with("(");
    values_[std::string(name)] = is_text ? with_values(without_quotes(value)) : std::string();
    if (!is_text) values_.erase(std::string(name));
  }
  const auto text = printed_by(command);
  if (!text) return;
  std::string name = command.output;
  if (command.words.size() > 1 && command.words.front() == "tee") name = without_quotes(command.words.back());
  if (!name.empty()) files_.insert_or_assign(std::string(without_dot(with_values(name))), *text);
}

std::string KnownTexts::with_values(std::string_view text) const {
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = at;
    const std::string_view name = text[at] == '$' ? name_at(text, at, end) : std::string_view();
    const auto value = values_.find(name);
    if (name.empty() || value == values_.end()) {
      made += text[at];
      continue;
    }
    made += value->second;
    at = end - 1;
  }
  return made;
}

std::optional<std::string> KnownTexts::file(std::string_view name) const {
  const auto found = files_.find(without_dot(with_values(name)));
  return found == files_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> KnownTexts::printed_by(const Command& command) const {
  if (command.words.empty()) return std::nullopt;
  const std::string name = without_quotes(command.words.front());
  if (name == "cat" || name == "tee") {
    const bool reads_files = name == "cat" && std::ranges::any_of(command.words.begin() + 1, command.words.end(),
                                                                  [](const auto& word) { return word[0] != '-'; });
    return reads_files ? std::nullopt : command.input;
  }
  if (name != "echo" && name != "printf") return std::nullopt;
  std::string text;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& written = command.words[i];
    if (text.empty() && (written == "-e" || written == "-n" || written == "%s" || written == "'%s\\n'")) continue;
    text += text.empty() ? "" : " ";
    text += written.starts_with('\'') ? without_quotes(written) : with_values(without_quotes(written));
  }
  return with_line_ends(text) + "\n";
}

}  // namespace reprise::apps::lint::shell
