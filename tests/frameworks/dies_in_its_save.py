"""Runs a training script that is killed in the midst of its save of one step, at a write of the library's own.

  python tests/frameworks/dies_in_its_save.py WHERE STEP SCRIPT

WHERE is one of these, and how the name of the file ends:
  open:NAME     as it is about to be made
  half:NAME     torch.save has written half of it
  fsync:NAME    it has been written and not been flushed: half of it is on the disk
  copy:NAME     half of it has been copied to its place from where it was made, a temporary directory on another file system
  rename:NAME   it is about to be renamed into its place
"""

import errno
import io
import os
import re
import runpy
import shutil
import signal
import sys
from pathlib import Path

where, step, script = sys.argv[1:4]
moment, ending = where.split(":")
checkpoints = os.environ["REPRISE_CHECKPOINT_DIR"]


def is_it(path):
    path = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
    below = path.removeprefix(checkpoints)
    return path != below and below.endswith(ending) and re.search(rf"(?<!\d){step}(?!\d)", below)


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def watch(event, arguments):
    if event == {"open": "open", "rename": "os.rename"}.get(moment) and is_it(arguments[0]):
        if moment == "rename" or arguments[2] & (os.O_WRONLY | os.O_RDWR):
            die()


def torch_save(original):
    def save(what, file, *more, **named):
        if not is_it(file):
            return original(what, file, *more, **named)
        whole = io.BytesIO()
        original(what, whole)
        Path(file).write_bytes(whole.getvalue()[:whole.tell() // 2])
        return die()
    return save


def fsync(original):
    def flush(file):
        path = os.readlink(f"/proc/self/fd/{file}")
        if is_it(path):
            os.truncate(path, os.path.getsize(path) // 2)
            die()
        return original(file)
    return flush


def rename(original):
    def move(source, target, *more, **named):
        if is_it(target):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return original(source, target, *more, **named)
    return move


def copyfile(original):
    def copy(source, target, *more, **named):
        if not is_it(target):
            return original(source, target, *more, **named)
        whole = Path(source).read_bytes()
        Path(target).write_bytes(whole[:len(whole) // 2])
        return die()
    return copy


if moment in ("open", "rename"):
    sys.addaudithook(watch)
elif moment == "half":
    import torch

    torch.save = torch_save(torch.save)
elif moment == "fsync":
    os.fsync = fsync(os.fsync)
elif moment == "copy":
    os.rename, shutil.copyfile = rename(os.rename), copyfile(shutil.copyfile)
else:
    sys.exit(__doc__)
sys.argv = [script]
runpy.run_path(script, run_name="__main__")
