#!/usr/bin/env bash
# keras 3.15.1 (jax 0.10.2, numpy 2.4.6): SwapEMAWeights, the callback that puts the averaged weights into the model, and two others.
#
# With swap_on_epoch=True the callback has the average in the model from the end of an epoch to the start of the next, and the trained
# weights in the average's place. Its documentation has ModelCheckpoint behind it in the list of callbacks, for checkpoints of the
# average. BackupAndRestore at that place saves both the wrong way round too, and a resume leaves them so, since nothing in the backup
# says that they are swapped: training goes on from the average, and the average from the trained weights. Each start loses the steps by
# which the average is behind. The more often a machine is taken away, the less is learned, while the counts of epochs and steps are
# right. With the backup in front of the swap, a run of six starts is the unbroken one.
# predict(x, callbacks=[SwapEMAWeights()]), a look at the average within a training, swaps before it and not back: the training goes on
# from the average, and the next such look gives the answer of the trained weights.
#
# Seen on 2026-12-01 (a weight that learns to be 10, 6 epochs, as they are at the start of the last epoch):
#   swap, backup; unbroken: weight 6.34, average 5.49
#   swap, backup; 6 starts: weight 4.10, average 4.62
#   the second start: left with weight 1.82, average 0.77, went on with weight 0.77, average 1.82
#   backup, swap; unbroken: weight 6.34, average 5.49
#   backup, swap; 6 starts: weight 6.34, average 5.49
#   first predict: before weight 1.82, average 0.77, after weight 0.77, average 1.82; the answer: 0.77
#   second predict: before weight 2.45, average 1.82, after weight 2.45, average 1.82; the answer: 2.45
#
# Needs Python 3.11 or newer with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check keras==3.15.1 jax==0.10.2 numpy==2.4.6

cat >"$work/average.py" <<'P'
import os, sys
import numpy as np
import keras
from keras.callbacks import BackupAndRestore, LambdaCallback, SwapEMAWeights

folder, EPOCHS = sys.argv[1], 6
x = np.ones((20, 1), "float32")
y = np.full((20, 1), 10, "float32")


def made():
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")])
    model.compile(keras.optimizers.SGD(0.005, use_ema=True, ema_momentum=0.95), "mse")
    return model


def weights(model):
    (trained,), (average,) = model.get_weights(), model.optimizer._model_variables_moving_average
    return f"weight {trained.item():.2f}, average {np.asarray(average).item():.2f}"


def start(order, name, stop_at=None):
    model, begun = made(), []

    def begin(epoch, logs):
        begun.append(weights(model))
        if epoch == stop_at:
            raise InterruptedError

    named = {"swap": SwapEMAWeights(swap_on_epoch=True), "backup": BackupAndRestore(os.path.join(folder, order + name))}
    callbacks = [named[one] for one in order.split(", ")] + [LambdaCallback(on_epoch_begin=begin)]
    try:
        model.fit(x, y, batch_size=1, epochs=EPOCHS, verbose=0, callbacks=callbacks)
    except InterruptedError:
        pass
    return begun


for order in ("swap, backup", "backup, swap"):
    print(f"{order}; unbroken:", start(order, "once")[-1])
    starts = [start(order, "often", stop_at) for stop_at in range(1, EPOCHS)] + [start(order, "often")]
    print(f"{order}; {len(starts)} starts:", starts[-1][0])
    if order.startswith("swap"):
        print(f"the second start: left with {starts[0][-1]}, went on with {starts[1][0]}")

model, swap, looks = made(), SwapEMAWeights(), ["first", "second"]


def look(epoch, logs):
    before, answer = weights(model), model.predict(x[:1], verbose=0, callbacks=[swap]).item()
    print(f"{looks[epoch]} predict: before {before}, after {weights(model)}; the answer: {answer:.2f}")


model.fit(x, y, batch_size=1, epochs=2, verbose=0, callbacks=[LambdaCallback(on_epoch_end=look)])
P

seen=$(KERAS_BACKEND=jax KERAS_HOME=$work "$work/venv/bin/python" "$work/average.py" "$work" 2>"$work/log") || {
  cat "$work/log" >&2
  exit 2
}
echo "$seen"
[ "$seen" = "swap, backup; unbroken: weight 6.34, average 5.49
swap, backup; 6 starts: weight 4.10, average 4.62
the second start: left with weight 1.82, average 0.77, went on with weight 0.77, average 1.82
backup, swap; unbroken: weight 6.34, average 5.49
backup, swap; 6 starts: weight 6.34, average 5.49
first predict: before weight 1.82, average 0.77, after weight 0.77, average 1.82; the answer: 0.77
second predict: before weight 2.45, average 1.82, after weight 2.45, average 1.82; the answer: 2.45" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
