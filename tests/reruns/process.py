"""Runs a class of tests in a process of its own. Nothing that it has started works on behind it."""

import os
import signal
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "dev"))

from clusterlib import leftovers  # noqa: E402

MARK = "REPRISE_CLASS"  # in the environment of whatever it starts
PATIENCE = 30  # seconds for a class that was interrupted to tidy up


def ended(command, directory, environment, timeout, evidence):
    """(exit code, output); the code is below 0 where somebody has killed it. `evidence`: where logs of its clusters go."""
    mark = {MARK: f"{os.getpid()}-{uuid.uuid4()}"}
    # Not pipes: whatever it has left would hold them open.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, cwd=directory, env={**environment, **mark}, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
        try:
            code, late = _wait(process, timeout)
        finally:
            leftovers.end(mark, evidence)
        return code, _text(out) + _text(errors) + late


def _wait(process, timeout):
    """(exit code, words about it)"""
    try:
        return process.wait(timeout), ""
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        _end(process)
        return 1, f"\nno end within {timeout} s\n"
    except KeyboardInterrupt:  # it has heard the same
        _end(process)
        raise


def _end(process):
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _text(file):
    file.seek(0)
    return file.read().decode(errors="replace")
