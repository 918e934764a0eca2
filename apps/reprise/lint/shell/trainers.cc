#include "apps/reprise/lint/shell/trainers.h"

#include <algorithm>
#include <array>

namespace reprise::apps::lint::shell {
namespace {

constexpr std::array<std::string_view, 82> kHelpers{
    ".",      ":",          "[",        "[[",   "alias",  "apt",    "apt-get", "awk",      "aws",      "az",
    "azcopy", "break",      "cat",      "cd",   "chmod",  "chown",  "conda",   "continue", "cp",       "curl",
    "cut",    "date",       "declare",  "df",   "du",     "echo",   "eval",    "exit",     "export",   "false",
    "find",   "free",       "gcloud",   "git",  "grep",   "gsutil", "gunzip",  "head",     "hostname", "id",
    "jq",     "kill",       "ldconfig", "let",  "ln",     "local",  "logger",  "ls",       "mkdir",    "module",
    "mv",     "nvidia-smi", "pip",      "pip3", "printf", "pwd",    "rclone",  "read",     "readonly", "return",
    "rm",     "rsync",      "sed",      "set",  "shift",  "shopt",  "sleep",   "sort",     "source",   "sync",
    "tail",   "tar",        "tee",      "test", "touch",  "trap",   "true",    "ts",       "ulimit",   "umask",
    "wait",   "wget"};
constexpr std::array<std::string_view, 12> kLaunchers{
    "torchrun", "accelerate", "deepspeed", "mpirun",  "mpiexec",          "horovodrun",
    "srun",     "colossalai", "composer",  "axolotl", "llamafactory-cli", "lightning"};

enum class Rank { Helper, Program, Trainer };

Rank rank_of(const Command& command) {
  bool is_program = false;
  for (const std::string& written : command.words) {
    const std::string word = without_quotes(written);
    const std::string_view name = base_name(word);
    if (word == "exec" || (!is_program && word.find('=') != std::string::npos)) continue;
    if (!is_program && std::ranges::find(kHelpers, name) != kHelpers.end()) return Rank::Helper;
    is_program = true;
    if (word == "pip") return Rank::Helper;  // of python -m
    const bool trains = word.find("train") != std::string::npos || word.find("finetune") != std::string::npos ||
                        word.find("fine-tune") != std::string::npos ||
                        std::ranges::find(kLaunchers, name) != kLaunchers.end();
    if (trains) return Rank::Trainer;
  }
  return is_program ? Rank::Program : Rank::Helper;
}

class Collector {
 public:
  void look_at(const List& list) {
    for (const AndOr& and_or : list)
      for (const auto& [and_then, pipeline] : and_or.pipelines)
        for (const Command& command : pipeline.parts) look_at(command);
  }
  std::vector<const Command*> found() { return trainers_.empty() ? programs_ : trainers_; }

 private:
  void look_at(const Command& command) {
    for (const List* list : {&command.condition, &command.body, &command.otherwise}) look_at(*list);
    if (command.nested) return look_at(command.nested->script);
    if (command.kind != Command::Kind::Simple) return;
    const Rank rank = rank_of(command);
    if (rank == Rank::Trainer) trainers_.push_back(&command);
    if (rank != Rank::Helper) programs_.push_back(&command);
  }
  std::vector<const Command*> trainers_, programs_;
};

}  // namespace

std::vector<const Command*> trainers_in(const List& script) {
  Collector collector;
  collector.look_at(script);
  return collector.found();
}

}  // namespace reprise::apps::lint::shell
