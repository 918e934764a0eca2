#!/usr/bin/env bash
# lightgbm 4.7.0 (pandas 3.1.1, numpy 2.4.6): a training that goes on from a saved model (init_model), and a column of dtype category.
#
# A saved model knows its categories by name: its file lists them, and predict() looks each value up in the list, in whatever order the
# frame has its own. A training that goes on takes the list of the new frame instead. The trees of the saved model are kept as they are,
# and they ask for the codes of their own time, so from then on each of them answers for another category. The next part of the data
# lacks the first category: "b" gets what "a" had, and "c" what "b" had. With the very same rows, read so that the categories come in
# another order, the model is turned about. Neither raises or warns. New rounds mend it for the categories that the new part has, at the
# price of a training from the beginning; what was known of "a" does not come back. Put into the order of the saved model's list first
# (cat.set_categories(saved.pandas_categorical[0])), the same frame is gone on with rightly.
#
# Seen on 2026-12-01 (the answers for a, b, c and d, which are 0, 10, 20 and 30 in the data):
#   saved: 0 10 20 30
#   1 round on a part without a: 1 1 11 21
#   100 rounds on it: 10 10 20 30
#   1 round on the same rows, categories from d to a: 27 19 11 3
#   1 round on the part without a, the saved model's categories: 0 10 20 30
#   100 rounds on it: 0 10 20 30
#
# Needs Python 3.11 or newer with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check lightgbm==4.7.0 pandas==3.1.1 numpy==2.4.6

cat >"$work/parts.py" <<'P'
import sys
import lightgbm as lgb
import numpy as np
import pandas as pd

file = sys.argv[1] + "/model.txt"
WORTH = {"a": 0.0, "b": 10.0, "c": 20.0, "d": 30.0}


def part(names, order=None):
    rows = list(names) * 400
    column = pd.Series(pd.Categorical(rows, categories=list(order or names)))
    return pd.DataFrame({"kind": column}), np.array([WORTH[row] for row in rows])


def shown(what, model):
    print(f"{what}:", *(round(answer) for answer in model.predict(pd.DataFrame({"kind": pd.Categorical(list("abcd"))}))))


def trained(rows, answers, rounds, saved=None):
    settings = {"objective": "regression", "num_threads": 1, "deterministic": True, "verbose": -1, "cat_smooth": 1, "cat_l2": 0}
    return lgb.train(settings, lgb.Dataset(rows, answers), rounds, init_model=saved)


trained(*part("abcd"), 100).save_model(file)
saved = lgb.Booster(model_file=file)
shown("saved", saved)
rows, answers = part("bcd")
shown("1 round on a part without a", trained(rows, answers, 1, file))
shown("100 rounds on it", trained(rows, answers, 100, file))
shown("1 round on the same rows, categories from d to a", trained(*part("abcd", "dcba"), 1, file))
rows["kind"] = rows["kind"].cat.set_categories(saved.pandas_categorical[0])
shown("1 round on the part without a, the saved model's categories", trained(rows, answers, 1, file))
shown("100 rounds on it", trained(rows, answers, 100, file))
P

seen=$("$work/venv/bin/python" "$work/parts.py" "$work")
echo "$seen"
[ "$seen" = "saved: 0 10 20 30
1 round on a part without a: 1 1 11 21
100 rounds on it: 10 10 20 30
1 round on the same rows, categories from d to a: 27 19 11 3
1 round on the part without a, the saved model's categories: 0 10 20 30
100 rounds on it: 0 10 20 30" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
