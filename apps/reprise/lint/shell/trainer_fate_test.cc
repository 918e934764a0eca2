#include "apps/reprise/lint/shell/trainer_fate.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apps/reprise/lint/shell/script.h"

namespace reprise::apps::lint::shell {
namespace {

// Judges the words as the command of a container, whose last word is the script.
std::string fate(const std::vector<std::string>& words) {
  const auto call = shell_call(words);
  if (!call || call->from != ShellCall::From::Text) return "no shell";
  const auto found = fate_of_trainer(*call);
  if (!found) return "not understood";
  if (found->trainer.empty()) return "no trainer";
  return found->starts_again ? "starts again" : found->loses_code ? "lost" : "kept";
}

std::string bash(const std::string& script) {
  return fate({"bash", "-c", script});
}

TEST(TrainerFate, a_code_is_lost_whatever_comes_behind_the_trainer) {
  for (const char* script : {
           "python train.py 2>&1 | tee log",
           "exec python train.py 2>&1 | tee log",
           "python train.py |& tee -a log",
           "source activate env; python train.py |& tee -a log",
           "python train.py; cp -r out /checkpoints",
           "python train.py\ncp -r out /checkpoints\n",
           "python train.py; python upload.py",
           "python train.py || true",
           "python train.py || :",
           "python train.py || echo failed",
           "python train.py || exit 0",
           "python train.py && echo done; exit 0",
           "if ! python train.py; then echo failed; fi",
           "if python train.py; then echo done; else echo failed; fi",
           "python train.py & tail -f log",
           "nohup python train.py & wait",
           "python train.py & wait; echo done",
           "trap 'exit 0' EXIT; python train.py",
           "(python train.py); sync",
           "{ python train.py; } || true",
           "! python train.py",
           "set -e; python train.py | tee log",
           "set -e\npython train.py || true\n",
           "set -o pipefail; python train.py | tee log; cp log /out",
           "run() { python train.py; }; run; echo done",
           "torchrun --nproc-per-node 4 train.py 2>&1 | tee \"$LOG\"",
           "bash -c 'python train.py | tee log'",
           "rc=0; python train.py || rc=$?; echo $rc",
           "shopt -uo pipefail; python train.py | tee log",
           "shopt -s pipefail; python train.py | tee log",
           "python train.py || kill -0 $$; echo done",
           "python train.py || kill $other; echo done",
           "trap : TERM; python train.py || kill $$; echo done",
           "true & python train.py & wait $(jobs -p)x; wait",
       })
    EXPECT_EQ(bash(script), "lost") << script;
}

TEST(TrainerFate, a_code_is_kept_where_the_script_ends_with_it) {
  for (const char* script : {
           "python train.py",
           "exec python train.py",
           "cd /work && exec python train.py --lr \"1e-4\" # the usual one",
           "set -o pipefail; exec python train.py | tee log",
           "set -euo pipefail\npython train.py 2>&1 | tee log\n",
           "python train.py 2>&1 | tee log; exit ${PIPESTATUS[0]}",
           "python train.py; rc=$?; cp -r out /checkpoints; exit $rc",
           "python train.py > >(tee log) 2>&1",
           "python train.py & wait $!",
           "python train.py & pid=$!; trap 'kill $pid' TERM; wait $pid",
           "python train.py & wait -n",
           "tail -f log & python train.py",
           "trap 'echo cleanup' EXIT; python train.py",
           "set -e; python train.py; echo done",
           "python train.py && cp -r out /checkpoints",
           "python train.py || exit 1",
           "shopt -so pipefail; python train.py | tee log",
           "shopt -s -o errexit; python train.py; echo done",
           "python train.py || kill $$; echo done",
           "python train.py || kill -9 $$; echo done",
           "(python train.py || kill -s TERM \"$$\") | tee log; echo done",
           "python train.py || kill $BASHPID; echo done",
           "python train.py || { echo failed; exit 3; }",
           "if ! python train.py; then exit 1; fi",
           "python train.py; if [ $? -ne 0 ]; then exit 1; fi",
           "python train.py; [ $? -eq 0 ] && echo done",
           "while [ ! -f /data/ready ]; do sleep 5; done; exec python train.py",
           "if [ -f last ]; then python train.py --resume; else python train.py; fi",
           "pip install -r requirements.txt; python -m pip install x; exec python main.py",
           "export A=1; mkdir -p out; nvidia-smi; exec torchrun train.py",
           "nvidia-smi | head -5; exec python train.py",
       })
    EXPECT_EQ(bash(script), "kept") << script;
}

TEST(TrainerFate, a_loop_starts_it_again) {
  for (const char* script : {
           "until python3 train.py; do :; done",
           "until python3 train.py; do echo \"crashed with $?\" >&2; sleep 1; done",
           "while ! python3 train.py; do sleep 1; done",
           "while true; do python3 train.py && break; done",
           "for i in 1 2 3; do python3 train.py && break; sleep 5; done",
           "until [ -f done ]; do python3 train.py; done",
           "python3 train.py || python3 train.py",
           "set -e\nwhile :; do\n  if python3 train.py; then break; fi\ndone",
       })
    EXPECT_EQ(bash(script), "starts again") << script;
}

TEST(TrainerFate, is_found_in_every_form_of_a_shell) {
  const std::string piped = "python train.py | tee log";
  using Words = std::vector<std::string>;
  for (const Words& words : {Words{"sh", "-c", piped}, Words{"/bin/bash", "-lc", piped}, Words{"bash", "-ceu", piped},
                             Words{"bash", "-e", "-c", piped}, Words{"/usr/bin/env", "bash", "-c", piped},
                             Words{"tini", "--", "bash", "-c", piped}, Words{"bash", "--login", "-c", piped},
                             Words{"bash", "-xeuo", "nounset", "-c", piped}, Words{"zsh", "-c", piped},
                             Words{"timeout", "7d", "sh", "-c", piped}, Words{"gosu", "user", "bash", "-c", piped},
                             Words{"su", "user", "-c", piped}, Words{"uv", "run", "bash", "-c", piped},
                             Words{"conda", "run", "-n", "x", "bash", "-c", piped}})
    EXPECT_EQ(fate(words), "lost") << words[1];
  EXPECT_EQ(fate({"bash", "-euo", "pipefail", "-c", piped}), "kept");
  EXPECT_EQ(fate({"bash", "-o", "pipefail", "-c", piped}), "kept");
  EXPECT_EQ(fate({"bash", "-ec", "python train.py; echo done"}), "kept");
  EXPECT_EQ(fate({"python", "train.py"}), "no shell");
  EXPECT_EQ(fate({"bash", "train.sh"}), "no shell");
  EXPECT_EQ(fate({"uv", "run", "train.py", "bash", "-c", piped}), "no shell");
}

TEST(TrainerFate, nothing_is_said_of_what_is_not_understood_and_nothing_runs_for_ever) {
  for (const char* script : {"select x in a b; do python train.py; done", "case x in a) python train.py", "echo 'open",
                             "if python train.py; then", "done", "a() { a; }; a; python train.py", "(((((", ")"}) {
    const std::string found = bash(script);
    EXPECT_TRUE(found == "not understood" || found == "no trainer" || found == "kept") << script << ": " << found;
  }
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "(";
  EXPECT_EQ(bash(deep), "not understood");
}

TEST(TrainerFate, says_who_hears_of_a_stop) {
  const auto fate_of = [](const char* script) { return fate_of_trainer({.text = script}); };
  EXPECT_TRUE(fate_of("cd /x; exec python train.py")->is_replaced);
  EXPECT_FALSE(fate_of("exec python train.py | tee log")->is_replaced);
  EXPECT_FALSE(fate_of("(exec python train.py)")->is_replaced);
  EXPECT_TRUE(fate_of("trap '' TERM; python train.py")->ignores_term);
  EXPECT_TRUE(fate_of("trap 'kill $p' TERM INT; python train.py & p=$!; wait $p")->handles_term);
  EXPECT_TRUE(fate_of("trap 'echo cleanup' EXIT; python3 train.py")->traps_exit);
}

}  // namespace
}  // namespace reprise::apps::lint::shell
