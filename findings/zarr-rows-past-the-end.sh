#!/usr/bin/env bash
# zarr 3.4.2 (3.1.6 for Python 3.11; numpy 2.4.6): rows that are written past the end of an array.
#
# A slice that is assigned more rows than it has takes the first of them and drops the others, and one that lies wholly past the end
# drops them all. NumPy and h5py raise at the same lines, and zarr 2.18.7 did too. An array that is open knows the shape of the time at
# which it was opened. A worker that opened the store before it was made longer for the next part of the data writes its rows of that
# part to nowhere, and the store keeps zeros there, which read as results. When that worker appends, its old end is the end: the store
# shrinks to it, and rows that others have written are gone. Nothing is raised or warned of at any of these steps; a single row past the
# end (z[8] = 1) does raise.
#
# Seen on 2026-11-30 (8 rows, then 16; zarr 3.1.6 and 3.4.2):
#   4 rows assigned to z[6:10], which has 2: 0 0 0 0 0 0 1 2
#   as numpy: could not broadcast input array from shape (4,) into shape (2,)
#   longer by 8, rows 12 to 15 written: 0 0 0 0 0 0 1 2 0 0 0 0 7 7 7 7
#   a worker of before assigns 4 rows to z[8:12]: 0 0 0 0 0 0 1 2 0 0 0 0 7 7 7 7
#   and appends 3: 0 0 0 0 0 0 1 2 5 5 5; warnings: 0
#
# Needs Python 3.11 or newer with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check \
  'zarr==3.4.2; python_version >= "3.12"' 'zarr==3.1.6; python_version < "3.12"' numpy==2.4.6

cat >"$work/rows.py" <<'P'
import sys, warnings
import numpy as np
import zarr

store = sys.argv[1] + "/rows"


def rows():
    return " ".join(map(str, zarr.open_array(store, mode="r")[:]))


with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    z = zarr.create_array(store, shape=(8,), chunks=(4,), dtype="i4")
    z[6:10] = np.array([1, 2, 3, 4])
    print("4 rows assigned to z[6:10], which has 2:", rows())
    try:
        np.zeros(8)[6:10] = np.array([1, 2, 3, 4])
    except ValueError as error:
        print("as numpy:", error)

    worker = zarr.open_array(store, mode="r+")
    z.resize((16,))
    z[12:16] = np.full(4, 7)
    print("longer by 8, rows 12 to 15 written:", rows())
    worker[8:12] = np.full(4, 5)
    print("a worker of before assigns 4 rows to z[8:12]:", rows())
    worker.append(np.full(3, 5))
    print(f"and appends 3: {rows()}; warnings: {len(warned)}")
P
seen=$("$work/venv/bin/python" "$work/rows.py" "$work")
echo "$seen"
[ "$seen" = "4 rows assigned to z[6:10], which has 2: 0 0 0 0 0 0 1 2
as numpy: could not broadcast input array from shape (4,) into shape (2,)
longer by 8, rows 12 to 15 written: 0 0 0 0 0 0 1 2 0 0 0 0 7 7 7 7
a worker of before assigns 4 rows to z[8:12]: 0 0 0 0 0 0 1 2 0 0 0 0 7 7 7 7
and appends 3: 0 0 0 0 0 0 1 2 5 5 5; warnings: 0" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
