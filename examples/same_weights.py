"""Whether two checkpoints hold the same: every tensor bit for bit, every number, whatever the files around them look like.

  reprise rehearse -f examples/pytorch-ddp-dcp/job.yaml --verify-weights --compare "python examples/same_weights.py"
  python examples/same_weights.py [--within 1e-4] CHECKPOINT CHECKPOINT     with --within so far apart, relative to 1

Reads torch.distributed.checkpoint, Orbax, safetensors, and what torch.save wrote (by Trainer, Lightning, DeepSpeed too).
"""

import sys
import tempfile
from pathlib import Path

TORCH = {".pt", ".pth", ".ckpt", ".bin"}
# Keys that say when and where a file's training ran; training goes on from none of them.
BESIDE = {"ds_config", "ds_version", "mp_world_size", "dp_world_size", "callbacks", "loops"}


def by_torch(file):
    import torch

    return torch.load(file, map_location="cpu", weights_only=False)


def contents(directory):
    """What the checkpoint holds, by the name of the file or of the item."""
    if directory.is_file():
        return {"": by_torch(directory)}
    if (directory / ".metadata").exists():
        from torch.distributed.checkpoint.format_utils import dcp_to_torch_save

        with tempfile.NamedTemporaryFile(suffix=".pt") as whole:
            dcp_to_torch_save(directory, whole.name)
            return {"": by_torch(whole.name)}
    if (directory / "_CHECKPOINT_METADATA").exists():
        import orbax.checkpoint

        return {"": orbax.checkpoint.StandardCheckpointer().restore(directory.absolute() / "default")}
    found = {}
    for file in sorted(directory.rglob("*")):
        if file.suffix in TORCH and file.name != "training_args.bin":
            found[str(file.relative_to(directory))] = by_torch(file)
        elif file.suffix == ".safetensors":
            from safetensors.torch import load_file

            found[str(file.relative_to(directory))] = load_file(file)
    return found


def leaves(value, path=""):
    """(path, value) of everything below that is no dictionary or list."""
    if isinstance(value, dict):
        for key, below in value.items():
            if str(key) not in BESIDE:
                yield from leaves(below, f"{path}/{key}")
    elif isinstance(value, (list, tuple)):
        for index, below in enumerate(value):
            yield from leaves(below, f"{path}/{index}")
    elif value is None or isinstance(value, (bool, int, float, str)) or hasattr(value, "dtype"):
        yield path, value


def equal(one, other, within):
    if within and hasattr(one, "is_floating_point") and one.is_floating_point() and one.shape == other.shape:
        return bool(((one - other).abs() <= within * (1 + one.abs())).all())
    if hasattr(one, "dtype") and hasattr(other, "dtype"):
        return one.dtype == other.dtype and one.shape == other.shape and bool((one == other).all())
    return type(one) is type(other) and one == other


def main(within, first, second):
    one, other = (dict(leaves(contents(Path(each)))) for each in (first, second))
    arrays = sum(hasattr(value, "dtype") for value in one.values())
    if not arrays:
        return f"{first}: found no tensor; must be a checkpoint of a framework that this script knows"
    differing = sorted(path for path in one.keys() | other.keys()
                       if path not in one or path not in other or not equal(one[path], other[path], within))
    if differing:
        return f"{len(differing)} of {len(one)} differ: {', '.join(differing[:8])}"
    print(f"equal: {arrays} tensors and {len(one) - arrays} other values")
    return None


if __name__ == "__main__":
    arguments, tolerance = sys.argv[1:], 0.0
    if arguments[:1] == ["--within"] and len(arguments) > 1:
        tolerance, arguments = float(arguments[1]), arguments[2:]
    if len(arguments) != 2:
        sys.exit(__doc__)
    sys.exit(main(tolerance, *arguments))
