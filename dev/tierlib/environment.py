"""What a tier finds in its environment, and which of it decides what is tested."""

import os
import re

from .table import ROOT

BASE = {"PRESET": "release", "PYTHONDONTWRITEBYTECODE": "1"}
PLACE = {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}
# What the caller's make, test runner or git hook was told is no order to those of a tier: `make -i` would pass every failure.
NOT_FOR_TIERS = re.compile(r"MAKE(FLAGS|LEVEL|FILES|OVERRIDES)|MFLAGS|GNUMAKEFLAGS|GTEST_.*|CTEST_.*|"
                           r"REPRISE_(TIERS_OF|TIER|CLASS|PARTS|INPUTS|STAMP)|"
                           r"GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|OBJECT_DIRECTORY|COMMON_DIR|NAMESPACE)")
DECIDES = re.compile(r"REPRISE_.*|CC|CXX|(C|CXX|CPP|LD|GO)FLAGS|[A-Z]+SAN_OPTIONS|LD_(PRELOAD|LIBRARY_PATH)|PYTHON(PATH|OPTIMIZE)|"
                     r"CMAKE_(?!BUILD_PARALLEL|COLOR).*")
# Where something is kept, who runs it, and how strict it is (a verdict tells that by itself).
DECIDES_NOTHING = re.compile(r"REPRISE_(STRICT|FLAKY|EVIDENCE|RIGHTS|KEEP_CLUSTER|PAGE_PICTURES)")


def for_tiers():
    """The caller's environment as a tier gets it."""
    kept = {name: value for name, value in os.environ.items() if not NOT_FOR_TIERS.fullmatch(name)}
    return {**kept, **BASE, **PLACE}


def that_decides():
    """Lines "name=value" of what makes a tier test something else."""
    found = {name: value for name, value in for_tiers().items()
             if DECIDES.fullmatch(name) and not DECIDES_NOTHING.fullmatch(name)}
    return "".join(f"{name}={value}\n" for name, value in sorted({**found, "PRESET": BASE["PRESET"]}.items())).encode(errors="replace")
