"""Versions of the packages that dev/setup names, as they are installed, and of those that they depend on."""

import functools
import re
import shutil
import subprocess


@functools.cache
def installed(root):
    """Lines "package version". The compiler behind the package `g++` is one of g++-12, whose version alone may change."""
    named = re.findall(r"[a-z0-9][a-z0-9.+-]+", "\n".join(
        re.findall(r"packages=\((.*?)\)", (root / "dev/setup").read_text(), re.DOTALL)))
    found = _query(named)
    behind = {name for _, _, depends in found for name in _names(depends)} - {name for name, _, _ in found}
    return "".join(sorted(f"{name} {version}\n" for name, version, _ in (*found, *_query(sorted(behind))))).encode()


def _query(names):
    """(package, version, what it depends on) of those that are known here."""
    if not names or not shutil.which("dpkg-query"):
        return []
    lines = subprocess.run(["dpkg-query", "-W", "-f=${Package}\t${Version}\t${Depends}\n", *names], check=False, text=True,
                           errors="replace", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.splitlines()
    return sorted({tuple(line.split("\t")) for line in lines if line.count("\t") == 2})


def _names(depends):
    """g++-12 of "g++-12:any (>= 12.2~) | other"."""
    return re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9.+-]+)", depends)
