#include "agent/formats/names/numbered_state.h"

#include <algorithm>
#include <array>
#include <string>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

// The longer ones first.
constexpr std::array<std::string_view, 25> kEndingsOfState{
    ".pth.tar", ".pt.tar",  ".pth",      ".pt",    ".bin",     ".ckpt",   ".safetensors", ".pkl", ".pickle",
    ".joblib",  ".msgpack", ".npz",      ".npy",   ".h5",      ".hdf5",   ".keras",       ".zip", ".tar",
    ".model",   ".params",  ".pdparams", ".pdopt", ".weights", ".states", ".state"};
// Endings that data has as well ("shard_3.npz", "train_7.tar"): only a word for a state tells a checkpoint apart.
constexpr std::array<std::string_view, 8> kEndingsOfData{".bin",  ".npz", ".npy", ".h5",
                                                         ".hdf5", ".zip", ".tar", ".pkl"};
constexpr std::array<std::string_view, 25> kWordsOfState{
    "model",     "models",  "net",    "network", "state",   "states",  "weights", "weight",    "params",
    "training",  "trainer", "policy", "agent",   "actor",   "critic",  "ema",     "generator", "opt",
    "optimizer", "optim",   "unet",   "vae",     "encoder", "decoder", "rl"};

constexpr std::string_view kStepless =
    "NotRecognised: the state of a training by its name or its files, and no step in its name: nothing tells whether "
    "it "
    "is the newest; save each step under a name with the step in it";

bool ends_so(std::string_view file, std::string_view ending) {
  return file.size() > ending.size() &&
         std::ranges::equal(file.substr(file.size() - ending.size()), ending,
                            [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && (a | 0x20) == b); });
}

std::string_view ending_of_state(std::string_view file) {
  const auto found = std::ranges::find_if(kEndingsOfState, [&](auto ending) { return ends_so(file, ending); });
  return found == kEndingsOfState.end() ? std::string_view() : *found;
}

bool is_letter_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool stands_alone(std::string_view stem, const NameNumber& number) {
  const bool begins = number.begin == 0 || !is_letter_of_name(stem[number.begin - 1]);
  return begins && (number.end == stem.size() || !is_letter_of_name(stem[number.end]));
}

bool may_be_a_step(const NameNumber& number) {
  using Counts = NameNumber::Counts;
  return number.value && (number.counts == Counts::Bare || number.counts == Counts::Unknown ||
                          number.counts == Counts::Steps || number.counts == Counts::Epochs);
}

bool has_word_of_state(std::string_view stem) {
  return std::ranges::any_of(parts_of_name(stem), [](const NamePart& part) {
    return std::ranges::find(kWordsOfState, part.text) != kWordsOfState.end() || is_word_for_checkpoint(part.text);
  });
}

// "ckpt.pt.zst" without what says how it was packed.
std::string_view unpacked(std::string_view file) {
  constexpr std::array<std::string_view, 6> kPacked{".zst", ".gz", ".xz", ".bz2", ".lz4", ".tgz"};
  const auto packed = std::ranges::find_if(kPacked, [&](auto ending) { return ends_so(file, ending); });
  return packed == kPacked.end() ? file : file.substr(0, file.size() - packed->size());
}

// True for a state that a training goes on from: a model to start from bears none of these words.
bool has_word_of_save(std::string_view stem) {
  constexpr std::array<std::string_view, 12> kOfSaves{"last",    "latest", "newest",    "resume",
                                                      "current", "state",  "states",    "training",
                                                      "trainer", "optim",  "optimizer", "recovery"};
  return std::ranges::any_of(parts_of_name(stem), [&](const NamePart& part) {
    return std::ranges::find(kOfSaves, part.text) != kOfSaves.end() || meaning_of(part.text) == WordFor::Itself;
  });
}

}  // namespace

std::optional<std::int64_t> number_of_state(std::string_view file) {
  const std::string_view name = last_part(file), ending = ending_of_state(name);
  if (ending.empty() || name.starts_with('.')) return std::nullopt;
  const std::string_view stem = name.substr(0, name.size() - ending.size());
  const auto numbers = numbers_in(stem);
  if (numbers.size() != 1 || !may_be_a_step(numbers.front()) || !stands_alone(stem, numbers.front()))
    return std::nullopt;
  const bool may_be_data = std::ranges::find(kEndingsOfData, ending) != kEndingsOfData.end();
  return may_be_data && !has_word_of_state(stem) ? std::nullopt : numbers.front().value;
}

std::string_view why_numbered_is_none(std::string_view file) {
  if (!number_of_state(file)) return {};
  return "NotRecognised: nothing but a number says that it may be a checkpoint; format Plain takes a file of "
         "torch.save "
         "with an optimizer's state in it, or one that is called checkpoint_<step>.pt; or save into a directory with "
         "the "
         "step in its name, and _COMPLETE into that last";
}

bool is_stepless_state(std::string_view file) {
  const std::string_view name = unpacked(last_part(file)), ending = ending_of_state(name);
  const bool is_packed = name.size() < last_part(file).size();
  if (name.starts_with('.') || (ending.empty() && !is_packed)) return false;
  return !step_of(name.substr(0, name.size() - ending.size()));
}

std::string_view why_stepless_is_none(std::string_view file) {
  constexpr std::string_view kOfModels = "training_args.bin";  // Trainer's, also beside what it exports
  // "recovery-9-12.pth.tar": several numbers, and none that is known for a step.
  const bool is_one = (is_stepless_state(file) || names_rolling_file(last_part(file))) && last_part(file) != kOfModels;
  return is_one && has_word_of_save(unpacked(last_part(file))) ? kStepless : std::string_view();
}

std::string_view why_stepless_directory_is_none(const std::function<bool(std::string_view)>& any_ends) {
  // Names that a library writes into a directory of its own for each save, and that nobody else writes.
  constexpr std::array<std::string_view, 8> kOfLibraries{
      ".distcp",   "trainer_state.json", "_model_states.pt",   "_optim_states.pt", "_CHECKPOINT_METADATA",
      "_METADATA", "model_optim_rng.pt", "random_states_0.pkl"};
  return std::ranges::any_of(kOfLibraries, any_ends) ? kStepless : std::string_view();
}

std::string_view why_numbered_directory_is_none(std::string_view directory) {
  if (names_checkpoint(directory) || !number_of_state(std::string(directory) + ".bin")) return {};
  return "NotRecognised: nothing but a number says that it may be a checkpoint; call it step_<step>, or write "
         "_COMPLETE "
         "into it last";
}

}  // namespace reprise::agent
