#!/usr/bin/env bash
# keras 3.15.1 with orbax-checkpoint 0.12.8 (jax 0.10.2, numpy 2.4.6): keras.callbacks.OrbaxCheckpoint, by epochs and with one
# checkpoint kept, as it does by itself.
#
# The callback numbers its checkpoints by fit's epochs, and Orbax saves no number below the one that is there. A job that loads its
# checkpoint and goes on with fit(epochs=N), as Keras' own guide does under "Resuming training", begins at epoch 0 again: each save is
# passed over without a word, and fit ends as ever. The folder has the old weights; the next start loads them, and all work since is
# lost. A run that is long enough to come to the number that is there fails at it ("Step 2 already exists"), still without a save, and
# so does each start after it. initial_epoch with the number of epochs that are done makes it right. By batches (save_freq=N) the numbers
# are the optimizer's steps, and they go on.
#
# Seen on 2026-11-30 (10 steps an epoch):
#   first start, epochs=3: steps 0 to 30, then in the folder: 2, with 30 steps
#   resumed, epochs=2: steps 30 to 50, then in the folder: 2, with 30 steps
#   resumed, epochs=4: StepAlreadyExistsError: Step 2 already exists., then in the folder: 2, with 30 steps
#   resumed, initial_epoch=3, epochs=5: steps 30 to 50, then in the folder: 4, with 50 steps
#   by 10 batches, first start: steps 0 to 30, then in the folder: 30, with 30 steps
#   by 10 batches, resumed: steps 30 to 50, then in the folder: 50, with 50 steps
#
# Needs Python 3 with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check keras==3.15.1 orbax-checkpoint==0.12.8 jax==0.10.2 numpy==2.4.6

cat >"$work/starts.py" <<'P'
import os, sys
import keras
import numpy as np

x = np.ones((40, 1), dtype="float32")


def loaded(folder):
    if os.path.isdir(folder):
        return keras.saving.load_model(folder)
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


def start(words, folder, save_freq, **epochs):
    model = loaded(folder)
    before = int(model.optimizer.iterations)
    callback = keras.callbacks.OrbaxCheckpoint(folder, save_freq=save_freq)
    try:
        model.fit(x, x, batch_size=4, verbose=0, callbacks=[callback], **epochs)
        end = f"steps {before} to {int(model.optimizer.iterations)}"
    except Exception as error:  # Orbax's own error
        end = f"{type(error).__name__}: {error}"
    kept = " ".join(sorted((name for name in os.listdir(folder) if name.isdigit()), key=int))
    print(f"{words}: {end}, then in the folder: {kept}, with {int(loaded(folder).optimizer.iterations)} steps", flush=True)


by_epochs, by_batches = (os.path.join(sys.argv[1], name) for name in ("epochs", "batches"))
start("first start, epochs=3", by_epochs, "epoch", epochs=3)
start("resumed, epochs=2", by_epochs, "epoch", epochs=2)
start("resumed, epochs=4", by_epochs, "epoch", epochs=4)
start("resumed, initial_epoch=3, epochs=5", by_epochs, "epoch", initial_epoch=3, epochs=5)
start("by 10 batches, first start", by_batches, 10, epochs=3)
start("by 10 batches, resumed", by_batches, 10, epochs=2)
P

seen=$(KERAS_BACKEND=jax KERAS_HOME=$work "$work/venv/bin/python" "$work/starts.py" "$work" 2>"$work/log") || cat "$work/log" >&2
echo "$seen"
[ "$seen" = "first start, epochs=3: steps 0 to 30, then in the folder: 2, with 30 steps
resumed, epochs=2: steps 30 to 50, then in the folder: 2, with 30 steps
resumed, epochs=4: StepAlreadyExistsError: Step 2 already exists., then in the folder: 2, with 30 steps
resumed, initial_epoch=3, epochs=5: steps 30 to 50, then in the folder: 4, with 50 steps
by 10 batches, first start: steps 0 to 30, then in the folder: 30, with 30 steps
by 10 batches, resumed: steps 30 to 50, then in the folder: 50, with 50 steps" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
