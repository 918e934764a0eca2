"""The real frameworks for the tests of this folder: what examples/*/requirements.txt pin, installed once into the user's cache."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / os.environ.get("PRESET", "dev")
# What the trainers are to find in their environment: one thread, so that sums are made in one order, and no GPU.
SETTINGS = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "DS_ACCELERATOR": "cpu", "JAX_PLATFORMS": "cpu", "HF_HUB_OFFLINE": "1"}
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/requirements.txt"))


def directory():
    pins = "".join((example / "requirements.txt").read_text() for example in EXAMPLES) + sys.version
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "reprise" / "frameworks" / hashlib.sha256(pins.encode()).hexdigest()[:12]


def installed():
    return (directory() / "installed").exists()


def install():
    print(f"frameworks: installs the examples' requirements into {directory()}: several GB, some minutes, once", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", directory()], check=True)
    pip = [directory() / "bin/pip", "install", "--quiet", "--disable-pip-version-check"]
    pins = sorted({line for example in EXAMPLES for line in (example / "requirements.txt").read_text().splitlines() if "==" in line})
    # DeepSpeed is built here, with the torch that it is to run with.
    late = [pin for pin in pins if pin.startswith("deepspeed")]
    subprocess.run([*pip, "setuptools", "wheel", "ninja", *(pin for pin in pins if pin not in late)], check=True)
    subprocess.run([*pip, "--no-build-isolation", *late], check=True)
    # Else DeepSpeed builds this in its first run: longer than a rehearsal waits for a trainer that shows nothing.
    load = "from deepspeed.ops.op_builder.cpu import ShareMemCommBuilder; ShareMemCommBuilder().load()"
    subprocess.run([directory() / "bin/python", "-c", load], env=environment(), check=True)
    (directory() / "installed").touch()


def environment():
    return {**os.environ, "PATH": f"{directory() / 'bin'}:{BUILD / 'bin'}:{os.environ['PATH']}",
            "TORCH_EXTENSIONS_DIR": str(directory() / "extensions"), **SETTINGS}
