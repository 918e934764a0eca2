"""Torn checkpoints that no library had to be asked about: what it said of each deleted file tells what it needs."""

import os
from pathlib import Path

import variants

# What a library calls a checkpoint, or the file that makes it one, while it is being written: name -> temporary name.
TEMPORARY = {"Orbax": lambda path: path.replace("20/", "20.orbax-checkpoint-tmp/", 1),
             "HuggingFace": lambda path: path.replace("checkpoint-6/", "tmp-checkpoint-6/", 1),
             "PyTorchDCP": lambda path: path.replace(".metadata", ".metadata.tmp"),
             "Megatron": lambda path: path.replace(".metadata", ".metadata.tmp")}


def needed(each):
    """The files without which the library does not load all."""
    return {path for path, change, said in each["variants"] if change == "delete" and said != "same"}


def cut_between_files(each):
    """{what: files}: a save that ended behind one of its files, whichever it wrote first."""
    names = sorted(each["files"])
    found = {}
    for order in (names, names[::-1]):
        for many in range(1, len(order)):
            if needed(each) - set(order[:many]):
                found[f"cut behind {order[many - 1]}, of {order[0]} to {order[-1]}"] = {name: each["files"][name] for name in order[:many]}
    return found


def under_temporary_names(each):
    rename = TEMPORARY.get(each["format"], str)
    files = {rename(path): content for path, content in each["files"].items()}
    return {} if files.keys() == each["files"].keys() else {"temporary name": files}


def judged(each, folder: Path, check):
    """[what]: the torn ones that `check(volume)` calls Complete; the volume is a folder that anybody may read."""
    passed = []
    for what, files in {**cut_between_files(each), **under_temporary_names(each)}.items():
        variants.lay_out(files, folder)
        passed += [what for row in check(folder) if row["verdict"] == "Complete"]
    for path in needed(each):
        variants.lay_out(each["files"], folder)
        os.chmod(folder / path, 0)
        passed += [f"{path} may not be read" for row in check(folder) if row["verdict"] == "Complete"]
    variants.lay_out(each["files"], folder)
    closed = folder / sorted(needed(each))[0]
    if closed.parent != folder:
        os.chmod(closed.parent, 0)
        passed += [f"{closed.parent} may not be read" for row in check(folder) if row["verdict"] == "Complete"]
        os.chmod(closed.parent, 0o755)
    return passed
