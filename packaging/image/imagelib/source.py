"""What the sources say about themselves: version, commit, and the time that stands for the build."""

import os
import re
from datetime import datetime, timezone
from pathlib import Path

from .errors import ImageError
from .shell import output

ROOT = Path(__file__).resolve().parents[3]


def version():
    """The one place where it is written."""
    found = re.search(r"project\(reprise VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    if not found:
        raise ImageError("CMakeLists.txt has no project(reprise VERSION ...)")
    return found[1]


def epoch():
    """Seconds: SOURCE_DATE_EPOCH, or the time of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given:
        if not given.isdigit():
            raise ImageError(f"SOURCE_DATE_EPOCH is {given!r}; it must be a number of seconds since 1970")
        return int(given)
    return int(_git("the time of the last commit is not known: set SOURCE_DATE_EPOCH", "log", "-1", "--format=%ct"))


def revision():
    """The commit; REPRISE_REVISION where there is no repository."""
    return os.environ.get("REPRISE_REVISION") or _git("the commit is not known: set REPRISE_REVISION", "rev-parse", "HEAD")


def timestamp(seconds):
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _git(otherwise, *arguments):
    try:
        return output("git", "-C", ROOT, *arguments).strip()
    except ImageError as why:
        raise ImageError(f"{otherwise} ({why})") from None
