"""Files that are there whole or not at all, whoever is killed in between, in folders that others write to at the same time."""

import contextlib
import os
import tempfile
import time
from pathlib import Path

DAY = 24 * 3600


def write(file, text):
    """OSError where the disk is full or the folder cannot be written."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=".", dir=file.parent)
    try:
        with open(descriptor, "w") as out:
            out.write(text)
        os.replace(temporary, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def by_age(files):
    """(time of the last write, file), the oldest first, of those that are still there."""
    found = []
    for file in files:
        with contextlib.suppress(OSError):
            found.append((file.stat().st_mtime, file))
    return sorted(found)


def remove_unfinished(directory):
    """What a writer that was killed has left."""
    for when, file in by_age(directory.glob(".*")):
        if when < time.time() - DAY:
            remove(file)


def remove(file):
    with contextlib.suppress(OSError):
        Path(file).unlink()
