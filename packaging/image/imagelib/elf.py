"""What a program needs beside itself: its loader and the closure of its shared libraries, read by readelf."""

import re
from dataclasses import dataclass
from pathlib import Path

from .errors import ImageError
from .shell import output

# ELF machine -> (name in an image, Debian's name for its folders)
MACHINES = {"Advanced Micro Devices X86-64": ("amd64", "x86_64-linux-gnu"), "AArch64": ("arm64", "aarch64-linux-gnu")}


@dataclass(frozen=True)
class Target:
    architecture: str
    triplet: str

    def folders(self):
        """Where the loader looks without being told."""
        return [Path(base) / self.triplet for base in ("/usr/lib", "/lib")] + [Path(f"/usr/{self.triplet}/lib")]


def target(program):
    machine = re.search(r"Machine:\s+(.*)", output("readelf", "--file-header", "--wide", program))
    if not machine or machine[1].strip() not in MACHINES:
        raise ImageError(f"{program} is for {machine[1].strip() if machine else 'no machine'}; must be one of {list(MACHINES)}")
    return Target(*MACHINES[machine[1].strip()])


def interpreter(program):
    """The absolute path of its loader; empty when it is static."""
    found = re.search(r"Requesting program interpreter: ([^\]]+)\]", output("readelf", "--program-headers", "--wide", program))
    return found[1] if found else ""


def needed(file):
    text = output("readelf", "--dynamic", "--wide", file)
    if re.search(r"\((RPATH|RUNPATH)\)", text):
        raise ImageError(f"{file} looks for libraries in a place of its own (RPATH)")
    return re.findall(r"\(NEEDED\)\s+Shared library: \[([^\]]+)\]", text)


def libraries(program):
    """name -> file of every shared library that the program, or one of them, asks for. The loader is not among them."""
    folders = target(program).folders()
    loader = Path(interpreter(program)).name
    found, left = {}, needed(program)
    while left:
        name = left.pop()
        if name in found or name == loader:
            continue
        file = next((folder / name for folder in folders if (folder / name).exists()), None)
        if file is None:
            raise ImageError(f"{program} needs {name}, which is in none of {', '.join(map(str, folders))}")
        found[name] = file
        left += needed(file)
    return found
