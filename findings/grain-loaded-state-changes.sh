#!/usr/bin/env bash
# grain 0.2.18: InterleaveIterDataset and a state that is loaded more than once.
#
# The iterator that set_state gives a state to keeps one of its lists and writes to it as it goes on. The caller's state, until then as
# get_state made it, follows: it names the shards that are in use now, with the places in the shards that were in use at the save. The
# first load is right. At the second load of the same object, as when a trainer that keeps its last good state goes back to it again
# after another spike of the loss, examples of the saved shards never come and those of later shards come twice. The count of examples
# is the right one, and nothing is said. A copy for each load (copy.deepcopy) is right each time; so is a state that is read from a file.
#
# Seen on 2026-11-30 (6 shards of 4 examples, 2 in use at a time, saved after 5 examples with shards 0 and 1 in use):
#   load 1: 19 examples, never: none, twice: none; the state's shards are now 4, 5
#   load 2: 19 examples, never: 3 102 103, twice: 403 502 503; the state's shards are now 4, 5
#   load 3: 19 examples, never: 3 102 103, twice: 403 502 503; the state's shards are now 4, 5
#   load 1 of a copy: 19 examples, never: none, twice: none; the state's shards are now 0, 1
#   load 2 of a copy: 19 examples, never: none, twice: none; the state's shards are now 0, 1
#   load 3 of a copy: 19 examples, never: none, twice: none; the state's shards are now 0, 1
#
# Needs Python 3 with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check grain==0.2.18

cat >"$work/loads.py" <<'P'
import copy
import grain
from grain.experimental import InterleaveIterDataset


def pipeline():
    shards = [grain.MapDataset.range(100 * shard, 100 * shard + 4).to_iter_dataset() for shard in range(6)]
    return iter(InterleaveIterDataset(shards, cycle_length=2))


def named(examples):
    return " ".join(map(str, sorted(examples))) or "none"


for words in ("", " of a copy"):
    saved = pipeline()
    for _ in range(5):
        next(saved)
    state = saved.get_state()
    want = list(map(int, saved))
    for load in range(1, 4):
        resumed = pipeline()
        resumed.set_state(copy.deepcopy(state) if words else state)
        got = list(map(int, resumed))
        never, twice = set(want) - set(got), {example for example in got if got.count(example) > 1}
        print(f"load {load}{words}: {len(got)} examples, never: {named(never)}, twice: {named(twice)}; "
              f"the state's shards are now {', '.join(map(str, state['iterators_in_use_indices']))}")
P

seen=$("$work/venv/bin/python" "$work/loads.py")
echo "$seen"
[ "$seen" = "load 1: 19 examples, never: none, twice: none; the state's shards are now 4, 5
load 2: 19 examples, never: 3 102 103, twice: 403 502 503; the state's shards are now 4, 5
load 3: 19 examples, never: 3 102 103, twice: 403 502 503; the state's shards are now 4, 5
load 1 of a copy: 19 examples, never: none, twice: none; the state's shards are now 0, 1
load 2 of a copy: 19 examples, never: none, twice: none; the state's shards are now 0, 1
load 3 of a copy: 19 examples, never: none, twice: none; the state's shards are now 0, 1" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
