// The meaning of the words of a command while it runs: variables and quotes.
#include <algorithm>

#include "apps/reprise/lint/shell/characters.h"
#include "apps/reprise/lint/shell/condition.h"
#include "apps/reprise/lint/shell/dry_run.h"
#include "apps/reprise/lint/shell/tokens.h"

namespace reprise::apps::lint::shell {

namespace {

// The member at `index` of values with blanks between them.
std::optional<std::string> member(std::string_view values, int index) {
  for (; !values.empty(); --index) {
    const std::size_t end = std::min(values.find(' '), values.size());
    if (index == 0) return std::string(values.substr(0, end));
    values.remove_prefix(std::min(end + 1, values.size()));
  }
  return std::nullopt;
}

}  // namespace

// "name", "name[1]", "name[@]", "name:-another", "?", "!".
std::optional<std::string> DryRun::value_of(std::string_view name) const {
  if (name == "?") return std::to_string(status_);
  if (name == "!") return jobs_.empty() ? std::nullopt : std::optional("job:" + std::to_string(jobs_.size()));
  name = name.substr(0, name.find(':'));
  const std::size_t bracket = std::min(name.find('['), name.size());
  const std::string_view array = name.substr(0, bracket), index = name.substr(bracket);
  std::string values;
  const bool counts_from_one = array == "pipestatus";  // zsh's
  if (array == "PIPESTATUS" || counts_from_one) {
    for (const int status : pipe_status_) values += (values.empty() ? "" : " ") + std::to_string(status);
  } else {
    const auto found = variables_.find(array);
    if (found == variables_.end()) return std::nullopt;
    values = found->second;
  }
  if (index == "[@]" || index == "[*]" || (index.empty() && array != "PIPESTATUS")) return values;
  const auto number = index.empty() ? 0 : number_in(index.substr(1, index.size() - 2));
  return number ? member(values, *number - (counts_from_one ? 1 : 0)) : std::nullopt;
}

std::optional<std::string> DryRun::expanded_array(std::string_view text) const {
  const auto tokens = tokens_of(text);
  if (!tokens) return std::nullopt;
  std::string values;
  for (const Token& token : *tokens) {
    const auto value = expanded(token.text);
    if (!value) return std::nullopt;
    values += (values.empty() ? "" : " ") + *value;
  }
  return values;
}

std::optional<int> DryRun::sum(std::string_view text) const {
  return sum_of(text, [this](std::string_view name) { return value_of(name); });
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
      if (word.substr(end, 2) == "((" && word.ends_with("))")) {
        const auto value = sum(word.substr(end + 2, word.size() - end - 4));
        return value ? std::optional(text + std::to_string(*value)) : std::nullopt;
      }
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

}  // namespace reprise::apps::lint::shell
