#!/usr/bin/env bash
# grain 0.2.18 (numpy 2.4.6): RebatchIterDataset, and a state that was saved at the end of an epoch.
#
# The iterator that gave the last batch of an epoch goes on rightly: to its end, or under RepeatIterDataset to the next epoch. One that
# gets its state by set_state gives one batch more than there are, and that batch has no examples. So the save that a training makes at
# the end of an epoch, of all its saves, is the one that does not resume. The mean loss over no examples is not a number, and after that
# step neither is any weight: the run that was taken away between two epochs comes back, and all that it does from then on is lost. It
# happens where the batches fill the epoch exactly, which is where nobody thinks of a remainder; drop_remainder=True drops the batch.
# States from within an epoch resume as they should, and so does batch() at an end.
#
# Seen on 2026-12-01 (2 epochs of 24 examples, read as batches of 6 and made to batches of 4, so 6 steps an epoch; a small regression):
#   saved after step 5: sizes of the batches as unbroken, weight as unbroken
#   saved after step 6: 0 4 4 4 4 4 4, weight nan
#   saved after step 7: sizes of the batches as unbroken, weight as unbroken
#   saved after step 12: 0, weight nan
#   saved after step 6, drop_remainder: sizes of the batches as unbroken, weight as unbroken
#
# Needs Python 3.11 or newer with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check grain==0.2.18 numpy==2.4.6

cat >"$work/epochs.py" <<'P'
import copy
import warnings
import grain
import numpy as np
from grain.experimental import RebatchIterDataset, RepeatIterDataset

warnings.simplefilter("ignore")


def batches(drop):
    source = grain.MapDataset.range(24).to_iter_dataset().batch(6)
    return RepeatIterDataset(RebatchIterDataset(source, batch_size=4, drop_remainder=drop), num_epochs=2)


def step(weight, batch):
    return weight - 0.001 * np.mean(2 * batch * (weight * batch - 3 * batch))


def run(drop, save_after):
    iterator, weight = iter(batches(drop)), 0.0
    for _ in range(save_after):
        weight = step(weight, next(iterator))
    saved = copy.deepcopy(iterator.get_state()), weight
    resumed = iter(batches(drop))
    resumed.set_state(saved[0])
    ends = []
    for rest in (iterator, resumed):
        weight, sizes = saved[1], []
        for batch in rest:
            weight = step(weight, batch)
            sizes.append(len(batch))
        ends.append((sizes, weight))
    (sizes, weight), (sizes_resumed, weight_resumed) = ends
    return ("sizes of the batches as unbroken" if sizes_resumed == sizes else " ".join(map(str, sizes_resumed)),
            "as unbroken" if weight_resumed == weight else weight_resumed)


for after in (5, 6, 7, 12):
    print("saved after step {}: {}, weight {}".format(after, *run(False, after)))
print("saved after step 6, drop_remainder: {}, weight {}".format(*run(True, 6)))
P

seen=$("$work/venv/bin/python" "$work/epochs.py" 2>"$work/log") || { cat "$work/log" >&2; exit 2; }
echo "$seen"
[ "$seen" = "saved after step 5: sizes of the batches as unbroken, weight as unbroken
saved after step 6: 0 4 4 4 4 4 4, weight nan
saved after step 7: sizes of the batches as unbroken, weight as unbroken
saved after step 12: 0, weight nan
saved after step 6, drop_remainder: sizes of the batches as unbroken, weight as unbroken" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
