"""The tests of one run of the tier, told class by class, and classes that run once more on the same machines."""

import contextlib
import io
import re
import sys
import time
import unittest

from reruns import evidence, runs


class _Both(io.TextIOBase):
    """Writes to the terminal, and remembers."""

    def __init__(self, terminal):
        self.terminal, self.written = terminal, []

    def write(self, text):
        self.written.append(text)
        return self.terminal.write(text)

    def flush(self):
        self.terminal.flush()


class _Result(unittest.TextTestResult):
    """Knows to which class each verdict and each line belongs."""

    def __init__(self, stream, *rest):
        super().__init__(stream, *rest)
        self.bad, self.good, self.seconds, self._begun = {}, {}, {}, 0.0

    def startTest(self, test):
        self._begun = time.monotonic()
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        name = runs.class_of(test)
        self.seconds[name] = self.seconds.get(name, 0) + time.monotonic() - self._begun

    def addSuccess(self, test):
        self._count(self.good, runs.class_of(test))
        super().addSuccess(test)

    def addFailure(self, test, err):
        self._failed(test)
        super().addFailure(test, err)

    def addError(self, test, err):
        self._failed(test)
        super().addError(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._failed(test)
        super().addSubTest(test, subtest, err)

    def addUnexpectedSuccess(self, test):
        self._failed(test)
        super().addUnexpectedSuccess(test)

    def _failed(self, test):
        # What fails before or after all tests of a class or a module is no test, but says where: "setUpClass (test_fence.Fence)".
        place = re.fullmatch(r"(?:setUp|tearDown)(?:Class|Module) \((.*)\)", test.id())
        self._count(self.bad, place[1] if place else runs.class_of(test))

    @staticmethod
    def _count(counts, name):
        counts[name] = counts.get(name, 0) + 1


class Session:
    def __init__(self, tests, audit_log):
        self.tests = runs.by_class(tests)
        self.audit_log = audit_log
        self.skipped = []

    def first(self):
        return self._run(list(self.tests), "first")

    def once_more(self, name):
        run, = self._run([name], "second")
        return run

    def _run(self, names, number):
        logged = self.audit_log.stat().st_size
        suite = unittest.TestLoader().loadTestsFromNames([test for name in names for test in self.tests[name]])
        terminal = _Both(sys.stderr)
        with contextlib.redirect_stderr(terminal):
            result = unittest.TextTestRunner(terminal, verbosity=2, resultclass=_Result).run(suite)
        output = "".join(terminal.written)
        self.skipped += [(test.id(), reason) for test, reason in result.skipped]
        done = []
        for name in names:
            module = name.partition(".")[0]
            bad = sum(count for place, count in result.bad.items() if place in (name, module))
            done.append(runs.Run(name, not bad, output, result.seconds.get(name, 0.0), (result.good.get(name, 0), bad)))
            if bad or number == evidence.RUNS[1]:
                self._keep(evidence.begin("node", name, number), output, logged)
        return done

    def _keep(self, directory, output, logged):
        (directory / "output.log").write_text(output)
        with open(self.audit_log, "rb") as whole, open(directory / "audit.log", "wb") as part:
            whole.seek(logged)
            part.write(whole.read())

