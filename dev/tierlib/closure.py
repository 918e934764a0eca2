"""A C++ source with all that it includes of the tree, directly or not: what decides how it compiles."""

import hashlib
import os
import re
from functools import cache
from pathlib import Path

INCLUDED = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


class Closures:
    """`root`: the tree, which does not change meanwhile."""

    def __init__(self, root):
        self.root = Path(root)
        self.content = cache(self._content)
        self._sum = cache(self._read_sum)
        self._includes = cache(self._read_includes)

    def of(self, path):
        """The source and what it includes, sorted."""
        seen, waiting = set(), [path]
        while waiting:
            each = waiting.pop()
            if each and each not in seen:
                seen.add(each)
                waiting.extend(self._includes(each))
        return sorted(seen)

    def digest(self, paths, beside=""):
        """Changes with any of these sources, with what they include, and with the text beside."""
        digest = hashlib.sha256(beside.encode())
        for path in sorted({each for source in paths for each in self.of(source)}):
            digest.update(path.encode() + b"\0" + self._sum(path))
        return digest.hexdigest()

    def _content(self, path):
        """Of a file of the tree; None where there is none."""
        file = self.root / path
        return file.read_bytes() if file.is_file() else None

    def _read_sum(self, path):
        return hashlib.sha256(self.content(path)).digest()

    def _read_includes(self, path):
        """What it includes of the tree, by a path from the root or from its own folder."""
        names = [name.decode() for name in INCLUDED.findall(self.content(path))]
        both = [(name, os.path.normpath(Path(path).parent / name)) for name in names]
        return tuple(next((each for each in pair if self.content(each) is not None), None) for pair in both)
