#include "rehearsal/trainers/output_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <deque>
#include <fstream>
#include <utility>
#include <vector>

namespace reprise::rehearsal {
namespace {

constexpr std::string_view kAgent = "reprise-agent: ";
constexpr std::size_t kPart = 64 * 1024;

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

bool is_step(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower == "step" || lower == "global_step" || lower == "iteration" || lower == "iter";
}

// The number behind the word that ends at `at`: separated by blanks, ':', '=' and quotes only.
std::optional<std::int64_t> number_behind(std::string_view line, std::size_t at) {
  const auto begin = line.find_first_not_of(" \t:='\"#", at);
  if (begin == at || begin == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(line.data() + begin, line.data() + line.size(), number);
  if (problem != std::errc{} || number < 0) return std::nullopt;
  return number;
}

// Numbers that count evenly: a part of those that were printed.
struct Even {
  std::int64_t from = 0, last = 0, least = 0, most = 0;
  int gaps = 0;
};

// Tells whether numbers count evenly as they come, and from where.
class Pace {
 public:
  void add(std::int64_t number) {
    if (parts_.empty()) return parts_.push_back({.from = number, .last = number});
    if (number == parts_.back().last || extend(number)) {
      stray_.reset();
    } else if (stray_ && *stray_ < number) {
      begin(*std::exchange(stray_, std::nullopt), number);
    } else {
      stray_ = number;  // "best was step 40", or the first of an epoch
    }
  }
  // The only one of three numbers or more. Where others follow, they are steps of epochs.
  [[nodiscard]] std::optional<Even> even() const {
    const auto found = std::ranges::find_if(parts_, [](const Even& each) { return each.gaps >= 2; });
    if (found == parts_.end() || found + 1 != parts_.end()) return std::nullopt;
    return *found;
  }

  [[nodiscard]] bool again() const {
    return std::ranges::count_if(parts_, [](const Even& each) { return each.gaps >= 1; }) > 1;
  }

 private:
  bool extend(std::int64_t number) {
    Even& now = parts_.back();
    const std::int64_t gap = number - now.last;
    if (gap <= 0) return false;
    const std::int64_t least = now.gaps == 0 ? gap : std::min(now.least, gap);
    const std::int64_t most = now.gaps == 0 ? gap : std::max(now.most, gap);
    // A line may be missing here and there.
    if (most <= 2 * least) {
      now = {.from = now.from, .last = number, .least = least, .most = most, .gaps = now.gaps + 1};
    } else if (now.gaps == 1) {
      // The first number was no step, but came from a configuration.
      now = {.from = now.last, .last = number, .least = gap, .most = gap, .gaps = 1};
    } else {
      return false;
    }
    return true;
  }
  void begin(std::int64_t from, std::int64_t last) {
    parts_.push_back({.from = from, .last = last, .least = last - from, .most = last - from, .gaps = 1});
  }

  std::vector<Even> parts_;
  std::optional<std::int64_t> stray_;
};

template <class OnLine>
void each_line(std::string_view output, OnLine on_line) {
  while (!output.empty()) {
    const auto end = output.find_first_of("\r\n");
    const auto line = output.substr(0, end);
    if (!line.empty() && !line.starts_with(kAgent)) on_line(line);
    if (end == std::string_view::npos) return;
    output.remove_prefix(end + 1);
  }
}

// Behind the number that comes next: "40 of 200", "40/200".
std::optional<std::int64_t> total_behind(std::string_view line, std::size_t at) {
  constexpr std::string_view digits = "0123456789";
  at = line.find_first_of(digits, at);
  at = line.find_first_not_of(digits, at == std::string_view::npos ? line.size() : at);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at);
  const auto skip_blanks = [&] { rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size())); };
  skip_blanks();
  if (rest.starts_with("/"))
    rest.remove_prefix(1);
  else if (rest.starts_with("of "))
    rest.remove_prefix(3);
  else
    return std::nullopt;
  skip_blanks();
  std::int64_t total = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), total);
  if (error != std::errc() || total < 1) return std::nullopt;
  return total;
}

}  // namespace

PrintedSteps printed_steps(std::string_view output) {
  PrintedSteps steps;
  Pace pace;
  each_line(output, [&](std::string_view line) {
    for (std::size_t at = 0; at < line.size();) {
      if (!is_word(line[at])) {
        ++at;
        continue;
      }
      const auto begin = at;
      while (at < line.size() && is_word(line[at])) ++at;
      if (!is_step(line.substr(begin, at - begin))) continue;
      const auto number = number_behind(line, at);
      if (!number) continue;
      if (!steps.first) steps.first = number;
      steps.last = number;
      steps.total = total_behind(line, at);
      // A gap in the output follows.
      if (line.data() < output.data() + kPart) pace.add(*number);
    }
  });
  if (const auto even = pace.even()) {
    steps.counts_from = even->from;
    steps.counts_by = even->most;
  }
  steps.counts_again = pace.again();
  return steps;
}

std::vector<std::string> last_lines(std::string_view output, std::size_t lines) {
  constexpr std::size_t kMost = 200;
  std::deque<std::string_view> last;
  each_line(output, [&](std::string_view line) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) return;
    last.push_back(line.substr(0, kMost));
    if (last.size() > lines) last.pop_front();
  });
  return {last.begin(), last.end()};
}

std::string last_output(std::string_view output, std::size_t lines) {
  std::string words;
  for (const std::string& each : last_lines(output, lines)) words.append(words.empty() ? "" : " | ").append(each);
  return words;
}

std::string ends_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const auto size = static_cast<std::size_t>(in.tellg());
  std::string text(std::min(size, kPart), '\0');
  in.seekg(0);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (size <= kPart) return text;
  std::string tail(std::min(size - kPart, kPart), '\0');
  in.seekg(-static_cast<std::streamoff>(tail.size()), std::ios::end);
  in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  return text + "\n" + tail;
}

}  // namespace reprise::rehearsal
