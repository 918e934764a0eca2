// A name cut into its words and numbers: "global_step20-tmp" is "global", "step", "20" and "tmp". And, in one table,
// which words stand beside the numbers of checkpoints.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::agent {

struct NamePart {
  std::string text;  // in lower case
  bool is_number = false;
  std::size_t begin = 0;  // in the name
  bool operator==(const NamePart&) const = default;
};

// A count that is written short is one number ("1k", "9e2").
[[nodiscard]] std::vector<NamePart> parts_of_name(std::string_view name);

// The name without the endings of files that hold a training's state: "epoch=1-step=5" of "epoch=1-step=5.ckpt".
[[nodiscard]] std::string_view without_file_ending(std::string_view name);

// The meaning of a number behind a word in lower case.
enum class WordFor {
  Steps,     // "step", "iter", "ba"
  Epochs,    // "epoch", "round": of a few of them a trainer makes many steps
  Itself,    // "checkpoint", "mycheckpoint"
  Ranks,     // "rank", "shard", "node": parts that are there at the same time
  Versions,  // "v", "version"
  Programs,  // "run", "trial", "lr": trainings that have nothing to do with each other
  Unknown,
};
[[nodiscard]] WordFor meaning_of(std::string_view word);

// The words in front of a number may make it a setting that counts steps or epochs: how many a run has been set to make
// ("max_steps_1000", "warmup_iters_500", "batch_32"), which is the same for all of its saves.
enum class Setting {
  None,
  OfRun,       // by words that no save is called by: "max", "warmup"
  AboveSaves,  // by words that saves are called by as well ("epoch_1_batch_500"): so in the name of a directory
};
[[nodiscard]] Setting setting_behind(std::string_view text);
// "lr", "seed": not "run", of which each attempt may begin another one.
[[nodiscard]] bool is_word_for_setting(std::string_view word);

// "step", "epoch", "ckpt" and the like: a name of such words and of numbers says nothing but which checkpoint it is.
[[nodiscard]] bool is_word_for_checkpoint(std::string_view word);

// True if one of the usual words is anywhere in the name, which is in lower case: "mysteps", "checkpointing".
[[nodiscard]] bool contains_word_for_checkpoint(std::string_view name);

// "last.pth.tar", "checkpoint_latest.pt", "recovery-9-12.pth.tar": a file that is written anew again and again, with a
// training's state in it perhaps, while numbered ones come by a metric.
[[nodiscard]] bool names_rolling_file(std::string_view name);

// "step_40_eval", "checkpoint-20-hf": a word behind the number says that it is something else than "step_40". Not so
// words for parts and versions, and those of what is not finished yet ("step_40_rank3", "step_40-tmp").
[[nodiscard]] bool names_another_kind(std::string_view name);

}  // namespace reprise::agent
