#!/usr/bin/env bash
# keras 3.15.1 (jax 0.10.2, numpy 2.4.6): BackupAndRestore(save_freq=N), the backup every N batches.
#
# The backup holds the weights and the optimizer in the middle of an epoch, and its training_metadata.json names the epoch and the batch.
# A resume takes the epoch alone: fit starts that epoch at its first batch, with weights that have already learned from it. After one
# stop, a run of 20 batches has learned from 26, and its optimizer counts 26 steps, so a schedule of learning rates is ahead of the data.
# Where a spot machine stays for less than an epoch, no start gets further than the one before: the model learns from the same first
# batches at each start and never sees the others, while its step count says that it goes on.
#
# Seen on 2026-11-30 (2 epochs of 10 batches, a backup every 2 batches):
#   the backup: {"epoch": 1, "batch": 5}
#   one stop, after batch 6 of epoch 1: resumed at batch 0 of epoch 1, 26 steps for 20 batches
#   8 starts, each stopped after 7 batches: 49 steps, all in epoch 0, batches never seen: 7, 8, 9
#
# Needs Python 3 with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check keras==3.15.1 jax==0.10.2 numpy==2.4.6

cat >"$work/starts.py" <<'P'
import os, sys
import numpy as np
import keras

folder, BATCHES = sys.argv[1], 10
x = np.arange(BATCHES, dtype="float32")[:, None]


class Stop(Exception):
    pass


class Watch(keras.callbacks.Callback):
    def __init__(self, after):
        super().__init__()
        self.after, self.seen = after, []

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        self.seen.append((self.epoch, batch))
        if len(self.seen) == self.after:
            raise Stop


def start(name, after=None):
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(1e-4), "mse")
    watch = Watch(after)
    backup = keras.callbacks.BackupAndRestore(os.path.join(folder, name), save_freq=2)
    try:
        model.fit(x, x, batch_size=1, epochs=2, shuffle=False, verbose=0, callbacks=[backup, watch])
    except Stop:
        pass
    return watch.seen, int(model.optimizer.iterations)


start("once", BATCHES + 7)
with open(os.path.join(folder, "once", "training_metadata.json"), encoding="utf-8") as file:
    print("the backup:", file.read())
seen, steps = start("once")
print(f"one stop, after batch 6 of epoch 1: resumed at batch {seen[0][1]} of epoch {seen[0][0]}, {steps} steps for {2 * BATCHES} batches")
seen = []
for _ in range(8):
    more, steps = start("often", 7)
    seen += more
epochs = {epoch for epoch, _ in seen}
never = sorted(set(range(BATCHES)) - {batch for _, batch in seen})
print(f"8 starts, each stopped after 7 batches: {steps} steps, all in epoch {', '.join(map(str, epochs))}, "
      f"batches never seen: {', '.join(map(str, never))}")
P

seen=$(KERAS_BACKEND=jax KERAS_HOME=$work "$work/venv/bin/python" "$work/starts.py" "$work")
echo "$seen"
[ "$seen" = 'the backup: {"epoch": 1, "batch": 5}
one stop, after batch 6 of epoch 1: resumed at batch 0 of epoch 1, 26 steps for 20 batches
8 starts, each stopped after 7 batches: 49 steps, all in epoch 0, batches never seen: 7, 8, 9' ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
