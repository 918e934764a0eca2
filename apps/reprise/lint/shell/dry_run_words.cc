// The meaning of the words of a command while it runs: variables, quotes, and the findings of "[".
#include "apps/reprise/lint/shell/characters.h"
#include "apps/reprise/lint/shell/dry_run.h"

namespace reprise::apps::lint::shell {

std::optional<std::string> DryRun::value_of(std::string_view name) const {
  if (name == "?") return std::to_string(status_);
  if (name == "!") return jobs_.empty() ? std::nullopt : std::optional("job:" + std::to_string(jobs_.size()));
  if (name.starts_with("PIPESTATUS[") && name.ends_with("]")) {
    const auto index = number_in(name.substr(11, name.size() - 12));
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= pipe_status_.size()) return std::nullopt;
    return std::to_string(pipe_status_[static_cast<std::size_t>(*index)]);
  }
  if (name.starts_with("pipestatus[") && name.ends_with("]")) {  // zsh counts from 1
    const auto index = number_in(name.substr(11, name.size() - 12));
    if (!index || *index < 1 || static_cast<std::size_t>(*index) > pipe_status_.size()) return std::nullopt;
    return std::to_string(pipe_status_[static_cast<std::size_t>(*index) - 1]);
  }
  if (name == "PIPESTATUS") return std::to_string(pipe_status_.front());
  const auto found = variables_.find(name.substr(0, name.find(':')));
  return found == variables_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> DryRun::expanded(std::string_view word) const {
  std::string text;
  char quote = '\0';
  for (std::size_t at = 0; at < word.size(); ++at) {
    const char c = word[at];
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote && quote != '\0') {
      quote = '\0';
    } else if (c == '`' && quote != '\'') {
      return std::nullopt;
    } else if (c == '\\' && quote != '\'' && at + 1 < word.size()) {
      text += word[++at];
    } else if (c == '$' && quote != '\'' && at + 1 < word.size()) {
      std::size_t end = at + 1;
      std::string_view name;
      if (word[end] == '(') return std::nullopt;
      if (word[end] == '{') {
        const std::size_t close = word.find('}', end);
        if (close == std::string_view::npos) return std::nullopt;
        name = word.substr(end + 1, close - end - 1);
        end = close;
      } else {
        while (end < word.size() && is_name_character(word[end])) ++end;
        if (end > at + 1) --end;  // the last of the name; "$?" has one of another kind
        name = word.substr(at + 1, end - at);
      }
      const auto value = value_of(name);
      if (!value) return std::nullopt;
      text += *value;
      at = end;
    } else {
      text += c;
    }
  }
  return text;
}

std::optional<bool> DryRun::test(const std::vector<std::string>& words) const {
  std::vector<std::string> terms;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto term = expanded(words[i]);
    if (!term) return std::nullopt;
    if (*term != "]" && *term != "]]") terms.push_back(*term);
  }
  if (terms.size() != 3) return std::nullopt;
  const std::string& how = terms[1];
  if (how == "=" || how == "==") return terms[0] == terms[2];
  if (how == "!=") return terms[0] != terms[2];
  const auto left = number_in(terms[0]), right = number_in(terms[2]);
  if (!left || !right) return std::nullopt;
  if (how == "-eq") return *left == *right;
  if (how == "-ne") return *left != *right;
  if (how == "-gt") return *left > *right;
  if (how == "-ge") return *left >= *right;
  if (how == "-lt") return *left < *right;
  if (how == "-le") return *left <= *right;
  return std::nullopt;
}

}  // namespace reprise::apps::lint::shell
