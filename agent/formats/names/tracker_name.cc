#include "agent/formats/names/tracker_name.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 5> kWordsForNewest{"last", "latest", "newest", "resume", "current"};
constexpr std::array<std::string_view, 10> kWordsForSaves{"checkpoint", "checkpoints", "checkpointed", "ckpt",  "ckpts",
                                                          "save",       "saved",       "snapshot",     "model", "path"};
constexpr std::array<std::string_view, 11> kCounted{"step",       "iter",  "iteration", "it",    "update", "batch",
                                                    "globalstep", "epoch", "ep",        "round", "ba"};
constexpr std::array<std::string_view, 9> kManyCounted{"steps",  "iters",       "iterations", "updates",  "batches",
                                                       "epochs", "checkpoints", "ckpts",      "completed"};
constexpr std::array<std::string_view, 19> kBesideCounted{
    "global", "cur",   "from", "at",       "best",    "id",      "number",  "no",   "num",      "to",
    "train",  "start", "name", "training", "trainer", "restart", "resumed", "done", "completed"};
// Words of files that are there to say where a training stands.
constexpr std::array<std::string_view, 15> kTelling{"state",   "status",   "meta",    "metadata", "info",
                                                    "pointer", "progress", "tracker", "head",     "best",
                                                    "restart", "restore",  "resumed", "global",   "marker"};
constexpr std::array<std::string_view, 15> kEndingsOfOthers{".log", ".csv", ".tsv",   ".jsonl", ".py",
                                                            ".sh",  ".md",  ".rst",   ".html",  ".xml",
                                                            ".out", ".err", ".ipynb", ".lock",  ".sum"};
constexpr std::array<std::string_view, 21> kWordsOfOthers{
    "config",      "configs",         "cfg",     "conf",       "args",    "arguments",    "hparams",
    "hyperparams", "hyperparameters", "params",  "parameters", "log",     "logs",         "metric",
    "metrics",     "result",          "results", "readme",     "license", "requirements", "tokenizer"};
constexpr std::array<std::string_view, 28> kOtherNumbers{
    "seed",    "seeds",  "rank",    "world",   "version", "pid",     "port", "gpu",  "gpus", "size",
    "count",   "num",    "loss",    "history", "summary", "stats",   "eval", "test", "val",  "data",
    "dataset", "sample", "samples", "node",    "host",    "attempt", "lr",   "max"};

bool is_among(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// "globalStep" is two words.
Words words_of(std::string_view name) {
  std::string apart;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const bool begins = at > 0 && name[at] >= 'A' && name[at] <= 'Z' && name[at - 1] >= 'a' && name[at - 1] <= 'z';
    if (begins) apart += '_';
    apart += name[at];
  }
  Words words;
  for (const NamePart& part : parts_of_name(apart))
    if (!part.is_number) words.push_back(part.text);
  return words;
}

// Words of the file's name without its ending: "txt", "json".
Words words_of_file(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  const bool has_ending = dot != std::string_view::npos && dot > 0;
  return words_of(has_ending ? file.substr(0, dot) : file);
}

bool has_one_of(const Words& words, const auto& some) {
  return std::ranges::any_of(words, [&](const std::string& word) { return is_among(some, word); });
}

bool counts_epochs(const Words& words) {
  return std::ranges::any_of(words, [](const std::string& word) { return meaning_of(word) == WordFor::Epochs; });
}

}  // namespace

bool may_be_tracker(std::string_view file) {
  const auto ends = [&](std::string_view ending) { return file.ends_with(ending); };
  return std::ranges::none_of(kEndingsOfOthers, ends) && !has_one_of(words_of(file), kWordsOfOthers);
}

bool is_called_newest(std::string_view file) {
  const Words words = words_of_file(file);
  const auto says_no_more = [](const std::string& word) {
    return is_among(kWordsForNewest, word) || is_among(kWordsForSaves, word) || is_among(kCounted, word);
  };
  return has_one_of(words, kWordsForNewest) && std::ranges::all_of(words, says_no_more) && may_be_tracker(file);
}

NumberSays number_in(std::string_view file) {
  const Words words = words_of_file(file);
  if (has_one_of(words, kOtherNumbers)) return NumberSays::Other;
  if (counts_epochs(words)) return NumberSays::Epoch;
  const bool tells = has_one_of(words, kWordsForNewest) || has_one_of(words, kWordsForSaves) ||
                     has_one_of(words, kCounted) || has_one_of(words, kTelling);
  return tells ? NumberSays::Step : NumberSays::Perhaps;
}

NumberSays number_under(std::string_view key, bool in_list) {
  const Words words = words_of(key);
  const auto says_a_save = [&](const std::string& word) {
    return is_among(kCounted, word) || is_among(kWordsForNewest, word) || is_among(kWordsForSaves, word) ||
           (in_list && is_among(kManyCounted, word));
  };
  const auto is_allowed = [&](const std::string& word) { return says_a_save(word) || is_among(kBesideCounted, word); };
  if (!std::ranges::any_of(words, says_a_save) || !std::ranges::all_of(words, is_allowed)) return NumberSays::Other;
  return counts_epochs(words) ? NumberSays::Epoch : NumberSays::Step;
}

}  // namespace reprise::agent
