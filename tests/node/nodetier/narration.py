"""What is done, command by command: shown to a person, or in tests to nobody."""

import shlex
import textwrap

from harness.cluster import ROOT


class Narration:
    def __init__(self, cluster, aloud):
        self.cluster = cluster
        self.aloud = aloud

    def say(self, text):
        if self.aloud:
            print("\n" + textwrap.fill(" ".join(text.split()), 100), flush=True)

    def run(self, tool, *arguments, must_show=()):
        """Runs kubectl or helm and returns the output; what the narration says about it must be in it."""
        words = [str(argument) for argument in arguments]
        if self.aloud:
            print(f"\n  $ {tool} {shlex.join(words)}".replace(f"{ROOT}/", ""), flush=True)
        done = self.cluster.run(tool, *words)
        output = (done.stdout + done.stderr).rstrip()
        if self.aloud:
            print(textwrap.indent(output, "  "), flush=True)
        for text in must_show:
            if text not in output:
                raise AssertionError(f"{text!r} is not in the output of {tool} {shlex.join(words)}:\n{output}")
        return output

    def apply(self, *manifests):
        output = self.cluster.apply(*manifests).rstrip()
        if self.aloud:
            print("\n  $ kubectl apply -f -\n" + textwrap.indent(output, "  "), flush=True)
