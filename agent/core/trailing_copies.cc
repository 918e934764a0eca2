#include "agent/core/trailing_copies.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 17> kWordsForCopies{
    "best",     "top",    "ema",          "swa",       "avg",  "averaged", "average",   "hf",    "export",
    "exported", "merged", "consolidated", "quantized", "onnx", "eval",     "inference", "deploy"};

// A part of a save may be called so as well: what is of the same step is none.
constexpr std::string_view kWeights = "weights";

enum class Copy { No, Yes, WhenBehind };

struct Save {
  const Checkpoint* checkpoint;
  Copy copy = Copy::No;
  std::optional<std::int64_t> attempt{};  // that made it; nothing: no agent saw it appear
};

Copy says_copy(std::string_view path) {
  Copy says = Copy::No;
  for (const NamePart& part : parts_of_name(without_file_ending(path))) {
    if (std::ranges::find(kWordsForCopies, part.text) != kWordsForCopies.end()) return Copy::Yes;
    if (part.text == kWeights) says = Copy::WhenBehind;
  }
  return says;
}

bool stands_before(const Save& original, const Save& copy) {
  if (original.copy != Copy::No) return false;
  const std::int64_t step = original.checkpoint->step, copied = copy.checkpoint->step;
  if (copy.copy == Copy::WhenBehind && step <= copied) return false;
  if (!copy.attempt) return step >= copied;
  if (!original.attempt) return false;
  return original.attempt == copy.attempt || step == copied;
}

}  // namespace

std::set<std::string> trailing_copies(const std::vector<const Checkpoint*>& complete, const Appearances& appearances) {
  std::vector<Save> saves;
  for (const Checkpoint* each : complete) {
    const auto seen = appearances.find(each->name);
    saves.push_back({.checkpoint = each,
                     .copy = says_copy(each->name),
                     .attempt = seen == appearances.end() ? std::nullopt : std::optional(seen->second.attempt)});
  }
  std::set<std::string> trailing;
  for (const Save& each : saves)
    if (each.copy != Copy::No &&
        std::ranges::any_of(saves, [&](const Save& other) { return stands_before(other, each); }))
      trailing.insert(each.checkpoint->name);
  return trailing;
}

}  // namespace reprise::agent
