"""How a checkpoint can be damaged: each file cut off, emptied, its tail zero, gone, or a link that leads nowhere."""

import random
import shutil
from pathlib import Path

CUTS = 4  # at random places, beside the ends and the middle


def changes(size, seed):
    """What can be done to a file of that size: names that apply() knows."""
    dice = random.Random(seed)
    cuts = {1, size // 2, size * 3 // 4, size - 1} | {dice.randrange(1, max(2, size)) for _ in range(CUTS)}
    return ["delete", "empty", "dangling link", "looping link", "zero tail",
            *(f"cut at {at}" for at in sorted(cuts) if 0 < at < size)]


def apply(change, file: Path):
    content = file.read_bytes()
    file.unlink()
    if change == "empty":
        file.write_bytes(b"")
    elif change == "dangling link":
        file.symlink_to("nowhere")
    elif change == "looping link":
        file.symlink_to(file.name)
    elif change == "zero tail":
        middle = len(content) // 2
        file.write_bytes(content[:middle] + bytes(len(content) - middle))
    elif change.startswith("cut at "):
        file.write_bytes(content[:int(change.removeprefix("cut at "))])
    elif change != "delete":
        raise ValueError(f"change: found {change!r}")


def lay_out(files, folder: Path):
    """Writes {path: bytes} into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
