"""The hash of what a tier reads: files of the tree, committed or not, and versions of the machine's packages."""

import fnmatch
import functools
import hashlib
import re
import subprocess

from .table import ROOT


@functools.cache
def _contents(root):
    """{path: hash of the content} of every file of the tree that git does not ignore."""
    def git(*arguments, **more):
        return subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True, **more).stdout

    listed = [line.split(b"\t", 1) for line in git("ls-files", "-s", "-z").split(b"\0") if line]
    kept = {path: mode_and_hash.split()[:2] for mode_and_hash, path in listed}
    changed = [path for path in git("ls-files", "-z", "-m", "-o", "--exclude-standard").split(b"\0") if path]
    for path in changed:
        file = root / path.decode()
        kept.pop(path, None)
        if file.is_file() and not file.is_symlink():
            mode = b"100755" if file.stat().st_mode & 0o100 else b"100644"
            kept[path] = [mode, _blob(file.read_bytes())]
        elif file.is_symlink():
            kept[path] = [b"120000", _blob(bytes(file.readlink()))]
    return {path.decode(): b" ".join(each) for path, each in kept.items()}


def _blob(content):
    """What git calls such a content, so that committing it changes no hash."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest().encode()


@functools.cache
def _packages(root):
    """Versions of the packages that dev/setup names, as they are installed."""
    named = re.findall(r"[a-z0-9][a-z0-9.+-]+", "\n".join(
        re.findall(r"packages=\((.*?)\)", (root / "dev/setup").read_text(), re.DOTALL)))
    found = subprocess.run(["dpkg-query", "-W", "-f=${Package} ${Version}\n", *named], capture_output=True, check=False).stdout
    return b"".join(sorted(found.splitlines(keepends=True)))


def selected(paths, specifications):
    """Those of PATHS that a specification names (a file, or a folder with all below it) and no "!pattern" leaves out."""
    whole = {each for each in specifications if not each.startswith("!")}
    folders = tuple(f"{each}/" for each in whole)
    left_out = [each[1:] for each in specifications if each.startswith("!")]
    return [path for path in paths if ("." in whole or path in whole or path.startswith(folders))
            and not any(fnmatch.fnmatch(path, pattern) for pattern in left_out)]


def key(tier, root=ROOT):
    """16 hexadecimal digits that change with whatever TIER reads, its command included."""
    contents = _contents(root)
    chosen = selected(sorted(contents), tier.reads)
    missing = [each for each in tier.reads if each != "." and each[0] != "!" and not selected(contents, [each])]
    if missing:
        raise FileNotFoundError(f"tier {tier.name}: reads: found {', '.join(missing)}, which the tree does not have")
    digest = hashlib.sha256(tier.command.encode() + b"\0" + _packages(root))
    for path in chosen:
        digest.update(f"{path} ".encode() + contents[path] + b"\n")
    return digest.hexdigest()[:16]


def forget():
    """The tree may have changed."""
    _contents.cache_clear()
