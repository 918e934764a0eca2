"""A headless Chromium, driven over a pipe: pages are opened as a reader's window of a given size would show them."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
         "--remote-debugging-pipe")
ANSWER_SECONDS = 60


class Browser:
    """One tab. Use as a context manager; no process and no file is left."""

    def __init__(self):
        program = shutil.which("chromium")
        if not program:
            raise SystemExit("chromium is missing: run 'make setup'")
        self._profile = tempfile.mkdtemp(prefix="reprise-page-")
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        # Chromium reads commands from descriptor 3 and answers on 4.
        placed = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        self._process = subprocess.Popen(
            ["bash", "-c", placed, program, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            pass_fds=(to_read, to_write))
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._last = 0
        self._session = None
        self.events = []
        page = next(target for target in self.call("Target.getTargets")["targetInfos"] if target["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._session = None
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        try:
            self._process.wait(ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method, **params):
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        return self._until(lambda answer: answer.get("id") == self._last, method)

    def _until(self, wanted, what):
        deadline = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < deadline:
            message = self._message()
            if wanted(message):
                if "error" in message:
                    raise RuntimeError(f"{what}: {message['error']['message']}")
                return message.get("result", message)
            if "method" in message:
                self.events.append(message)
        raise TimeoutError(f"{what}: no answer in {ANSWER_SECONDS} s")

    def _message(self):
        while b"\0" not in self._buffer:
            data = os.read(self._from, 1 << 20)
            if not data:
                raise EOFError("chromium ended")
            self._buffer += data
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def window(self, width, height, dark=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, path):
        """Loads the file and forgets what earlier pages said."""
        self.events.clear()
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        if not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._until(lambda message: message.get("method") == "Page.loadEventFired", f"load {path}")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode={"Tab": 9}[key])

    def screenshot(self, path, whole=False):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))

    def complaints(self):
        """What a developer's console would show: errors, warnings, exceptions."""
        names = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
        return [event for event in self.events if event["method"] in names]

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]
