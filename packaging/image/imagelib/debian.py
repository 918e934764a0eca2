"""The Debian packages on this machine: which one a file is of, its version, its licences."""

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

from .errors import ImageError
from .shell import output

_FIELDS = ("Package", "Version", "Architecture", "source:Package", "source:Version", "Maintainer", "Homepage")
_BATCH = 400  # paths in one call of dpkg-query

# Debian's short names of licences where SPDX calls them otherwise.
_SPDX = {
    "Expat": "MIT", "Apache-2": "Apache-2.0", "Boost-1.0": "BSL-1.0", "BSL-1": "BSL-1.0", "BSD-3-clause": "BSD-3-Clause",
    "BSD-2-clause": "BSD-2-Clause", "zlib": "Zlib", "ZLIB": "Zlib", "curl": "curl", "GPL-1+": "GPL-1.0-or-later",
    "GPL-2": "GPL-2.0-only", "GPL-2+": "GPL-2.0-or-later", "GPL-3": "GPL-3.0-only", "GPL-3+": "GPL-3.0-or-later",
    "LGPL-2+": "LGPL-2.0-or-later", "LGPL-2.1": "LGPL-2.1-only", "LGPL-2.1+": "LGPL-2.1-or-later",
    "LGPL-3": "LGPL-3.0-only", "LGPL-3+": "LGPL-3.0-or-later", "public-domain": "LicenseRef-public-domain",
}
_SPDX_OWN = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSD-4-Clause-UC", "BSL-1.0", "CC0-1.0", "FSFULLR", "FSFUL", "ISC",
             "MIT", "MPL-2.0", "OpenSSL", "X11", "Zlib"}


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    architecture: str
    source: str
    source_version: str
    maintainer: str
    homepage: str

    @property
    def copyright_file(self):
        return Path("/usr/share/doc") / self.name / "copyright"

    def stanza(self):
        """What dpkg knows about it, for scanners that look for known flaws by package and version."""
        text = output("dpkg-query", "--status", f"{self.name}:{self.architecture}" if self.architecture != "all" else self.name)
        wanted = ("Package", "Status", "Architecture", "Multi-Arch", "Source", "Version", "Maintainer", "Homepage", "Section")
        return "".join(line + "\n" for line in text.splitlines() if line.partition(":")[0] in wanted)

    def licences(self):
        """SPDX identifiers, sorted; none when the package's copyright file is written for people alone."""
        text = _read(self.copyright_file)
        if not re.match(r"Format(-Specification)?:", text):
            return []
        short = {name.strip() for line in re.findall(r"^License: *(\S.*)$", text, re.MULTILINE)
                 for name in re.split(r"\band\b|\bor\b|,", line.split(" with ")[0])}
        return sorted({spdx(name) for name in short if name})


def release():
    """The distribution of this machine's packages, as package URLs name it: debian-13."""
    known = platform.freedesktop_os_release()
    return f"{known['ID']}-{known.get('VERSION_ID') or known.get('VERSION_CODENAME', 'unknown')}"


def spdx(name):
    """SPDX's identifier of a licence that Debian calls so; what SPDX's list lacks is a LicenseRef."""
    if name in _SPDX:
        return _SPDX[name]
    return name if name in _SPDX_OWN else "LicenseRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-")


def packages_of(files):
    """file -> Package. A file that no package has is an error: nobody would know what it is."""
    files = [Path(file) for file in files]
    names = {}
    for spellings in _batches({spelling for file in files for spelling in _spellings(file)}):
        # 1: some of the spellings are not known.
        for line in output("dpkg-query", "--search", *sorted(spellings), allowed=(0, 1)).splitlines():
            owners, _, path = line.rpartition(": ")
            if not owners.startswith("diversion"):
                names[path] = owners.split(", ")[0]
    owner = {file: next((names[spelling] for spelling in _spellings(file) if spelling in names), None) for file in files}
    lost = [str(file) for file, name in owner.items() if name is None]
    if lost:
        raise ImageError(f"no Debian package has {', '.join(lost[:5])}: what is in the image must have a known origin")
    known = {name: _package(name) for name in sorted(set(owner.values()))}
    return {file: known[name] for file, name in owner.items()}


def _package(name):
    format_ = "\\t".join(f"${{{field}}}" for field in _FIELDS)
    return Package(*output("dpkg-query", "--show", f"--showformat={format_}", name).split("\t"))


def _spellings(file):
    """/lib is a link to /usr/lib, and packages may name their files either way."""
    plain = os.path.normpath(file)
    both = [plain, os.path.realpath(plain)]
    return list(dict.fromkeys(other for path in both for other in (path, path.removeprefix("/usr"), "/usr" + path)))


def _batches(paths):
    ordered = sorted(paths)
    return [ordered[first:first + _BATCH] for first in range(0, len(ordered), _BATCH)]


def _read(file):
    return file.read_text(errors="replace") if file.exists() else ""
