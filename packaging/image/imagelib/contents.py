"""What is in the image, in two layers: what comes from Debian changes seldom, the programs with every release."""

import tempfile
from pathlib import Path

from . import debian, elf
from .errors import ImageError
from .shell import output
from .source import ROOT
from .tree import File, Tree

USER = 65532  # "nonroot", as other images without a shell have it
PROGRAMS = ("reprise-operator", "reprise-agent", "reprise-node-agent")
_CERTIFICATES = Path("/usr/share/ca-certificates/mozilla")
_ACCOUNTS = {
    "etc/passwd": f"root:x:0:0:root:/:/nonexistent\nnonroot:x:{USER}:{USER}:nonroot:/:/nonexistent\n",
    "etc/group": f"root:x:0:\nnonroot:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def base(programs):
    """Loader, shared libraries, certificate authorities, accounts; the licences of all that."""
    tree, places = Tree(), {}
    for program in programs:
        loader = elf.interpreter(program)
        if loader:
            places[Path(loader)] = Path(loader).resolve()
        for name, file in elf.libraries(program).items():
            places[Path("/usr/lib") / elf.target(program).triplet / name] = file.resolve()
    owners = debian.packages_of([*places.values(), "/usr/lib/os-release", *_certificates()])
    for place, file in places.items():
        tree.add(place, File(file.read_bytes(), 0o755, owners[file].name))
    # From the package's files, not from the bundle on this machine: people add authorities of their own to that.
    bundle = b"".join(file.read_bytes().rstrip() + b"\n" for file in _certificates())
    tree.add("etc/ssl/certs/ca-certificates.crt", File(bundle, package="ca-certificates"))
    release = Path("/usr/lib/os-release")
    tree.add("etc/os-release", File(release.read_bytes(), package=owners[release].name))
    for path, text in _ACCOUNTS.items():
        tree.add(path, File(text.encode()))
    packages = sorted(set(owners.values()), key=lambda package: package.name)
    for package in packages:
        tree.add(f"var/lib/dpkg/status.d/{package.name}", File(package.stanza().encode(), package=package.name))
    add_licences(tree, packages)
    return tree, packages


def own(programs, compiled_in):
    """The programs themselves; the licences of what was compiled into them."""
    tree = Tree()
    for program in programs:
        tree.add(program.name, File(stripped(program), 0o755))
    tree.add("usr/share/doc/reprise/LICENSE", File((ROOT / "LICENSE").read_bytes()))
    add_licences(tree, compiled_in)
    return tree


def add_licences(tree, packages):
    for package in packages:
        if package.copyright_file.exists():
            tree.add(f"usr/share/doc/{package.name}/copyright",
                     File(package.copyright_file.read_bytes(), package=package.name))


def stripped(program):
    """Without symbols and debugging information; what is left does not depend on where it was built."""
    tool = {"amd64": "strip", "arm64": "aarch64-linux-gnu-strip"}[elf.target(program).architecture]
    with tempfile.TemporaryDirectory() as scratch:
        small = Path(scratch) / program.name
        output(tool, "--strip-all", "-o", small, program)
        return small.read_bytes()


def _certificates():
    found = sorted(_CERTIFICATES.glob("*.crt"))
    if not found:
        raise ImageError(f"no certificate authorities in {_CERTIFICATES}: install the package ca-certificates")
    return found
