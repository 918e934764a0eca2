#include "simulator/rehearsal/trainers/output_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <deque>
#include <fstream>

namespace reprise::simulator {
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

// Looks at numbers as they come: do they count evenly?
class Pace {
 public:
  void add(std::int64_t number) {
    if (!first_) first_ = number;
    if (last_ && number != *last_) {
      const std::int64_t gap = number - *last_;
      least_ = gaps_ == 0 ? gap : std::min(least_, gap);
      most_ = gaps_ == 0 ? gap : std::max(most_, gap);
      ++gaps_;
    }
    last_ = number;
  }
  [[nodiscard]] std::optional<std::int64_t> from_the_start() const {
    // A line may be missing here and there.
    if (gaps_ < 2 || least_ <= 0 || most_ > 2 * least_ || *first_ > most_) return std::nullopt;
    return most_;
  }

 private:
  std::optional<std::int64_t> first_, last_;
  std::int64_t least_ = 0, most_ = 0;
  int gaps_ = 0;
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
      // Behind that there is a gap in what was read.
      if (line.data() < output.data() + kPart) pace.add(*number);
    }
  });
  steps.counts_by = pace.from_the_start();
  return steps;
}

std::string last_words(std::string_view output, std::size_t lines) {
  constexpr std::size_t kMost = 200;
  std::deque<std::string_view> last;
  each_line(output, [&](std::string_view line) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) return;
    last.push_back(line.substr(0, kMost));
    if (last.size() > lines) last.pop_front();
  });
  std::string words;
  for (const std::string_view each : last) words.append(words.empty() ? "" : " | ").append(each);
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

}  // namespace reprise::simulator
