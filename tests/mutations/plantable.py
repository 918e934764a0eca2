"""Can each bug of the table be planted and caught? Looked at in the text alone: without a build it takes a moment.

A bug whose text has moved, or whose test belongs to another program by now, is planted by nobody.
"""

import re

from planting import PROGRAM, ROOT, CannotPlant
from reads import Reads, listed

PROGRAMS = re.compile(r"reprise_test\(\s*(\w+)\s+SOURCES\s(.*?)(?:\sLIBRARIES|\sLABELS|\))", re.DOTALL)


def programs_of_sources(root=ROOT):
    """{source of tests: the program that it is compiled into}"""
    found = {}
    for file in listed(root, "*CMakeLists.txt"):
        folder = file.removesuffix("CMakeLists.txt")
        for name, sources in PROGRAMS.findall((root / file).read_text()):
            found |= {folder + source: f"tests/test_{name}" for source in sources.split()}
    return found


def why_not(bug, reads, programs):
    """A sentence, or nothing."""
    try:
        bug.changed()
    except (CannotPlant, OSError) as problem:
        return str(problem)
    if bug.program == PROGRAM:
        return None
    found = {programs.get(source, "no program") for source in reads.tests_of(bug.tests)}
    if not found:
        return f"no test is called {bug.tests}"
    if bug.program not in found:
        return f"{bug.tests} is no test of {bug.program}, but of {', '.join(sorted(found))}"
    return None


def faults(bugs):
    """{name of a bug: why it cannot be planted, or caught}"""
    reads, programs = Reads(), programs_of_sources()
    return {bug.name: why for bug in bugs if (why := why_not(bug, reads, programs))}
