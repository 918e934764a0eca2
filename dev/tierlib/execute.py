"""Prepares, runs and keeps the verdicts: what dev/gate and dev/verify have in common."""

import datetime
import subprocess
import sys
import time

from . import alone, environment, inputs, logs, report, runner
from .table import ROOT, Step, TableError
from .verdicts import FAILED, NOT_RUN, PASSED, Verdict


def tree():
    """The commit that is checked out, with a "+" where something was changed since."""
    def git(*arguments):
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, errors="replace", check=False,
                              env=environment.for_tiers()).stdout.strip()
    return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain") else "")


class Execution:
    """`remembers_parts`: a tier goes on where it was stopped; without it runs from its beginning."""

    def __init__(self, verdicts, strict=False, remembers_parts=False):
        self.verdicts, self.strict, self.remembers_parts = verdicts, strict, remembers_parts
        self.commit = tree()
        self.began = time.monotonic()
        self.keys, self.stamps = {}, {}
        self.load = runner.Load()
        self.lines = []  # of the summary, in the order in which things ended
        self.outcomes = []  # of the tiers

    @property
    def seconds(self):
        return time.monotonic() - self.began

    def verdict_of(self, tier):
        """The one that was given for what it reads now. When strict, none that a second run of a test has given."""
        found = self.verdicts.get(tier, self.key(tier))
        return None if found and self.strict and "flaky: " in found.said else found

    def key(self, tier):
        if tier.name not in self.keys:
            self.keys[tier.name] = inputs.key(tier)
        return self.keys[tier.name]

    def run(self, steps, tiers, stop_at_failure):
        """Runs the steps one after the other, then the tiers. Returns whether all were good."""
        # A change behind this moment may be missing in what the steps build.
        inputs.forget()
        self.stamps = {tier.name: inputs.stamp(tier) for tier in tiers}
        for step in steps:
            if not runner.run([step], self._environment, self._step_ended, lambda _: None, self.load):
                return False
        inputs.forget()  # they may have installed packages
        self.keys = {tier.name: inputs.key(tier) for tier in tiers}
        return runner.run(tiers, self._environment, self._tier_ended, self.verdicts.seconds, self.load, stop_at_failure)

    def _environment(self, what):
        given = {**environment.for_tiers(), alone.VARIABLE: str(ROOT), alone.TIER: what.name}
        if self.strict:
            given["REPRISE_STRICT"] = "1"
        if self.remembers_parts and not isinstance(what, Step):
            given |= {"REPRISE_PARTS": str(self.verdicts.parts(what)), "REPRISE_INPUTS": self.key(what),
                      "REPRISE_STAMP": self.stamps[what.name]}
        return given

    def _step_ended(self, running, code):
        self._say(running, "prepared" if code == 0 else FAILED, running.stopped)
        return code == 0

    def _tier_ended(self, running, code):
        facts = logs.facts(running.log)
        outcome, why = self._outcome(code, facts)
        left = alone.end_what_it_left(running.what.name)
        said = "\n".join(line for line in (running.stopped or why, facts.said, left and f"it left {', '.join(left)}") if line)
        said += self._keep(running, outcome, said)
        self.outcomes.append(outcome)
        self._say(running, outcome, said.strip())
        return outcome != FAILED

    @staticmethod
    def _outcome(code, facts):
        """(outcome, why it is none that the exit code tells)"""
        if code == runner.CANNOT_RUN and not facts.not_run:
            return FAILED, f"exit code {code}, and no line says what was NOT RUN"
        if code == 0 and facts.ran_nothing:
            return FAILED, "it ran no test"
        return {0: PASSED, runner.CANNOT_RUN: NOT_RUN}.get(code, FAILED), ""

    def _keep(self, running, outcome, said):
        """Why the verdict is not kept, or nothing."""
        tier = running.what
        if not self._is_still_what_was_tested(tier):
            return "\nthe tree changed while it ran: the verdict is not kept"
        when = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%MZ")
        try:
            self.verdicts.put(tier, self.key(tier), Verdict(outcome, round(running.seconds, 1), when, self.commit, said))
        except OSError as problem:
            return f"\nthe verdict is not kept: {problem}"
        return ""

    def _is_still_what_was_tested(self, tier):
        """False also where a change was undone: part of the tests may have seen it."""
        inputs.forget()
        try:
            return inputs.key(tier) == self.key(tier) and inputs.stamp(tier) == self.stamps[tier.name]
        except TableError:  # what it reads has gone
            return False

    def _say(self, running, outcome, said):
        if outcome == FAILED:
            print(logs.tail(running.log), file=sys.stderr)
            whole = f"whole output: {running.log.relative_to(ROOT)}"
            said = "\n".join(filter(None, [said, logs.failed_tests(running.log), whole]))
            outcome = outcome.upper()
        self.lines.append(report.ended(running.what.name, outcome, running.seconds, said))
        print(self.lines[-1], flush=True)
