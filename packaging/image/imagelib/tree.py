"""A file system as values, and as a layer: the same bytes whoever writes them, wherever and whenever."""

import gzip
import io
import tarfile
from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    content: bytes
    mode: int = 0o644
    package: str = ""  # the Debian package it is of; empty: Reprise's own


class Tree:
    """Regular files by path, without a leading slash. Folders are made as they are needed; there are no links."""

    def __init__(self):
        self.files = {}

    def add(self, path, file):
        path = str(path).lstrip("/")
        if self.files.setdefault(path, file) != file:
            raise ValueError(f"two different files for {path}")

    def folders(self):
        return sorted({"/".join(parts[:count]) for parts in (path.split("/") for path in self.files)
                       for count in range(1, len(parts))})

    def layer(self, without=()):
        """An uncompressed tar, in which everything is root's and as old as time itself. `without`: folders below it."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for path in sorted([*self.folders(), *self.files]):
                member = tarfile.TarInfo(path)
                if path in self.files:
                    member.mode, member.size = self.files[path].mode, len(self.files[path].content)
                    tar.addfile(member, io.BytesIO(self.files[path].content))
                elif path not in without:
                    member.type, member.mode = tarfile.DIRTYPE, 0o755
                    tar.addfile(member)
        return buffer.getvalue()


def compressed(layer):
    return gzip.compress(layer, compresslevel=9, mtime=0)
