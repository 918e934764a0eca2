"""Other programs, read: readelf, strip, dpkg-query, ninja, git."""

import os
import subprocess

from .errors import ImageError


def output(*command, cwd=None, allowed=(0,)):
    """What the command prints. Its messages are English and its order that of bytes, whoever builds."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, env=dict(os.environ, LC_ALL="C"))
    except FileNotFoundError:
        raise ImageError(f"the command {words[0]} is missing: run dev/setup") from None
    if done.returncode not in allowed:
        raise ImageError(f"{' '.join(words)} failed with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout
