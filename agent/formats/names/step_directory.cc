#include "agent/formats/names/step_directory.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/place_name.h"
#include "agent/formats/names/unfinished_name.h"

namespace reprise::agent {
namespace {

enum class Says { Nothing, Number, Epoch, StepAmongWords, StepAlone };

constexpr std::string_view kEpochWord = "epoch", kLastWord = "last";
// What a save is made up of: "model_epoch_1" is a part of whatever its directory numbers.
constexpr std::array<std::string_view, 8> kPartsOfASave{"model", "optimizer", "optim",      "scheduler",
                                                        "ema",   "rng",       "dataloader", "trainer"};

bool is_time_within_an_epoch(std::string_view word) {
  return word.ends_with("step") || word.ends_with("steps") || word.starts_with("iter");
}

bool is_usual(std::string_view word) {
  return is_word_for_checkpoint(word) || is_time_within_an_epoch(word);
}

// Of a directory's name.
Says said_of_step_by(std::string_view name) {
  if (name.starts_with('.')) return Says::Nothing;
  const std::vector<NamePart> parts = parts_of_name(name_when_finished(name));
  const auto is_number = [](const NamePart& part) { return part.is_number; };
  const auto numbers = std::ranges::count_if(parts, is_number);
  if (numbers == 0) return Says::Nothing;
  if (std::ranges::all_of(parts, is_number)) return numbers == 1 ? Says::Number : Says::Nothing;
  const auto is_number_or = [&](auto&& is_word) {
    return std::ranges::all_of(parts, [&](const NamePart& part) { return part.is_number || is_word(part.text); });
  };
  if (is_number_or([](std::string_view word) { return word == kEpochWord; })) return Says::Epoch;
  if (is_number_or(is_word_for_checkpoint)) return Says::StepAlone;
  if (parts.size() < 2 || !parts.back().is_number || !is_usual(parts[parts.size() - 2].text)) return Says::Nothing;
  return parts[parts.size() - 2].text == kEpochWord ? Says::Epoch : Says::StepAmongWords;
}

struct OwnName {
  bool names_step = false;       // a usual word and a number behind it
  bool is_within_epoch = false;  // and the word counts less than epochs
  bool is_last = false;          // "last.ckpt", "last-v1.ckpt"
  bool is_part = false;          // a directory that begins with the word for one
  std::optional<std::int64_t> step = {};
};

OwnName own_name(std::string_view name) {
  const std::string_view stem = without_file_ending(name);
  const std::vector<NamePart> parts = parts_of_name(stem);
  OwnName own{.is_last = !parts.empty() && parts.front().text == kLastWord, .step = step_of(stem)};
  own.is_part = stem.size() == name.size() && !parts.empty() &&
                std::ranges::find(kPartsOfASave, parts.front().text) != kPartsOfASave.end();
  for (std::size_t at = 0; at + 1 < parts.size(); ++at) {
    if (!parts[at + 1].is_number || !is_usual(parts[at].text)) continue;
    own.names_step = true;
    own.is_within_epoch = own.is_within_epoch || is_time_within_an_epoch(parts[at].text);
  }
  return own;
}

// `between`: the directories from the one that may name the step down to what lies there.
bool is_of_its_own(const OwnName& own, std::string_view between, Says around, std::optional<std::int64_t> step) {
  if (around == Says::StepAlone) return false;
  if (own.is_last || said_of_place(between) == Place::OfCheckpoints) return true;
  if (!own.names_step || own.step == step || own.is_part) return false;
  return around != Says::Epoch || own.is_within_epoch || own.step > step;
}

}  // namespace

std::string_view step_around(std::string_view path) {
  const OwnName own = own_name(last_part(path));
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    const std::string_view directory = path.substr(0, slash);
    const Says around = said_of_step_by(last_part(directory));
    if (around == Says::Nothing) continue;
    const std::string_view between = directory_of(path.substr(slash + 1));
    if (!is_of_its_own(own, between, around, step_of(name_when_finished(last_part(directory))))) return directory;
  }
  return {};
}

}  // namespace reprise::agent
