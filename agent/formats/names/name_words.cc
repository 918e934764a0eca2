#include "agent/formats/names/name_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "agent/formats/names/short_number.h"
#include "agent/formats/names/unfinished_name.h"

namespace reprise::agent {
namespace {

struct UsualWord {
  std::string_view text;
  WordFor what = WordFor::Unknown;
  bool names_checkpoint = false;  // with numbers alone beside it
  bool also_within_words = false;
};
constexpr bool kNamesOne = true, kWithinWords = true;
constexpr UsualWord kUsualWords[]{
    {"step", WordFor::Steps, kNamesOne, kWithinWords},
    {"steps", WordFor::Steps, kNamesOne},
    {"iter", WordFor::Steps, kNamesOne, kWithinWords},
    {"iters", WordFor::Steps},
    {"iteration", WordFor::Steps, kNamesOne},
    {"iterations", WordFor::Steps},
    {"batch", WordFor::Steps},
    {"batches", WordFor::Steps},
    {"ba", WordFor::Steps, kNamesOne},
    {"update", WordFor::Steps},
    {"updates", WordFor::Steps},
    {"epoch", WordFor::Epochs, kNamesOne, kWithinWords},
    {"epochs", WordFor::Epochs},
    {"ep", WordFor::Epochs},
    {"round", WordFor::Epochs},
    {"rounds", WordFor::Epochs},
    {"episode", WordFor::Epochs},
    {"episodes", WordFor::Epochs},
    {"cycle", WordFor::Epochs},
    {"phase", WordFor::Epochs},
    {"stage", WordFor::Epochs},
    {"checkpoint", WordFor::Itself, kNamesOne, kWithinWords},
    {"ckpt", WordFor::Itself, kNamesOne, kWithinWords},
    {"save", WordFor::Itself, kNamesOne, kWithinWords},
    {"snapshot", WordFor::Itself, kNamesOne, kWithinWords},
    {"global", WordFor::Unknown, kNamesOne},
    {"rank", WordFor::Ranks},
    {"ranks", WordFor::Ranks},
    {"shard", WordFor::Ranks},
    {"shards", WordFor::Ranks},
    {"part", WordFor::Ranks},
    {"parts", WordFor::Ranks},
    {"partition", WordFor::Ranks},
    {"of", WordFor::Ranks},
    {"worker", WordFor::Ranks},
    {"process", WordFor::Ranks},
    {"proc", WordFor::Ranks},
    {"node", WordFor::Ranks},
    {"host", WordFor::Ranks},
    {"machine", WordFor::Ranks},
    {"pod", WordFor::Ranks},
    {"gpu", WordFor::Ranks},
    {"cuda", WordFor::Ranks},
    {"device", WordFor::Ranks},
    {"tp", WordFor::Ranks},
    {"pp", WordFor::Ranks},
    {"dp", WordFor::Ranks},
    {"mp", WordFor::Ranks},
    {"cp", WordFor::Ranks},
    {"sp", WordFor::Ranks},
    {"fsdp", WordFor::Ranks},
    {"replica", WordFor::Ranks},
    {"v", WordFor::Versions},
    {"version", WordFor::Versions},
    {"run", WordFor::Programs},
    {"runs", WordFor::Programs},
    {"exp", WordFor::Programs},
    {"experiment", WordFor::Programs},
    {"trial", WordFor::Programs},
    {"fold", WordFor::Programs},
    {"seed", WordFor::Programs},
    {"job", WordFor::Programs},
    {"attempt", WordFor::Programs},
    {"try", WordFor::Programs},
    {"sweep", WordFor::Programs},
    {"lr", WordFor::Programs},
    {"wd", WordFor::Programs},
    {"bs", WordFor::Programs},
};

const UsualWord* find_word(std::string_view word) {
  const auto found = std::ranges::find(kUsualWords, word, &UsualWord::text);
  return found == std::end(kUsualWords) ? nullptr : found;
}

// Words in front of a word for steps. The words of the last table say it of several alone: "save_step_100" may be a
// save.
constexpr std::array<std::string_view, 10> kSettings{"max",          "maximum",    "warmup", "warm", "accum",
                                                     "accumulation", "accumulate", "limit",  "per",  "every"};
constexpr std::array<std::string_view, 4> kCounts{"num", "number", "n", "nb"};
constexpr std::array<std::string_view, 24> kSettingsOfSeveral{
    "total", "time",  "train",     "training", "env",    "eval",     "evaluation", "val",
    "save",  "log",   "logging",   "learning", "grad",   "gradient", "decay",      "rollout",
    "inner", "outer", "denoising", "sampling", "target", "horizon",  "inference",  "diffusion"};
// "iters_20000" says how many, and "batch_32" how large they are. Not "steps": saves are called so ("steps_100").
constexpr std::array<std::string_view, 8> kAboveSaves{"iters",  "iterations", "batches",  "updates",
                                                      "epochs", "rounds",     "episodes", "batch"};

constexpr std::array<std::string_view, 12> kFileEndings{".ckpt", ".tar", ".pth",    ".pt", ".bin",  ".safetensors",
                                                        ".npz",  ".pkl", ".pickle", ".h5", ".hdf5", ".msgpack"};

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
  const auto take = [&](std::size_t at) {
    parts.back().text += static_cast<char>(std::tolower(static_cast<unsigned char>(name[at])));
  };
  for (std::size_t at = 0; at < name.size(); ++at) {
    const Letters kind = letters_of(name[at]);
    const bool begins = kind != Letters::Other && kind != before;
    if (begins) parts.push_back({.text = {}, .is_number = kind == Letters::Digit, .begin = at});
    before = kind;
    const auto more = begins && kind == Letters::Digit ? read_short_number(name, at) : std::nullopt;
    const std::size_t end = more ? more->end : at + 1;
    for (; kind != Letters::Other && at < end; ++at) take(at);
    if (kind != Letters::Other) --at;
    if (more) before = Letters::Other;
  }
  return parts;
}

Setting setting_behind(std::string_view text) {
  constexpr std::string_view kSteps = "steps", kStep = "step";
  const auto is_one_of = [](const auto& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  std::vector<NamePart> words = parts_of_name(text);
  if (words.empty() || words.back().is_number) return Setting::None;
  const std::string last = words.back().text;
  const bool is_several = last.ends_with('s');
  words.pop_back();
  // "timesteps", "maxsteps"
  for (const std::string_view word : {kSteps, kStep})
    if (last.ends_with(word) && last.size() > word.size()) {
      words.push_back({.text = last.substr(0, last.size() - word.size())});
      break;
    }
  for (; !words.empty() && !words.back().is_number; words.pop_back()) {
    const std::string& word = words.back().text;
    if (is_one_of(kSettings, word)) return Setting::OfRun;
    if (is_one_of(kCounts, word)) return Setting::AboveSaves;
    if (!is_one_of(kSettingsOfSeveral, word)) break;
    if (is_several) return Setting::AboveSaves;
  }
  return is_one_of(kAboveSaves, last) ? Setting::AboveSaves : Setting::None;
}

bool is_word_for_setting(std::string_view word) {
  constexpr std::array<std::string_view, 6> kOfPrograms{"lr", "wd", "bs", "seed", "fold", "trial"};
  return std::ranges::find(kOfPrograms, word) != kOfPrograms.end();
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

WordFor meaning_of(std::string_view word) {
  if (const UsualWord* found = find_word(word)) return found->what;
  if (word.ends_with("step") || word.ends_with("steps")) return WordFor::Steps;
  const auto is_within = [&](const UsualWord& each) {
    return each.what == WordFor::Itself && word.contains(each.text);
  };
  return std::ranges::any_of(kUsualWords, is_within) ? WordFor::Itself : WordFor::Unknown;
}

bool is_word_for_checkpoint(std::string_view word) {
  const UsualWord* found = find_word(word);
  return found != nullptr && found->names_checkpoint;
}

bool contains_word_for_checkpoint(std::string_view name) {
  constexpr std::string_view kOfComposer = "ba";  // "ep0-ba100-rank0.pt"
  const auto is_within = [&](const UsualWord& each) { return each.also_within_words && name.contains(each.text); };
  const auto is_it = [&](const NamePart& part) { return part.text == kOfComposer; };
  return std::ranges::any_of(kUsualWords, is_within) || std::ranges::any_of(parts_of_name(name), is_it);
}

bool names_another_kind(std::string_view name) {
  const auto parts = parts_of_name(without_file_ending(name_when_finished(name)));
  const auto is_number = [](const NamePart& part) { return part.is_number; };
  const auto number = std::ranges::find_if(parts, is_number);
  if (number == parts.end() || names_unfinished_save(name)) return false;
  return std::any_of(number, parts.end(), [&](const NamePart& part) {
    return !part.is_number && part.text != "t" && meaning_of(part.text) == WordFor::Unknown;
  });
}

}  // namespace reprise::agent
