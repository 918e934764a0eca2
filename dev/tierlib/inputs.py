"""The hash of what a tier reads: files of the tree, committed or not, versions of packages, and what the environment says."""

import fnmatch
import functools
import hashlib
import os
import stat
import subprocess
from pathlib import PurePath

from . import environment, packages
from .table import ROOT, TableError


@functools.cache
def _listed(root):
    """Paths of every file of the tree that git does not ignore, as bytes."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "-c", "-o", "--exclude-standard"], check=False,
                            capture_output=True, env=environment.for_tiers())
    if listed.returncode:
        raise TableError(f"what a tier reads is hashed by git's list of files: {listed.stderr.decode(errors='replace').strip()}")
    return sorted({path for path in listed.stdout.split(b"\0") if path})


@functools.cache
def _contents(root):
    """{path: hash of the content} of these, as the disk has them: git may be told to take a changed file for unchanged."""
    found = {os.fsdecode(path): _content(os.path.join(os.fsencode(root), path)) for path in _listed(root)}
    return {path: content for path, content in found.items() if content}


def _content(path):
    """Mode and hash. None of what is no file, or has gone since it was listed."""
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            return b"120000 " + _digest(os.readlink(path))
        if stat.S_ISREG(mode):
            with open(path, "rb") as file:
                return (b"100755 " if mode & 0o100 else b"100644 ") + _digest(file.read())
    except OSError as problem:
        return None if isinstance(problem, FileNotFoundError) else str(problem).encode(errors="replace")
    return None


def _digest(content):
    return hashlib.sha1(content).hexdigest().encode()


def selected(paths, reads):
    """Those of PATHS that one of these groups names: a file, a folder with all below it, a pattern with a "*"; and that no
    "!pattern" of the same group leaves out."""
    found = set()
    for group in reads:
        whole = {each for each in group if each[0] != "!"}
        folders, patterns = tuple(f"{each}/" for each in whole), [each for each in whole if "*" in each]
        left_out = [each[1:] for each in group if each[0] == "!"]
        found.update(path for path in paths if ("." in whole or path in whole or path.startswith(folders) or _fits(path, patterns))
                     and not _fits(path, left_out))
    return sorted(found)


def _fits(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


@functools.cache
def _places(root):
    """All files, and the folders that they are in."""
    return {part for path in _contents(root) for part in (path, *map(str, PurePath(path).parents))}


@functools.cache
def _read_by(reads, root):
    names = {each for group in reads for each in group if each[0] != "!" and "*" not in each}
    missing = sorted(names - _places(root) - {"."})
    if missing:
        raise TableError(f"reads: found {', '.join(missing)}, which the tree does not have")
    return selected(_contents(root), reads)


def key(tier, root=ROOT):
    """16 hexadecimal digits that change with whatever TIER reads, its command and what it is told included."""
    try:
        chosen = _read_by(tier.reads, root)
    except TableError as problem:
        raise TableError(f"tier {tier.name}: {problem}") from None
    contents = _contents(root)
    digest = hashlib.sha256(b"\0".join((tier.command.encode(), environment.that_decides(), packages.installed(root))))
    for path in chosen:
        digest.update(os.fsencode(path) + b" " + contents[path] + b"\n")
    return digest.hexdigest()[:16]


def stamp(tier, root=ROOT):
    """Changes whenever a file that TIER reads is written, also where that is undone; says nothing of another checkout."""
    digest = hashlib.sha256()
    for path in selected([os.fsdecode(path) for path in _listed(root)], tier.reads):
        try:
            found = os.lstat(root / path)
        except OSError:
            continue
        digest.update(f"{found.st_ino} {found.st_mtime_ns} {found.st_size} ".encode() + os.fsencode(path) + b"\n")
    return digest.hexdigest()[:16]


def forget():
    """The tree or the machine may have changed."""
    for each in (_listed, _contents, _places, _read_by, packages.installed):
        each.cache_clear()
