"""Where whole checkpoints lie, and where what looks whole is a half or not finished: laid out from the corpus, asked of `check`."""

from pathlib import Path

import variants

# Directories of runs above a checkpoint.
RUNS = ("run-1", "4567890", "outputs/2026-11-25/09-00-00", "0/lightning_logs/version_0/checkpoints", "3/checkpoints", "checkpoints",
        "checkpoints-llama3", "v0-20261128")
# A step above it, of which it is a part then.
STEPS = ("step_77", "checkpoint-77", "run/global_step77/actor", "epoch_1_step_77", "iter_0000077", "step_77-tmp")
# By such a name a part is called in the directory of its step, or in one that is called by a number or an epoch.
PARTS = ("step_77/rank_0", "77/0", "epoch-7/model_1", "llama-step-77/shard_3", "005000/training_state_1", "step_77/trainer/step_77")
# Names of a save that has not ended, of a checkpoint's name and the ending of a file.
UNFINISHED = ("{}-tmp{}", "{}.tmp{}", "{}.tmp-3f2a{}", "{}.part{}", "{}.partial{}", "{}.incomplete{}", "tmp-{}{}", "{}.in-progress{}", "{}.temporary{}", "{}.pending{}",
              "{}.partial_0{}", "tmp/{}{}", "trash/{}{}")


def name_in(each):
    """What the library calls it: a directory, or one file."""
    name, = {path.split("/")[0] for path in each["files"]}
    return name


def renamed(each, to):
    name = name_in(each)
    return {to + path.removeprefix(name): content for path, content in each["files"].items()}


def is_file(each):
    return name_in(each) in each["files"]


def sound(each):
    # A number in the directory of a number is a part.
    name = name_in(each)
    return {run: renamed(each, f"{run}/{name}") for run in RUNS if not (run.isdigit() and name.isdigit())}


def unsound(each):
    """{where: files}"""
    name = name_in(each)
    found = {f"{step}/{name}": renamed(each, f"{step}/{name}") for step in STEPS}
    if not is_file(each):
        found |= {part: renamed(each, part) for part in PARTS}
    stem, ending = (Path(name).stem, Path(name).suffix) if is_file(each) else (name, "")
    return found | {to: renamed(each, to) for to in (form.format(stem, ending) for form in UNFINISHED)}


def damaged_and_marked(each):
    """{what: files}: a file cut off or emptied that the library needs, and a mark beside it."""
    if is_file(each):
        return {}
    found = {}
    for path, change, said in each["variants"]:
        if said == "fails" and (change == "empty" or change.startswith("cut at ")):
            files = dict(each["files"])
            files[path] = b"" if change == "empty" else files[path][:int(change.removeprefix("cut at "))]
            found[f"{path}: {change}"] = {**files, f"{name_in(each)}/_COMPLETE": b""}
    return found


def below_a_mark(each):
    """In a directory of a marked step: whole, and {what: files} with one cut off or emptied whose own bytes show it."""
    whole = {f"step_20/state/{path}": content for path, content in each["files"].items()} | {"step_20/_COMPLETE": b""}
    torn = {}
    for path, change, said in each["variants"]:
        shows = path.endswith((".pt", ".pth", ".ckpt", ".safetensors", ".distcp", ".json", ".ocdbt"))
        if said == "fails" and shows and (change == "empty" or change.startswith("cut at ")):
            content = b"" if change == "empty" else each["files"][path][:int(change.removeprefix("cut at "))]
            torn[f"{path}: {change}"] = whole | {f"step_20/state/{path}": content}
    return whole, torn


def judged(each, folder: Path, check, formats):
    """[what]: where a whole one is not seen, or seen more than once, and where a half, one that is not finished or one that is damaged is called Complete."""
    wrong = []
    for where, files in sound(each).items():
        variants.lay_out(files, folder)
        rows = check(folder, ())
        if [(row["path"], row["verdict"]) for row in rows] != [(f"{where}/{name_in(each)}", "Complete")]:
            wrong.append(f"whole, in {where}/: {rows}")
    for where, files in unsound(each).items():
        variants.lay_out(files, folder)
        for asked in ((), *(("--format", name) for name in formats)):
            wrong += [f"a part or not finished, and called Complete {asked}: {row['path']}" for row in check(folder, asked) if row["verdict"] == "Complete"]
    whole, torn = below_a_mark(each)
    variants.lay_out(whole, folder)
    rows = check(folder, ("--format", "Marker"))
    if [(row["path"], row["verdict"]) for row in rows] != [("step_20", "Complete")]:
        wrong.append(f"whole, below a mark: {rows}")
    for what, files in torn.items():
        variants.lay_out(files, folder)
        wrong += [f"torn, below a mark and called Complete: {what}" for row in check(folder, ("--format", "Marker")) if row["verdict"] == "Complete"]
    for what, files in damaged_and_marked(each).items():
        variants.lay_out(files, folder)
        wrong += [f"damaged, marked and called Complete: {what}" for row in check(folder, ()) if row["verdict"] == "Complete"]
    return wrong
