#include "apps/reprise/lint/shell/trainers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace reprise::apps::lint::shell {
namespace {

constexpr std::array<std::string_view, 117> kHelpers{
    ".",        ":",        "[",      "[[",       "((",      "alias",    "apk",     "apt",     "apt-get",    "awk",
    "aws",      "az",       "azcopy", "basename", "break",   "cat",      "cd",      "chmod",   "chown",      "command",
    "conda",    "continue", "cp",     "curl",     "cut",     "date",     "declare", "df",      "dirname",    "disown",
    "dnf",      "dpkg",     "du",     "echo",     "env",     "eval",     "exit",    "export",  "false",      "fg",
    "find",     "free",     "gcloud", "getopts",  "git",     "grep",     "gsutil",  "gunzip",  "head",       "hostname",
    "id",       "jobs",     "jq",     "kill",     "killall", "ldconfig", "let",     "ln",      "local",      "logger",
    "ls",       "mamba",    "mkdir",  "mkfifo",   "module",  "mount",    "mv",      "nproc",   "nvidia-smi", "pgrep",
    "pip",      "pip3",     "pkill",  "popd",     "printf",  "pushd",    "pwd",     "rclone",  "read",       "readlink",
    "readonly", "realpath", "return", "rm",       "rsync",   "sed",      "seq",     "service", "set",        "shift",
    "shopt",    "sleep",    "sort",   "source",   "stat",    "sync",     "tail",    "tar",     "tee",        "test",
    "touch",    "tr",       "trap",   "true",     "ts",      "typeset",  "ulimit",  "umask",   "uname",      "unset",
    "unzip",    "wait",     "wc",     "wget",     "which",   "xargs",    "yum"};
constexpr std::array<std::string_view, 12> kLaunchers{
    "torchrun", "accelerate", "deepspeed", "mpirun",  "mpiexec",          "horovodrun",
    "srun",     "colossalai", "composer",  "axolotl", "llamafactory-cli", "lightning"};

enum class Rank { Helper, Program, Interpreted, Trainer };

bool says_so(const std::string& word) {
  return word.find("train") != std::string::npos || word.find("finetune") != std::string::npos ||
         word.find("fine-tune") != std::string::npos ||
         std::ranges::find(kLaunchers, base_name(word)) != kLaunchers.end();
}

Rank rank_of(const Command& command) {
  Words plain;
  for (const std::string& word : command.words) plain.push_back(without_quotes(word));
  const auto call = shell_call(plain);
  if (call && call->from == ShellCall::From::Input) return Rank::Helper;  // runs an unknown script
  const Words words = without_starters(plain);
  if (words.empty() || words.front().starts_with("$(") || words.front().starts_with('`')) return Rank::Helper;
  const std::string_view name = base_name(words.front());
  if (std::ranges::find(kHelpers, name) != kHelpers.end()) return Rank::Helper;
  if (std::ranges::find(words, "pip") != words.end()) return Rank::Helper;  // python -m pip
  if (std::ranges::any_of(words, says_so)) return Rank::Trainer;
  return name.starts_with("python") || name.ends_with(".py") ? Rank::Interpreted : Rank::Program;
}

class Collector {
 public:
  void look_at(const List& list) {
    for (const AndOr& and_or : list)
      for (const auto& [and_then, pipeline] : and_or.pipelines)
        for (const Command& command : pipeline.parts) look_at(command);
  }
  std::vector<Words> found() {
    for (auto* each : {&trainers_, &interpreted_})
      if (!each->empty()) return std::move(*each);
    return std::move(programs_);
  }

 private:
  void look_at(const Command& command) {
    for (const List* list : {&command.condition, &command.body, &command.otherwise}) look_at(*list);
    for (const Arm& arm : command.arms) look_at(arm.body);
    for (const auto* nested : {&command.substituted, &command.beside})
      for (const auto& each : *nested) look_aside(each->script);
    if (command.nested) return look_at(command.nested->script);
    if (command.kind != Command::Kind::Simple) return;
    const Rank rank = rank_of(command);
    if (rank == Rank::Trainer) trainers_.push_back(command.words);
    if (is_aside_ || rank == Rank::Helper) return;
    if (rank == Rank::Interpreted) interpreted_.push_back(command.words);
    programs_.push_back(command.words);
  }
  // A command that only gives a value to others trains only if it is a trainer by name.
  void look_aside(const List& list) {
    const bool was_aside = std::exchange(is_aside_, true);
    look_at(list);
    is_aside_ = was_aside;
  }
  bool is_aside_ = false;
  std::vector<Words> trainers_, interpreted_, programs_;
};

}  // namespace

std::vector<Words> trainers_in(const List& script) {
  Collector collector;
  collector.look_at(script);
  return collector.found();
}

}  // namespace reprise::apps::lint::shell
