#include "agent/core/generations/halves/words/words_of_parts.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 27> kWordsForState{
    "model",  "weights",   "optim",  "optimizer", "optimizers",   "opt",          "state",
    "states", "scheduler", "rng",    "random",    "dataloader",   "loader",       "trainer",
    "actor",  "critic",    "policy", "generator", "encoder",      "decoder",      "gen",
    "disc",   "param",     "params", "adapter",   "orchestrator", "discriminator"};
constexpr std::array<std::string_view, 23> kWordsForCopies{
    "best", "top",    "min",     "max",    "lowest",   "highest", "eval",    "evaluation",
    "test", "val",    "hf",      "export", "exported", "sample",  "samples", "plots",
    "logs", "images", "metrics", "merged", "avg",      "average", "averaged"};

constexpr std::array<std::string_view, 14> kWordsForOutput{
    "prediction", "predictions", "preds",      "output",      "outputs", "result",  "results",
    "embeddings", "features",    "generation", "generations", "videos",  "figures", "logits"};

bool has_one_of(const Words& words, const auto& table, const Words& but) {
  return std::ranges::any_of(table, [&](std::string_view word) {
    return words.contains(std::string(word)) && !but.contains(std::string(word));
  });
}

}  // namespace

bool say_state(const Words& words, const Words& but) {
  return has_one_of(words, kWordsForState, but);
}

bool say_copy(const Words& words, const Words& but) {
  return has_one_of(words, kWordsForCopies, but);
}

bool say_output(const Words& words) {
  return has_one_of(words, kWordsForOutput, {});
}

}  // namespace reprise::agent
