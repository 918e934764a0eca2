// Forms of a shell that are more than a line of commands, in pairs: one that loses the trainer's code, and one that
// keeps it. The exit codes of bash stated here were tried with a trainer that ends with 3.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apps/reprise/lint/shell/trainer_fate.h"

namespace reprise::apps::lint::shell {
namespace {

std::string end_of(const Words& words) {
  const auto call = shell_call(words);
  if (!call || call->from != ShellCall::From::Text) return "no shell";
  const auto found = fate_of_trainer(*call);
  if (!found) return "not understood";
  if (found->trainer.empty()) return "no trainer";
  return found->starts_again ? "starts again" : found->loses_code ? "lost" : "kept";
}

TEST(ShellForms, a_code_is_lost_in) {
  for (const char* script : {
           "case $1 in a) python train.py;; esac; true",
           "case \"$MODE\" in debug) set -x ;; *) python train.py | tee log ;; esac",
           "case x in (x|y) python train.py & ;; esac; wait",
           "script -c 'python train.py'",
           "script -q -c 'python train.py' log",
           "script -qec 'python train.py | tee log' /dev/null",
           "script -qefc \"python train.py 2>&1 | tee -a log\" /dev/null",
           "eval \"python train.py | tee log\"",
           "eval 'python train.py' '| tee log'",
           "CMD='python train.py | tee log'; eval \"$CMD\"",
           "CMD=\"python train.py\"; eval \"$CMD 2>&1 | tee log\"",
           "bash <<EOF\npython train.py | tee log\nEOF\n",
           "bash -s <<'EOF'\npython train.py\ncp -r out /checkpoints\nEOF\n",
           "bash -s -- a b <<-'EOF'\n\tpython train.py || true\n\tEOF\n",
           "cat <<EOF | bash\npython train.py | tee log\nEOF\n",
           "cat <<'EOF' | bash -s\npython train.py; sync\nEOF\n",
           "bash <<< 'python train.py | tee log'",
           "echo 'python train.py | tee log' | bash",
           "printf 'python train.py; sync\\n' | sh",
           "cat > run.sh <<'EOF'\npython train.py | tee log\nEOF\nbash run.sh",
           "cat <<'EOF' > run.sh\n#!/bin/bash\npython train.py\ncp -r out /checkpoints\nEOF\nchmod +x "
           "run.sh; exec ./run.sh",
           "echo 'python train.py || true' > /tmp/run.sh; . /tmp/run.sh",
           "run() { python train.py 2>&1 | tee log; return 0; }; run",
           "function run { python train.py; sync; }; run",
           "function run() { python train.py | tee log; }\nrun \"$@\"",
           "run() { \"$@\" 2>&1 | tee log; }; run python train.py",
           "(python train.py || true)",
           "{ python train.py; echo done; } > log 2>&1",
           "{ python train.py; } 2>&1 | tee log",
           "(python train.py) & wait",
           "python train.py & pid=$!; wait",
           "python train.py & wait $!; sync",
           "python train.py &",
           "trap 'echo failed' ERR; python train.py; echo done",
           "trap 'exit 0' ERR; python train.py",
           "trap 'exit 1' ERR; run() { python train.py; sync; }; run",
           "set -e; trap 'exit 0' ERR; python train.py",
           "if python train.py; then sync; fi",
           "python train.py && sync; echo done",
           "set -e; python train.py && sync; echo done",
           "! python train.py",
           "coproc python train.py; wait",
           "coproc T { python train.py; }; sync",
           "find configs -name '*.yaml' -exec python train.py {} \\;",
           "find . -maxdepth 0 -exec bash -c 'python train.py; sync' \\;",
           "echo 1 | xargs -I{} sh -c 'python train.py --seed {} | tee log'",
           "nohup python train.py > log 2>&1 &",
           "nohup bash -c 'python train.py | tee log'",
           "setsid bash -c 'python train.py | tee log'",
           "setsid --fork python train.py",
           "stdbuf -oL python train.py | tee log",
           "stdbuf -o L bash -c 'python train.py | tee log'",
           "time python train.py | tee log",
           "time -p python train.py | tee log",
           "nice -n 10 bash -c 'python train.py | tee log'",
           "env -u X bash -c 'python train.py | tee log'",
           "env -S \"bash -c 'python train.py | tee log'\"",
           "python train.py | tee log; set -o pipefail",
           "set -o pipefail; set +o pipefail; python train.py | tee log",
           "python train.py > >(tee log); sync",
           "tee log < <(python train.py)",
           "while read -r line; do echo $line; done < <(python train.py)",
           "echo \"$(python train.py)\"",
           "export OUT=$(python train.py)",
           "[ -f /nowhere/done ] || python train.py | tee log",
           "ok=true; python train.py || ok=false; $ok || true",
           "main() { python train.py \"$@\"; }; main | tee log",
           "set -e; run() { python train.py; echo done; }; run || exit 5",
           "finish() { echo bye; exit 0; }; trap finish EXIT; python train.py",
           "run() { python train.py; sync; }; export -f run; bash -c run",
           "a() ( python train.py; exit 0 ); a",
           "case x in x) python train.py ;& *) true ;; esac",
           "case x in x) python train.py ;;& *) true ;; esac",
           "run() { python train.py; local rc=0; sync; return $rc; }; run",
           "python train.py | tee log; st=(\"${PIPESTATUS[@]}\"); exit ${st[1]}",
           "false || python train.py | tee log",
           "ARGS=(--lr 1e-4 \"--name=a b\"); python train.py \"${ARGS[@]}\" | tee log",
           "for ((i = 0; i < n; i++)); do echo $i; done; python train.py | tee log",
           "python train.py; (( 1 ))",
           "if (( 1 )); then python train.py | tee log; fi",
           "run() { python train.py; local rc=$?; sync; return 0; }; run",
           "flock /tmp/lock -c 'python train.py | tee log'",
           "while true; do python train.py; break; done",
           "tmux new-session -d -s t 'python train.py'",
           "bash -c \"$(cat <<'EOF'\npython train.py | tee log\nEOF\n)\"",
           "python train.py |& tee log",
           "python train.py 2>&1 | tee >(cat) | cat",
           "env A=1 python train.py | tee log",
       })
    EXPECT_EQ(end_of({"bash", "-c", script}), "lost") << script;
}

TEST(ShellForms, a_code_is_kept_in) {
  for (const char* script : {
           "case $1 in a) exec python train.py;; *) exec python train.py --resume;; esac",
           "case x in x) python train.py; exit $?;; esac",
           "python train.py; case $? in 0) echo done;; *) exit 1;; esac",
           "case $MODE in debug) set -x;; *) set -euo pipefail;; esac; python train.py | tee log",
           "script -qec 'python train.py' log",
           "script -e -q -c 'python train.py' /dev/null",
           "script -qec 'set -o pipefail; python train.py | tee log' log",
           "eval \"python train.py\"",
           "eval \"set -e\"; python train.py; sync",
           "eval \"exec python train.py\"",
           "bash <<EOF\nexec python train.py\nEOF\n",
           "bash -euo pipefail <<'EOF'\npython train.py | tee log\nEOF\n",
           "bash -e -s <<'EOF'\npython train.py\nsync\nEOF\n",
           "cat <<EOF > config.yaml\nlr: 1e-4 # | tee it's\nEOF\nexec python train.py --config config.yaml",
           "cat > config.json <<'EOF'\n{\"a\": \"b | tee\"}\nEOF\npython train.py",
           "python - <<EOF\nimport train; train.main() | 1\nEOF\n",
           "cat <<EOF | python -\ntrain()\nEOF\n",
           "cat > run.sh <<'EOF'\nset -e\npython train.py\nsync\nEOF\nbash run.sh",
           "cat > run.sh <<'EOF'\n#!/bin/bash -e\npython train.py\nsync\nEOF\nchmod +x run.sh && ./run.sh",
           "run() { python train.py; return $?; }; run",
           "run() { python train.py; local rc=$?; cp -r out /checkpoints; return $rc; }; run",
           "function run { python train.py; }; run",
           "run() { \"$@\"; }; run python train.py",
           "retry() { local n=$1; shift; \"$@\"; }; retry 5 python train.py",
           "(python train.py)",
           "{ python train.py; } > log 2>&1",
           "(set -o pipefail; python train.py | tee log)",
           "(python train.py; rc=$?; sync; exit $rc)",
           "python train.py & pids=\"$!\"; for p in $pids; do wait $p || exit 1; done",
           "pids=(); python train.py & pids+=($!); rc=0; for p in \"${pids[@]}\"; do wait \"$p\" || "
           "rc=$?; done; exit $rc",
           "python train.py & wait $(jobs -p)",
           "python train.py & wait %1",
           "set -m; python train.py & fg",
           "trap 'exit 1' ERR; python train.py; echo done",
           "set -E; trap 'exit 4' ERR; run() { python train.py; sync; }; run",
           "set -e; trap 'echo failed at $LINENO' ERR; python train.py; sync",
           "trap 'rc=$?; echo bye; exit $rc' EXIT; python train.py",
           "trap 'echo bye; exit' EXIT; python train.py",
           "if python train.py; then sync; else exit 1; fi",
           "python train.py; case x in x) exit $?;; esac",
           "case x in x) python train.py ;; *) true ;; esac",
           "ok=true; python train.py || ok=false; $ok",
           "ok=true; python train.py || ok=false; if $ok; then echo fine; else exit 1; fi",
           "python train.py | tee log; (( PIPESTATUS[0] == 0 ))",
           "main() { python train.py \"$@\"; }; main",
           "set -e; (python train.py; echo done)",
           "set -e; run() { python train.py; echo done; }; run",
           "finish() { rc=$?; echo bye; exit $rc; }; trap finish EXIT; python train.py",
           "python train.py || { rc=$?; echo fail; exit $rc; }",
           "case x in x) python train.py ;;& y) true ;; esac",
           "if python train.py; then sync; else rc=$?; echo failed; exit $rc; fi",
           "python train.py && sync",
           "! python train.py && exit 1",
           "coproc python train.py; wait $COPROC_PID",
           "coproc T { python train.py; }; wait \"$T_PID\"",
           "find . -maxdepth 0 -exec python train.py {} +",
           "echo 1 | xargs -n1 python train.py",
           "echo 1 | xargs -I{} sh -ec 'python train.py --seed {}; sync'",
           "nohup python train.py",
           "nohup python train.py > log 2>&1 & wait $!",
           "setsid --wait python train.py",
           "stdbuf -oL python train.py",
           "stdbuf -oL -eL python -u train.py > >(tee log) 2>&1",
           "time python train.py",
           "time -p python train.py",
           "env -S 'python train.py'",
           "env A=1 B=2 python train.py",
           "set -o pipefail; python train.py | tee log",
           "exec > >(tee log) 2>&1; python train.py",
           "exec &> >(tee -a log)\npython train.py",
           "exec 3>&1; python train.py >&3 2>&1",
           "python train.py 2> >(tee err >&2) > >(tee out)",
           "python train.py | tee log; exit ${PIPESTATUS[0]}",
           "python train.py | tee log; rc=${PIPESTATUS[0]}; sync; exit \"$rc\"",
           "python train.py | tee log; st=(\"${PIPESTATUS[@]}\"); exit ${st[0]}",
           "python train.py | tee log; test ${PIPESTATUS[0]} -eq 0",
           "python train.py | tee log; [ \"${PIPESTATUS[0]}\" -eq 0 ] || exit 1",
           "(python train.py; echo $? > code) | tee log; exit $(cat code)",
           "out=$(python train.py)",
           "out=$(date); python train.py \"$(hostname)\" --n $(nproc)",
           "python train.py; rc=$?; if (( rc != 0 )); then exit $rc; fi",
           "python train.py; rc=$?; if (( rc == 0 )); then echo done; else exit 1; fi",
           "python train.py; rc=$?; (( rc == 0 )) && sync",
           "rc=0; python train.py || rc=$?; exit $((rc))",
           "rc=0; python train.py || rc=1; if [ \"$rc\" -eq 0 -a -d / ]; then sync; else exit 1; fi",
           "python train.py; rc=$?; if [[ $rc -eq 0 && -d / ]]; then sync; else exit 1; fi",
           "python train.py; rc=$?; [[ $rc -ne 0 || -z $x ]] && exit $rc",
           "python train.py; rc=$?; if [ ! $rc -eq 0 ]; then exit 1; fi",
           "ARGS=(--lr 1e-4 \"--name=a b\"); exec python train.py \"${ARGS[@]}\"",
           "flock /tmp/lock python train.py",
           "flock /tmp/lock -c 'python train.py'",
           "[ -f /nowhere/done ] || exec python train.py",
           "python train.py; declare -i rc=$?; sync; exit $rc",
           "bash -c \"$(cat <<'EOF'\npython train.py\nEOF\n)\"",
           "eval \"$(hostname >/dev/null)\"; exec python train.py",
           "bash -c 'set -e; . /dev/null; python train.py'",
           "mkfifo p 2>/dev/null; tee log < p & python train.py > p",
       })
    EXPECT_EQ(end_of({"bash", "-c", script}), "kept") << script;
}

TEST(ShellForms, a_trainer_is_started_again_in) {
  for (const char* script : {
           "retry() { until \"$@\"; do sleep 5; done; }; retry python train.py",
           "retry() { local n=$1; shift; for i in 1 2 3; do \"$@\" && return 0; done; return 1; }; "
           "retry 3 python train.py",
           "for ((i = 0; i < 3; i++)); do python train.py && break; done",
           "bash <<'EOF'\nuntil python train.py; do :; done\nEOF",
           "eval \"until python train.py; do sleep 1; done\"",
           "case $1 in *) while ! python train.py; do sleep 1; done ;; esac",
           "while true; do if python train.py; then break; else sleep 1; fi; done",
           "run() { python train.py || run; }; run",
       })
    EXPECT_EQ(end_of({"bash", "-c", script}), "starts again") << script;
}

TEST(ShellForms, a_container_has_of_its_own) {
  const std::string piped = "python train.py | tee log";
  for (const Words& words :
       {Words{"script", "-qc", "python train.py"}, Words{"script", "-qec", piped, "/dev/null"},
        Words{"dumb-init", "--rewrite", "15:2", "sh", "-c", piped}, Words{"nice", "-n", "10", "bash", "-c", piped},
        Words{"env", "-u", "X", "bash", "-c", piped}, Words{"stdbuf", "-o", "L", "bash", "-c", piped},
        Words{"env", "-S", "bash -c '" + piped + "'"}, Words{"sudo", "-u", "user", "--", "sh", "-ceu", piped},
        Words{"runuser", "-u", "user", "--", "bash", "-c", piped}, Words{"flock", "/tmp/lock", "-c", piped},
        Words{"setsid", "-w", "bash", "-c", piped}, Words{"xvfb-run", "-a", "bash", "-c", piped},
        Words{"setsid", "--fork", "bash", "-c", "python train.py"}, Words{"exec", "bash", "-c", piped}})
    EXPECT_EQ(end_of(words), "lost") << words[0];
  EXPECT_EQ(end_of({"script", "-qec", "python train.py", "/dev/null"}), "kept");
  EXPECT_EQ(end_of({"setsid", "--wait", "bash", "-c", "python train.py"}), "kept");
  EXPECT_EQ(end_of({"systemd-run", "--wait", "bash", "-c", "python train.py"}), "kept");
  EXPECT_EQ(end_of({"flock", "/tmp/lock", "bash", "-ec", "python train.py; sync"}), "kept");
  for (const Words& words : {Words{"bash", "run.sh"}, Words{"bash", "-s"}, Words{"tini", "--", "python", "train.py"},
                             Words{"env", "-S", "python train.py"}, Words{"script", "log"}, Words{"find", "."},
                             Words{"python", "train.py", "-c", piped}, Words{}, Words{""}})
    EXPECT_EQ(end_of(words), "no shell");
}

TEST(ShellForms, an_exec_goes_through_shells) {
  const auto is_replaced = [](const char* script) { return fate_of_trainer({.text = script})->is_replaced; };
  EXPECT_TRUE(is_replaced("exec bash -c 'exec python train.py'"));
  EXPECT_TRUE(is_replaced("run() { exec \"$@\"; }; run python train.py"));
  EXPECT_TRUE(is_replaced("case x in x) exec python train.py;; esac"));
  EXPECT_TRUE(is_replaced("exec -a trainer python train.py"));
  EXPECT_FALSE(is_replaced("bash -c 'exec python train.py'"));
  EXPECT_FALSE(is_replaced("exec bash -c 'python train.py'"));
  EXPECT_FALSE(is_replaced("bash <<EOF\nexec python train.py\nEOF\n"));
}

TEST(ShellForms, a_helper_is_no_trainer) {
  for (const char* script :
       {"curl -sSf https://example.com/install | sh; exec python main.py",
        "bash <<'EOF'\npip install torch\nEOF\nexec python main.py", "bash setup.sh; exec python main.py",
        "eval \"$(conda shell.bash hook)\"; conda activate env; exec python main.py",
        "GPUS=$(python -c 'import torch; print(torch.cuda.device_count())'); exec python main.py --gpus $GPUS",
        "cat requirements.txt | xargs -n 1 pip install; exec python main.py",
        "find . -name '*.pyc' -exec rm {} \\;\nexec python main.py"})
    EXPECT_EQ(end_of({"bash", "-c", script}), "kept") << script;
  EXPECT_EQ(end_of({"bash", "-c", "sleep 5; cp a b"}), "no trainer");
}

TEST(ShellForms, much_in_each_other_comes_to_an_end) {
  std::string echoes = "python train.py";
  for (int i = 0; i < 40; ++i) echoes = "eval \"$(echo " + echoes + ")\"";
  static_cast<void>(end_of({"bash", "-c", echoes}));
  std::string documents;
  for (int i = 0; i < 2000; ++i) documents += "bash <<E\npython train.py\nE\n";
  static_cast<void>(end_of({"bash", "-c", documents}));
  for (const char* script : {"case x in a) python train.py",
                             "case x in a",
                             "cat <<",
                             "cat <<EOF\nopen",
                             "((",
                             "((1",
                             "f(",
                             "a=(1 2",
                             "coproc",
                             "function",
                             "function f",
                             "$((",
                             "echo $((1+",
                             "bash -c",
                             "eval",
                             "find -exec",
                             "env -S",
                             "for ((;;",
                             "[[ a",
                             "trap ERR; trap x ERR; false",
                             "run() { \"$@\"; }; run; run run",
                             "x+=(a); ${x[9]}",
                             "(( 1 / 0 ))",
                             "(( -(-(1) ))"})
    static_cast<void>(end_of({"bash", "-c", script}));
}

}  // namespace
}  // namespace reprise::apps::lint::shell
