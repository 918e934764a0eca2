"""Building the operators and the load generator, once per state of their sources."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .errors import BenchError
from .places import BENCH, REPOSITORY, cache, digest


def go_sources():
    files = [BENCH / "go.mod", BENCH / "go.sum", BENCH / "job.json", BENCH / "crd.json"]
    return files + [path for path in BENCH.rglob("*.go")]


def load_generator():
    return _go("bench-load", "./load")


def operator_load():
    """The load generator of bench/operator."""
    return _go("bench-operator-load", "./operator/load")


def shipped_operator():
    """The command line of what the image runs, without its flags."""
    for target in ("reprise-operator", "reprise"):
        binary = _release(target)
        if binary:
            return operator_command(binary)
    raise BenchError("this checkout builds neither reprise-operator nor reprise")


def operator_command(binary):
    return [binary] if binary.name.startswith("reprise-operator") else [binary, "operator"]


def operator(peer):
    """The path of a peer's binary; None where this checkout does not have it."""
    return {"cpp": _cpp, "go": lambda: _go("bench-peer-go", "./peers/go"), "rust": _rust}[peer]()


def _go(name, package):
    flags = ["-trimpath", "-buildvcs=false", "-mod=readonly"]
    return _cached(name, digest(go_sources(), *flags), lambda out: _run(
        ["nice", "go", "build", *flags, "-o", out / name, package], BENCH,
        {"GOWORK": "off"}))


def _rust():
    root, name = BENCH / "peers" / "rust", "bench-peer-rust"
    if not (root / "Cargo.lock").exists():
        return None
    sources = [path for path in root.rglob("*") if path.is_file() and "target" not in path.relative_to(root).parts]

    def build(out):
        target = cache() / "rust-target"
        _run(["nice", "cargo", "build", "--release", "--locked", "--bin", name], root, {"CARGO_TARGET_DIR": str(target)})
        shutil.copy2(target / "release" / name, out / name)

    return _cached(name, digest([*sources, BENCH / "job.json", BENCH / "crd.json"]), build)


def _cpp():
    return _release("bench_sample")


def _release(target):
    """Builds a target of the preset release; None where this checkout does not have it."""
    build = REPOSITORY / "build" / "release"
    environment = {"CCACHE_BASEDIR": str(REPOSITORY), "CCACHE_NOHASHDIR": "1"}
    if not (build / "build.ninja").exists():
        _run(["cmake", "--preset", "release"], REPOSITORY, environment)
    if subprocess.run(["ninja", "-C", build, "-t", "query", target], capture_output=True).returncode != 0:
        return None
    _run(["nice", "ninja", "-C", build, target], REPOSITORY, environment)
    return build / "bin" / target


def _cached(name, key, build):
    target = cache() / key
    if (target / name).exists():
        return target / name
    cache().mkdir(parents=True, exist_ok=True)
    with open(cache() / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (target / name).exists():
            with tempfile.TemporaryDirectory(prefix="building-", dir=cache()) as directory:
                build(Path(directory))
                target.mkdir(exist_ok=True)
                (Path(directory) / name).rename(target / name)
    return target / name


def _run(command, directory, environment):
    print("bench: building:", *map(str, command[1:]), file=sys.stderr, flush=True)
    result = subprocess.run([str(part) for part in command], cwd=directory, env={**os.environ, **environment},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        last = "\n".join(result.stdout.splitlines()[-30:])
        raise BenchError(f"{' '.join(map(str, command))} failed; its last output:\n{last}")
