"""A real Prometheus over recorded metrics."""

import json
import math
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path


class Prometheus:
    """Serves blocks made of an OpenMetrics text; `begin` and `end` are the first and the last time in it."""

    def __init__(self, recording: Path):
        self.folder = tempfile.TemporaryDirectory()
        data = Path(self.folder.name) / "data"
        made = subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", str(recording), str(data)],
                              capture_output=True, text=True, check=False)
        if made.returncode:
            raise SystemExit(f"promtool does not read {recording}: {made.stderr[-2000:]}")
        config = Path(self.folder.name) / "prometheus.yml"
        config.write_text("{}\n")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.log = open(Path(self.folder.name) / "log", "w+")
        # Kept however long ago the virtual day was.
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={data}", f"--web.listen-address={address}",
             "--storage.tsdb.retention.time=100y", "--log.level=warn"], stdout=self.log, stderr=self.log)
        self.url = f"http://{address}"
        times = [float(line.rsplit(" ", 1)[1]) for line in ends_of(recording)]
        self.begin, self.end = times[0], times[-1]

    def __enter__(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/-/ready", timeout=5):
                    return self
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        self.log.seek(0)
        text = self.log.read()
        self.__exit__()
        raise SystemExit(f"prometheus does not start: {text[-2000:]}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()

    def values(self, metric, label):
        """What a variable `label_values(metric, label)` of a dashboard offers."""
        asked = urllib.parse.urlencode({"match[]": metric, "start": self.begin, "end": self.end})
        with urllib.request.urlopen(f"{self.url}/api/v1/label/{label}/values?{asked}", timeout=60) as answer:
            return json.load(answer)["data"]

    def range(self, expression, step=300):
        """[(labels, [(time, value)])], without values that are no numbers; ValueError with Prometheus' words."""
        asked = urllib.parse.urlencode({"query": expression, "start": self.begin, "end": self.end, "step": step})
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/query_range?{asked}", timeout=60) as answer:
                found = json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            raise ValueError(json.load(error)["error"]) from error
        series = [(each["metric"], [(t, float(v)) for t, v in each["values"] if math.isfinite(float(v))]) for each in found]
        return [each for each in series if each[1]]


def ends_of(recording):
    """The first sample and the last."""
    with open(recording, encoding="utf-8") as lines:
        yield next(lines)
    with open(recording, "rb") as lines:
        lines.seek(-4096, 2)
        yield lines.read().decode(errors="replace").splitlines()[-2]
