#include "apps/reprise/lint/diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace reprise::apps::lint {
namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kContext = 3;
constexpr std::size_t kMostCells = 16'000'000;

struct Change {
  char sign = ' ';
  std::string_view line;
};

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end == std::string_view::npos ? end : end + 1));
    text.remove_prefix(lines.back().size());
  }
  return lines;
}

// The longest common part of two different stretches; beyond a size all of it is exchanged.
void compare(const Lines& before, const Lines& after, std::vector<Change>& changes) {
  const std::size_t rows = before.size() + 1;
  const std::size_t columns = after.size() + 1;
  const bool small = rows * columns <= kMostCells;
  std::vector<std::uint32_t> common(small ? rows * columns : 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return common[i * columns + j]; };
  for (std::size_t i = before.size(); small && i-- > 0;)
    for (std::size_t j = after.size(); j-- > 0;)
      at(i, j) = before[i] == after[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    if (small && i < before.size() && j < after.size() && before[i] == after[j]) {
      changes.push_back({' ', before[i]});
      ++i, ++j;
    } else if (i < before.size() && (!small || j == after.size() || at(i + 1, j) >= at(i, j + 1))) {
      changes.push_back({'-', before[i++]});
    } else {
      changes.push_back({'+', after[j++]});
    }
  }
}

std::vector<Change> changes_between(Lines before, Lines after) {
  std::vector<Change> changes;
  std::size_t same = 0;
  while (same < before.size() && same < after.size() && before[same] == after[same])
    changes.push_back({' ', before[same++]});
  before.erase(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(same));
  after.erase(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(same));
  Lines tail;
  while (!before.empty() && !after.empty() && before.back() == after.back()) {
    tail.push_back(before.back());
    before.pop_back();
    after.pop_back();
  }
  compare(before, after, changes);
  for (auto line = tail.rbegin(); line != tail.rend(); ++line) changes.push_back({' ', *line});
  return changes;
}

std::string hunk(const std::vector<Change>& changes, std::size_t begin, std::size_t end) {
  std::size_t old_line = 1;
  std::size_t new_line = 1;
  for (std::size_t i = 0; i < begin; ++i) {
    old_line += changes[i].sign != '+' ? 1U : 0U;
    new_line += changes[i].sign != '-' ? 1U : 0U;
  }
  std::size_t old_count = 0;
  std::size_t new_count = 0;
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    old_count += changes[i].sign != '+' ? 1U : 0U;
    new_count += changes[i].sign != '-' ? 1U : 0U;
    text += changes[i].sign;
    text += changes[i].line;
    if (!changes[i].line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  }
  const auto range = [](std::size_t first, std::size_t count) {
    return std::to_string(count == 0 ? first - 1 : first) + "," + std::to_string(count);
  };
  return "@@ -" + range(old_line, old_count) + " +" + range(new_line, new_count) + " @@\n" + text;
}

}  // namespace

std::string unified_diff(std::string_view file, std::string_view before, std::string_view after) {
  const std::vector<Change> changes = changes_between(lines_of(before), lines_of(after));
  std::string out;
  std::size_t at = 0;
  while (true) {
    while (at < changes.size() && changes[at].sign == ' ') ++at;
    if (at == changes.size()) break;
    const std::size_t begin = at - std::min(at, kContext);
    std::size_t last = at;
    for (std::size_t i = at; i < changes.size() && i <= last + 2 * kContext; ++i)
      if (changes[i].sign != ' ') last = i;
    at = std::min(changes.size(), last + kContext + 1);
    out += hunk(changes, begin, at);
  }
  if (out.empty()) return {};
  return "--- " + std::string(file) + "\n+++ " + std::string(file) + "\n" + out;
}

}  // namespace reprise::apps::lint
