#!/usr/bin/env bash
# xgboost-cpu 3.2.0 (numpy 2.4.6): subsample=0.5 and a training that goes on from a saved model (xgb_model="model.ubj").
#
# The trees of a resumed training are grown on the very rows that the first trees were grown on: each start draws the first samples of
# the seed once more. seed_per_iteration=True, by its name a seed for each round, does not help, since a resumed training counts its
# rounds from 0. Nine rounds in three starts of three use three samples three times each, and more rows than in one go take no part in
# the model at all. A job on spot machines that saves and starts often trains on part of its data that way, and nothing is said. With
# the number of rounds that the file has added to the seed, each start draws samples of its own.
#
# A root's "cover" is the sum of its rows' weights here. Row i weighs 2**i, so that each cover names the rows of its sample.
#
# Seen on 2026-11-30:
#   in one go: 9 samples, 9 different, rows never drawn: 0
#   3 starts: 9 samples, 3 different, rows never drawn: 2
#   in one go, seed_per_iteration: 9 samples, 9 different, rows never drawn: 1
#   3 starts, seed_per_iteration: 9 samples, 3 different, rows never drawn: 5
#   3 starts, seed + rounds: 9 samples, 9 different, rows never drawn: 0
#
# Needs Python 3 with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check xgboost-cpu==3.2.0 numpy==2.4.6

cat >"$work/rows.py" <<'P'
import json, sys
import numpy as np
import xgboost as xgb

ROWS, ROUNDS, SEED = 20, 9, 7
random = np.random.default_rng(0)
data = xgb.DMatrix(random.normal(size=(ROWS, 2)), random.normal(size=ROWS), weight=2.0 ** np.arange(ROWS))
file = sys.argv[1] + "/model.ubj"


def trained(what, starts, own_seeds=False, **parameters):
    model = None
    for start in range(starts):
        done = start * ROUNDS // starts
        booster = xgb.train(
            {"subsample": 0.5, "max_depth": 1, "nthread": 1, "seed": SEED + done * own_seeds, **parameters},
            data, ROUNDS // starts, xgb_model=model)
        model = file
        booster.save_model(model)
    samples = [int(json.loads(tree)["cover"]) for tree in booster.get_dump(with_stats=True, dump_format="json")]
    never = sum(not any(sample >> row & 1 for sample in samples) for row in range(ROWS))
    print(f"{what}: {len(samples)} samples, {len(set(samples))} different, rows never drawn: {never}")


trained("in one go", 1)
trained("3 starts", 3)
trained("in one go, seed_per_iteration", 1, seed_per_iteration=True)
trained("3 starts, seed_per_iteration", 3, seed_per_iteration=True)
trained("3 starts, seed + rounds", 3, own_seeds=True)
P

seen=$("$work/venv/bin/python" "$work/rows.py" "$work")
echo "$seen"
[ "$seen" = "in one go: 9 samples, 9 different, rows never drawn: 0
3 starts: 9 samples, 3 different, rows never drawn: 2
in one go, seed_per_iteration: 9 samples, 9 different, rows never drawn: 1
3 starts, seed_per_iteration: 9 samples, 3 different, rows never drawn: 5
3 starts, seed + rounds: 9 samples, 9 different, rows never drawn: 0" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
