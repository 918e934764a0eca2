#include "agent/formats/names/name_words.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 10> kWordsForCheckpoint{"checkpoint", "ckpt",      "step", "steps",  "epoch",
                                                               "iter",       "iteration", "save", "global", "snapshot"};
constexpr std::array<std::string_view, 7> kFileEndings{".ckpt", ".tar", ".pth", ".pt", ".bin", ".safetensors", ".npz"};

enum class Letters { Other, Letter, Digit };

Letters letters_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (std::isdigit(byte) != 0) return Letters::Digit;
  return std::isalpha(byte) != 0 ? Letters::Letter : Letters::Other;
}

}  // namespace

std::vector<NamePart> parts_of_name(std::string_view name) {
  std::vector<NamePart> parts;
  Letters before = Letters::Other;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const Letters kind = letters_of(name[at]);
    if (kind != Letters::Other && kind != before)
      parts.push_back({.text = {}, .is_number = kind == Letters::Digit, .begin = at});
    if (kind != Letters::Other)
      parts.back().text += static_cast<char>(std::tolower(static_cast<unsigned char>(name[at])));
    before = kind;
  }
  return parts;
}

std::string_view without_file_ending(std::string_view name) {
  for (bool any = true; any;) {
    any = false;
    for (const std::string_view ending : kFileEndings) {
      if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
      name.remove_suffix(ending.size());
      any = true;
    }
  }
  return name;
}

bool names_rolling_file(std::string_view name) {
  constexpr std::array<std::string_view, 3> kRolling{"last", "latest", "recovery"};
  const std::string_view stem = without_file_ending(name);
  if (stem.size() == name.size() || stem.starts_with('.')) return false;
  bool any = false;
  for (const NamePart& part : parts_of_name(stem)) {
    const bool rolling = std::ranges::find(kRolling, part.text) != kRolling.end();
    if (!part.is_number && !rolling && !is_word_for_checkpoint(part.text)) return false;
    any = any || rolling;
  }
  return any;
}

bool is_word_for_checkpoint(std::string_view word) {
  return std::ranges::find(kWordsForCheckpoint, word) != kWordsForCheckpoint.end();
}

}  // namespace reprise::agent
