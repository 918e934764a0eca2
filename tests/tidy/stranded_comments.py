#!/usr/bin/python3
"""A comment stands above what it is about, without an empty line between.

  tests/tidy/stranded_comments.py    prints each comment that is followed by an empty line; exit code 1 when there is one

The first comment of a source is about the whole; one that opens with dashes heads a section.
"""

import re
import sys

from rooms import ROOT, listed, report

COMMENT = re.compile(r"\s*//")
SECTION = re.compile(r"\s*// ?-{3,}")


def stranded(text):
    """Line number of the last line of each such comment."""
    lines = text.split("\n")
    begins = 0
    for number, line in enumerate(lines):
        if not COMMENT.match(line):
            continue
        if number == 0 or not COMMENT.match(lines[number - 1]):
            begins = number
        if begins > 0 and number + 1 < len(lines) and not lines[number + 1].strip() and not SECTION.match(lines[begins]):
            yield number + 1


def problems(root, files):
    for name in files:
        if name.endswith((".h", ".cc")):
            for line in stranded((root / name).read_text(encoding="utf-8")):
                yield f"tidy: {name}:{line}: a comment with an empty line behind it: put it above what it is about"


def main():
    return report(list(problems(ROOT, listed(ROOT))), "tidy: each comment stands above what it is about")


if __name__ == "__main__":
    sys.exit(main())
