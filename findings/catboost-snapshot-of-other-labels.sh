#!/usr/bin/env bash
# catboost 1.2.10 (numpy 2.4.6): save_snapshot=True, and a start whose data is not the data of the snapshot.
#
# A start compares its data with the data that the snapshot was made of, and refuses another data set: one other value of one feature
# is an error. The comparison is of the features alone. With other labels or other weights the start takes the snapshot: the trees that
# learned from the old labels stay in the model, and after a training that had ended no tree is grown at all, and fit returns the model
# of the old labels. A job that is sent again with corrected labels and finds the snapshot in its volume ends at once, raises nothing,
# and its model gives the old labels.
#
# Seen on 2026-11-30 (60 trees; the second start has each label the other way round, or a weight of 100 for one class):
#   one feature value changed: refused
#   labels changed after 30 trees: 60 trees, right for 94.5% of its labels, 99.5% without the snapshot
#   labels changed after 60 trees: 60 trees, right for 0.5% of its labels, 99.5% without the snapshot; the model is the first one
#   weights changed after 60 trees: 60 trees, right for 99.5% of its labels, 50.7% without the snapshot; the model is the first one
#
# Needs Python 3 with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check catboost==1.2.10 numpy==2.4.6

cat >"$work/starts.py" <<'P'
import pathlib, sys
import catboost
import numpy as np

folder, TREES = pathlib.Path(sys.argv[1]), 60
features = np.random.default_rng(0).normal(size=(400, 4))
labels = (features[:, 0] + features[:, 1] > 0).astype(int)
moved = features.copy()
moved[0, 0] += 1


class Stop:
    def __init__(self, trees):
        self.trees = trees

    def after_iteration(self, info):
        return info.iteration < self.trees


def fitted(pool, snapshot, trees=TREES):
    model = catboost.CatBoostClassifier(iterations=TREES, learning_rate=0.1, random_seed=1, thread_count=1, verbose=False,
                                        train_dir=str(folder))
    saving = {"save_snapshot": True, "snapshot_file": "job.snapshot", "snapshot_interval": 0} if snapshot else {}
    model.fit(pool, callbacks=[Stop(trees)], **saving)
    return model


def right(model, truth):
    return f"{100 * np.mean(model.predict(features) == truth):.1f}%"


def started_again(words, trees, pool, truth):
    (folder / "job.snapshot").unlink(missing_ok=True)
    first = fitted(catboost.Pool(features, labels), True, trees)
    try:
        second = fitted(pool, True)
    except catboost.CatBoostError:
        print(words, "changed: refused")
        return
    first_one = np.array_equal(*(model.predict_proba(features) for model in (first, second)))
    print(f"{words} changed after {first.tree_count_} trees: {second.tree_count_} trees, right for {right(second, truth)} of its labels, "
          f"{right(fitted(pool, False), truth)} without the snapshot{'; the model is the first one' if first_one else ''}")


started_again("one feature value", 30, catboost.Pool(moved, labels), labels)
for stopped in (30, TREES):
    started_again("labels", stopped, catboost.Pool(features, 1 - labels), 1 - labels)
started_again("weights", TREES, catboost.Pool(features, labels, weight=np.where(labels, 100, 1)), labels)
P

seen=$("$work/venv/bin/python" "$work/starts.py" "$work/train")
echo "$seen"
[ "$seen" = "one feature value changed: refused
labels changed after 30 trees: 60 trees, right for 94.5% of its labels, 99.5% without the snapshot
labels changed after 60 trees: 60 trees, right for 0.5% of its labels, 99.5% without the snapshot; the model is the first one
weights changed after 60 trees: 60 trees, right for 99.5% of its labels, 50.7% without the snapshot; the model is the first one" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
