#include "agent/formats/pieces/loose_file.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/names/copied_name.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/short_number.h"
#include "agent/formats/names/unfinished_name.h"
#include "agent/formats/structure/state_file.h"

namespace reprise::agent {
namespace {

// What nobody goes on from: logs, pictures, tables.
constexpr std::array<std::string_view, 17> kNeverPieces{".log", ".out",  ".err", ".lock", ".tmp",  ".png",
                                                        ".jpg", ".jpeg", ".gif", ".svg",  ".mp4",  ".wav",
                                                        ".pdf", ".html", ".md",  ".py",   ".ipynb"};
constexpr std::array<std::string_view, 2> kTables{".csv", ".tsv"};

bool is_decimal(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool may_count_step(const NameNumber& number) {
  using Counts = NameNumber::Counts;
  const bool is_whole = number.points == 0;
  return is_whole && (number.counts == Counts::Steps || number.counts == Counts::Epochs ||
                      number.counts == Counts::Bare || number.counts == Counts::Unknown);
}

// Not the rounds and episodes of something else, of which a save has several.
bool says_epoch(std::string_view word) {
  return word == "epoch" || word == "epochs" || word == "ep";
}

// Of one part of a path.
void add_numbers(std::string_view text, std::vector<NumberInPath>& all) {
  const auto meant = numbers_in(text);
  for (std::size_t at = 0; at < text.size();) {
    if (!is_decimal(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_decimal(text[at])) ++at;
    const auto number = std::ranges::find(meant, begin, &NameNumber::begin);
    const auto more = number != meant.end() && number->is_short ? read_short_number(text, begin) : std::nullopt;
    const auto value = more ? more->value : value_of(text.substr(begin, at - begin));
    all.push_back({.value = value.value_or(-1),
                   .may_be_step = value && number != meant.end() && may_count_step(*number),
                   .is_epoch = says_epoch(word_before(text, begin))});
  }
}

}  // namespace

bool names_training_data(std::string_view path) {
  constexpr std::array<std::string_view, 7> kWords{"sampler", "samplers", "buffer", "buffers",
                                                   "replay",  "replays",  "dataset"};
  return std::ranges::any_of(
      parts_of_name(path), [&](const NamePart& part) { return std::ranges::find(kWords, part.text) != kWords.end(); });
}

bool may_be_piece(std::string_view path) {
  const std::string_view name = last_part(path);
  const auto is_called = [&](const auto& endings) {
    return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
  };
  if (is_called(kNeverPieces) || (is_called(kTables) && !names_training_data(path))) return false;
  const std::string_view directory = directory_of(path);
  return !names_unfinished_save(name) && !is_place_of_unfinished(directory) && !names_copy(name) &&
         !is_place_of_copies(directory);
}

bool may_hold_training(std::string_view path) {
  constexpr std::array<std::string_view, 5> kMore{".opt", ".optim", ".state", ".pdopt", ".pdparams"};
  return is_named_as_state(path) ||
         std::ranges::any_of(kMore, [&](std::string_view ending) { return path.ends_with(ending); });
}

std::vector<NumberInPath> numbers_in_path(std::string_view path) {
  std::vector<NumberInPath> all;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    add_numbers(path.substr(begin, end - begin), all);
    begin = end + 1;
  }
  return all;
}

std::optional<std::size_t> place_of_step(const std::vector<NumberInPath>& numbers,
                                         const std::set<std::int64_t>& steps) {
  std::optional<std::size_t> place;
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    if (!numbers[at].may_be_step || !steps.contains(numbers[at].value)) continue;
    if (place && numbers[*place].value != numbers[at].value) return std::nullopt;
    if (!place) place = at;
  }
  return place;
}

}  // namespace reprise::agent
