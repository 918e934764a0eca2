#include "agent/formats/names/step_directory.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/place_name.h"
#include "agent/formats/names/unfinished_name.h"

namespace reprise::agent {
namespace {

enum class Says { Nothing, Setting, Number, Epoch, StepAmongWords, StepAlone };

constexpr std::string_view kEpochWord = "epoch", kLastWord = "last", kStepWord = "step";
// Words for the parts of a save: "model_epoch_1" is a part of whatever its directory numbers.
constexpr std::array<std::string_view, 8> kPartsOfASave{"model", "optimizer", "optim",      "scheduler",
                                                        "ema",   "rng",       "dataloader", "trainer"};
// Programs that save beside each other in the directory of a step, each by a count of its own perhaps.
constexpr std::array<std::string_view, 8> kProgramsOfASave{"actor",        "critic",    "policy",        "reward",
                                                           "orchestrator", "generator", "discriminator", "ref"};

bool is_time_within_an_epoch(std::string_view word) {
  return word.ends_with("step") || word.ends_with("steps") || word.starts_with("iter");
}

bool is_usual(std::string_view word) {
  return is_word_for_checkpoint(word) || is_time_within_an_epoch(word);
}

// "ckpt-7b"
bool is_size_of_model(const NameNumber& number) {
  return number.is_short && !number.value && number.counts == NameNumber::Counts::Unknown;
}

Says said_by_words(const std::vector<NamePart>& parts) {
  const auto is_number = [](const NamePart& part) { return part.is_number; };
  if (std::ranges::all_of(parts, is_number)) return parts.size() == 1 ? Says::Number : Says::Nothing;
  const auto is_number_or = [&](auto&& is_word) {
    return std::ranges::all_of(parts, [&](const NamePart& part) { return part.is_number || is_word(part.text); });
  };
  if (is_number_or([](std::string_view word) { return word == kEpochWord; })) return Says::Epoch;
  if (is_number_or(is_word_for_checkpoint)) return Says::StepAlone;
  if (parts.size() < 2 || !parts.back().is_number || !is_usual(parts[parts.size() - 2].text)) return Says::Nothing;
  return parts[parts.size() - 2].text == kEpochWord ? Says::Epoch : Says::StepAmongWords;
}

// The meaning of a directory's name.
Says said_of_step_by(std::string_view name) {
  if (name.starts_with('.')) return Says::Nothing;
  const std::string_view finished = name_when_finished(name);
  const std::vector<NameNumber> numbers = numbers_in(finished);
  const auto are_all = [&](auto&& is_so) { return std::ranges::all_of(numbers, is_so); };
  const auto is_of_run = [](const NameNumber& each) { return each.setting == Setting::OfRun; };
  const auto is_setting = [](const NameNumber& each) { return each.setting != Setting::None; };
  if (are_all(is_size_of_model) || are_all(is_of_run)) return Says::Nothing;
  const Says says = said_by_words(parts_of_name(finished));
  if (says != Says::Nothing && are_all(is_setting)) return Says::Setting;
  const bool may_be_size = std::ranges::any_of(numbers, &NameNumber::may_be_size);
  return says == Says::StepAlone && may_be_size ? Says::StepAmongWords : says;
}

bool has_word(std::string_view name, std::string_view word) {
  return std::ranges::any_of(parts_of_name(name), [&](const NamePart& part) { return part.text == word; });
}

struct OwnName {
  bool names_step = false;       // a usual word and a number behind it
  bool is_within_epoch = false;  // and the word counts less than epochs
  bool is_last = false;          // "last.ckpt", "last-v1.ckpt"
  bool is_part = false;          // a directory that begins with the word for one
  bool may_be_whole = false;     // a directory called "checkpoint-100": files may be of ranks
  bool is_step_alone = false;    // a directory called "step_100", and no more
  bool names_checkpoint = false;
  std::optional<std::int64_t> step = {};
};

// True without a word for steps: so Megatron ("iter_0000100") and DeepSpeed ("global_step200") call what they write
// into the directory of somebody's save, by a count of their own.
bool is_called_checkpoint(std::string_view name) {
  const std::vector<NameNumber> numbers = numbers_in(name);
  using Counts = NameNumber::Counts;
  const auto is_of_checkpoint = [&](const NameNumber& each) {
    return each.counts == Counts::Bare && !word_before(name, each.begin).empty();
  };
  return std::ranges::any_of(numbers, is_of_checkpoint) && std::ranges::none_of(numbers, [](const NameNumber& each) {
           return each.counts == Counts::Steps || each.counts == Counts::Epochs;
         });
}

OwnName own_name(std::string_view name) {
  const std::string_view stem = without_file_ending(name);
  const std::vector<NamePart> parts = parts_of_name(stem);
  OwnName own{.is_last = !parts.empty() && parts.front().text == kLastWord,
              .may_be_whole = stem.size() == name.size() && is_called_checkpoint(stem),
              .names_checkpoint = names_checkpoint(stem),
              .step = step_of(stem)};
  own.is_step_alone =
      stem.size() == name.size() && parts.size() == 2 && parts.front().text == kStepWord && parts.back().is_number;
  own.is_part = stem.size() == name.size() && !parts.empty() &&
                std::ranges::find(kPartsOfASave, parts.front().text) != kPartsOfASave.end();
  for (std::size_t at = 0; at + 1 < parts.size(); ++at) {
    if (!parts[at + 1].is_number || !is_usual(parts[at].text)) continue;
    own.names_step = own.step.has_value();
    own.is_within_epoch = own.is_within_epoch || is_time_within_an_epoch(parts[at].text);
  }
  return own;
}

bool has_part_of_a_save(std::string_view directories) {
  return names_part_of_a_save(directories) || std::ranges::any_of(parts_of_name(directories), [](const NamePart& part) {
           return meaning_of(part.text) == WordFor::Ranks;
         });
}

struct Around {
  Says says = Says::Nothing;
  std::optional<std::int64_t> step{};
  bool is_unfinished = false;  // by its name
  bool says_step = false;      // "step_77"
  bool says_steps = false;     // "steps_1000": that may be how many
  bool is_of_library = false;  // "global_step20": no run is called so
};

// "iter0-ckpt/checkpoint-100": no save of step 0 has made the hundredth. Where one begins to count from 0 and the other
// from 1 a part may be called by the next number. In "checkpoint2/step_500", too, where the directory counts no steps.
bool is_beyond(const OwnName& own, std::string_view between, const Around& directory) {
  const bool may_be_whole = own.may_be_whole || (own.is_step_alone && !directory.says_step && !directory.says_steps);
  if (!own.names_step || !may_be_whole || own.is_part || directory.is_unfinished || directory.is_of_library)
    return false;
  if (!directory.step) return false;
  const bool is_other = own.step > *directory.step + 1 || (directory.says_steps && own.step < *directory.step - 1);
  return is_other && !has_part_of_a_save(between);
}

// `between`: the directories from the one that may name the step down to what lies there.
bool is_of_its_own(const OwnName& own, std::string_view between, const Around& directory) {
  const Says around = directory.says;
  if (around == Says::StepAlone) return is_beyond(own, between, directory);
  if (around == Says::Setting)
    return own.is_last || (own.names_checkpoint && !own.is_part) || said_of_place(between) == Place::OfCheckpoints;
  if (own.is_last || said_of_place(between) == Place::OfCheckpoints) return true;
  if (!own.names_step || own.step == directory.step || own.is_part) return false;
  return around != Says::Epoch || own.is_within_epoch || own.step > directory.step;
}

}  // namespace

bool names_part_of_a_save(std::string_view directory) {
  return std::ranges::any_of(parts_of_name(directory), [](const NamePart& part) {
    const auto is_in = [&](const auto& words) { return std::ranges::find(words, part.text) != words.end(); };
    return is_in(kPartsOfASave) || is_in(kProgramsOfASave);
  });
}

std::string_view step_around(std::string_view path) {
  const OwnName own = own_name(last_part(path));
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    const std::string_view directory = path.substr(0, slash);
    const std::string_view name = last_part(directory), finished = name_when_finished(name);
    const Around around{.says = said_of_step_by(name),
                        .step = step_of(finished),
                        .is_unfinished = finished.size() < name.size(),
                        .says_step = has_word(finished, kStepWord),
                        .says_steps = has_word(finished, "steps"),
                        .is_of_library = has_word(finished, "global")};
    if (around.says == Says::Nothing) continue;
    const std::string_view between = directory_of(path.substr(slash + 1));
    if (!is_of_its_own(own, between, around)) return directory;
  }
  return {};
}

}  // namespace reprise::agent
