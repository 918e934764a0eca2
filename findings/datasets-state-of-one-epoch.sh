#!/usr/bin/env bash
# datasets 5.2.0 (Hugging Face): IterableDataset.load_state_dict and the passes after it.
#
# A loaded state is not used up by the pass that it resumes. It takes hold of every pass whose epoch number (set_epoch) is the one in the
# state, and of no other pass, and nothing is said either way:
# - Training that never calls set_epoch, as without a shuffle, is in epoch 0 for good. After a resume at example 75 of 100, each later
#   pass starts at example 75 as well: the job counts its epochs as before, and never sees three quarters of its data again.
# - A state that was saved in epoch 1 does nothing in a new process, where the dataset is in epoch 0: the state has the number, but to
#   load it does not set it. The pass starts at its beginning, and the examples that were seen before the save come once more.
# Loading None after the resumed pass makes the next one whole, and set_epoch with the state's own number makes the state count.
#
# Seen on 2026-11-30:
#   resumed at 75 of 100, no set_epoch: the passes have 25, 25, 25 examples
#   and load_state_dict(None) after the first: 25, 100, 100 examples
#   saved at 75 in epoch 1 (the state says 1), resumed: 100 examples, 75 of them seen before the save
#   and set_epoch(1) first: 25 examples, 0 of them seen before the save
#
# Needs Python 3 with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check datasets==5.2.0

cat >"$work/passes.py" <<'P'
import json
from datasets import Dataset


def stream():
    return Dataset.from_dict({"x": list(range(100))}).to_iterable_dataset(num_shards=4)


def examples(stream):
    return [example["x"] for example in stream]


def saved_at_75(epoch):
    source = stream()
    source.set_epoch(epoch)
    passing = iter(source)
    seen = [next(passing)["x"] for _ in range(75)]
    return seen, json.loads(json.dumps(source.state_dict()))


def lengths(resumed, forget):
    _, state = saved_at_75(0)
    resumed.load_state_dict(state)
    counts = []
    for _ in range(3):
        counts.append(str(len(examples(resumed))))
        if forget:
            resumed.load_state_dict(None)
    return ", ".join(counts)


print("resumed at 75 of 100, no set_epoch: the passes have", lengths(stream(), False), "examples")
print("and load_state_dict(None) after the first:", lengths(stream(), True), "examples")
seen, state = saved_at_75(1)
for words, epoch in ((f"saved at 75 in epoch 1 (the state says {state['epoch']}), resumed", None), ("and set_epoch(1) first", 1)):
    resumed = stream()
    resumed.load_state_dict(state)
    if epoch is not None:
        resumed.set_epoch(epoch)
    got = examples(resumed)
    print(f"{words}: {len(got)} examples, {len(set(got) & set(seen))} of them seen before the save")
P

seen=$(HF_HOME=$work/home "$work/venv/bin/python" "$work/passes.py")
echo "$seen"
[ "$seen" = "resumed at 75 of 100, no set_epoch: the passes have 25, 25, 25 examples
and load_state_dict(None) after the first: 25, 100, 100 examples
saved at 75 in epoch 1 (the state says 1), resumed: 100 examples, 75 of them seen before the save
and set_epoch(1) first: 25 examples, 0 of them seen before the save" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
