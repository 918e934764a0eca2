#!/usr/bin/env bash
# optuna 5.0.0 (sqlalchemy 2.1.9): an exhaustive search whose machine is taken away within a trial.
#
# A process of a study of six points is killed in its third trial, and the next process goes on with the study until it stops by itself,
# as both samplers for exhaustive search do once all is done. The storage's heartbeat, made for trials whose machine is gone, sets the
# lost trial to FAIL, and to GridSampler a failed trial is a point that is done: the search ends with five values of six, without an
# error or a warning, and its best value is the best of five. Without the heartbeat the lost trial stays RUNNING for good, and
# GridSampler does its point again. BruteForceSampler leaves the point out in both cases. The heartbeat with a callback that retries
# the lost trial is the one setup that gives all six with either sampler.
#
# Seen on 2026-12-01:
#   GridSampler, no heartbeat: lost trial RUNNING, points without a value: none
#   GridSampler, heartbeat: lost trial FAIL, points without a value: 5
#   GridSampler, heartbeat and retry: lost trial FAIL, points without a value: none
#   BruteForceSampler, no heartbeat: lost trial RUNNING, points without a value: 1
#   BruteForceSampler, heartbeat: lost trial FAIL, points without a value: 1
#   BruteForceSampler, heartbeat and retry: lost trial FAIL, points without a value: none
#
# Needs Python 3.11 or newer with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check optuna==5.0.0 sqlalchemy==2.1.9

cat >start.py <<'P'
import os, signal, sys, warnings
import optuna
from optuna.storages import RDBStorage, RetryHeartbeatStaleTrialCallback

warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
optuna.logging.set_verbosity(optuna.logging.ERROR)
sampler, heartbeat, kill_at = sys.argv[1:]
POINTS = [1, 2, 3, 4, 5, 6]
settings = {} if heartbeat == "no heartbeat" else {"heartbeat_interval": 1, "grace_period": 2}
if heartbeat.endswith("retry"):
    settings["heartbeat_stale_trial_callback"] = RetryHeartbeatStaleTrialCallback()
study = optuna.create_study(
    study_name=f"{sampler}, {heartbeat}", storage=RDBStorage("sqlite:///studies.db", **settings), load_if_exists=True,
    sampler={"GridSampler": lambda: optuna.samplers.GridSampler({"point": POINTS}, seed=1),
             "BruteForceSampler": lambda: optuna.samplers.BruteForceSampler(seed=1)}[sampler]())


def objective(trial):
    point = trial.suggest_categorical("point", POINTS)
    if trial.number == int(kill_at):
        os.kill(os.getpid(), signal.SIGKILL)
    return point


study.optimize(objective)
there = {trial.params["point"] for trial in study.trials if trial.value is not None}
print(f"{study.study_name}: lost trial {study.trials[2].state.name}, points without a value:", *sorted(set(POINTS) - there) or ["none"])
P

each() {
  for sampler in GridSampler BruteForceSampler; do
    for heartbeat in 'no heartbeat' heartbeat 'heartbeat and retry'; do
      venv/bin/python start.py "$sampler" "$heartbeat" "$1" || [ "$1" = 2 ]
    done
  done
}
each 2 >log 2>&1
sleep 10 # until the heartbeats have stayed away for longer than their 2 s
seen=$(each -1 2>log) || { cat log >&2; exit 2; }
echo "$seen"
[ "$seen" = "GridSampler, no heartbeat: lost trial RUNNING, points without a value: none
GridSampler, heartbeat: lost trial FAIL, points without a value: 5
GridSampler, heartbeat and retry: lost trial FAIL, points without a value: none
BruteForceSampler, no heartbeat: lost trial RUNNING, points without a value: 1
BruteForceSampler, heartbeat: lost trial FAIL, points without a value: 1
BruteForceSampler, heartbeat and retry: lost trial FAIL, points without a value: none" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
