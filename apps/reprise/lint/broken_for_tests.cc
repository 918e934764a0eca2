#include "apps/reprise/lint/broken_for_tests.h"

#include <re2/re2.h>

#include <array>
#include <random>
#include <utility>
#include <vector>

namespace reprise::apps::lint {
namespace {

using Lines = std::vector<std::string>;
using Random = std::minstd_rand;

std::size_t below(Random& random, std::size_t bound) {
  return random() % bound;
}

std::string misspelt(std::string word, Random& random) {
  if (word.size() < 3) return word + word.back();
  const std::size_t at = 1 + below(random, word.size() - 2);
  switch (below(random, 3)) {
    case 0:
      return word.erase(at, 1);
    case 1:
      return word.insert(at, 1, word[at]);
    default:
      std::swap(word[at], word[at + 1]);
      return word;
  }
}

std::string in_flow(const std::string& line, Random& random) {
  static const RE2 member(R"(^(.*[{,] ?)([A-Za-z]+)(: .*)$)");
  std::string before;
  std::string key;
  std::string rest;
  return RE2::FullMatch(line, member, &before, &key, &rest) ? before + misspelt(key, random) + rest : line;
}

std::string with_another_value(const std::string& line, Random& random) {
  static const RE2 member(R"(^( *(?:- )?[A-Za-z]+: )([A-Za-z0-9]+)$)");
  std::string before;
  std::string value;
  if (!RE2::FullMatch(line, member, &before, &value)) return line;
  const std::array values{"\"" + value + "\"",     value + "m",
                          misspelt(value, random), std::string("[" + value + "]"),
                          std::string("0"),        std::string("yes")};
  return before + values[below(random, values.size())];
}

void break_line(Lines& lines, std::size_t at, Random& random) {
  static const RE2 member(R"(^( *)(- )?([A-Za-z]+):(.*)$)");
  static const RE2 element(R"(^( *)-( +)(.*)$)");
  std::string indent;
  std::string dash;
  std::string key;
  std::string rest;
  std::string& line = lines[at];
  const auto next = lines.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  const bool is_member = RE2::FullMatch(line, member, &indent, &dash, &key, &rest);
  switch (below(random, 8)) {
    case 0:
      if (is_member) line = indent + dash + misspelt(key, random) + ":" + rest;
      return;
    case 1:
      if (is_member && !rest.empty() && rest.find_first_of("|>") == std::string::npos)
        lines.insert(next, indent + std::string(dash.size(), ' ') + misspelt(key, random) + ":" + rest);
      return;
    case 2:
    case 3:
      if (RE2::FullMatch(line, element, &indent, &dash, &rest)) {
        const std::string inner = indent + " " + dash + rest;
        line = indent + (below(random, 2) == 0 ? "- # why" : "-");
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at) + 1, inner);
      }
      return;
    case 4:
      lines.insert(next, std::string(below(random, 6), ' ') + "# a comment");
      return;
    case 5:
      lines.erase(next - 1);
      return;
    case 6:
      line = in_flow(line, random);
      return;
    default:
      line = with_another_value(line, random);
  }
}

}  // namespace

std::string broken(std::string_view manifest, unsigned seed) {
  Random random(seed);
  random.discard(3);  // the first ones of small seeds are alike
  Lines lines;
  while (!manifest.empty()) {
    const auto end = manifest.find('\n');
    lines.emplace_back(manifest.substr(0, end));
    manifest.remove_prefix(end == std::string_view::npos ? manifest.size() : end + 1);
  }
  for (std::size_t times = 2 + below(random, 4); times > 0 && lines.size() > 1; --times)
    break_line(lines, below(random, lines.size()), random);
  const char* end = below(random, 10) == 0 ? "\r\n" : "\n";
  std::string text;
  for (const std::string& line : lines) text += line + end;
  return text;
}

}  // namespace reprise::apps::lint
