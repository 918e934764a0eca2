"""What of the distribution was compiled or linked into a program: asked of the linker and of the compiler's own records."""

import os
import re
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import debian
from .errors import ImageError
from .shell import output


@dataclass(frozen=True)
class CompiledIn:
    linked: frozenset    # packages whose archives or objects the linker took
    included: frozenset  # packages whose headers the compiler read


def compiled_in(build, program):
    """`build` is the folder of ninja in which the program was built."""
    linked, included = _linked(build, program), _included(build, program)
    owners = debian.packages_of(linked | included)
    return CompiledIn(frozenset(owners[file] for file in linked), frozenset(owners[file] for file in included))


def _linked(build, program):
    """Links once more into a scratch file, with the linker telling which files it opens."""
    command = output("ninja", "-C", build, "-t", "commands", program, cwd=build).splitlines()[-1]
    words = shlex.split(command)
    words = words[2:] if words[:2] == [":", "&&"] else words
    if "&&" in words:  # what is done with the program when it is linked
        words = words[:words.index("&&")]
    try:
        place = words.index("-o") + 1
    except ValueError:
        raise ImageError(f"the command that links {program} has no -o: {command}") from None
    with tempfile.TemporaryDirectory() as scratch:
        words[place] = str(Path(scratch) / program)
        trace = output(*words, "-Wl,--trace", cwd=build)
    return {_outside(line) for line in trace.splitlines() if re.search(r"\.(a|o)$", line) and os.path.isabs(line)
            and line.startswith("/usr/")}


def _included(build, program):
    objects = [line for line in output("ninja", "-C", build, "-t", "inputs", program, cwd=build).splitlines()
               if line.endswith(".o")]
    if not objects:
        raise ImageError(f"{build} has no objects of {program}: build it there first")
    records = output("ninja", "-C", build, "-t", "deps", *objects, cwd=build)
    if "deps not found" in records:
        raise ImageError(f"{build} does not know what {program} was compiled from: build it there first")
    return {_outside(line.strip()) for line in records.splitlines() if line.startswith("    /usr/")}


def _outside(path):
    return Path(os.path.normpath(path.strip()))
