"""A shell at a terminal of its own: what a person's Tab makes of a line."""

import os
import pty
import re
import select
import time

START = {
    # No configuration of whoever runs this is read.
    "bash": (["bash", "--norc", "--noprofile", "-i"], ". /usr/share/bash-completion/bash_completion"),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit && compinit -u -D"),
    "fish": (["fish", "--no-config", "-i"], "true"),
}
LONGEST = 60


class Shell:
    """`with Shell("bash", PATH, HOME) as shell: shell.completed("kubectl-reprise wh")` is "kubectl-reprise why"."""

    def __init__(self, name, path, home):
        self.name, self.seen = name, ""
        environment = {"PATH": path, "HOME": home, "TERM": "dumb", "PS1": "> ", "LANG": "C.UTF-8", "XDG_CACHE_HOME": home}
        arguments, prepare = START[name]
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execvpe(arguments[0], arguments, environment)
        self.run(prepare)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.terminal)  # which hangs up
        os.waitpid(self.process, 0)

    def run(self, line):
        # In two parts, so that the echo of what is typed is not taken for the answer.
        self._type(f"{line}; echo 'the ''end'\r")
        self._until(r"the end\s")

    def completed(self, line):
        """What stands on the line after a Tab: ^A and ^E make it the argument of an echo."""
        self._type(f"{line}\t\x01echo 'the ''line:' \x05 'the ''end'\r")
        return self._until(r"the line: (.*?)the end\s").strip()

    def _type(self, keys):
        os.write(self.terminal, keys.encode())

    def _until(self, pattern):
        deadline = time.monotonic() + LONGEST
        while not (found := re.search(pattern, self.seen, re.DOTALL)):
            ready, _, _ = select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise AssertionError(f"{self.name} did not say {pattern!r}: {self.seen[-2000:]!r}")
            self.seen += os.read(self.terminal, 65536).decode(errors="replace")
        self.seen = self.seen[found.end():]
        return found.group(1) if found.groups() else ""
