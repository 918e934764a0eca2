"""The metadata services of EC2, Compute Engine and Azure, as far as they tell that a machine goes. Each refuses what the real
one refuses: a request without its header, without its token, of another method."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


class Ec2:
    """Version 2 of the service alone: a token first, then documents; what is not the case is 404."""
    provider = "aws"
    provider_id = "aws:///eu-west-1a/i-0123456789abcdef0"

    def __init__(self):
        self.documents = {"autoscaling/target-lifecycle-state": "InService", "events/maintenance/scheduled": "[]"}
        self.tokens = set()

    def interrupt(self, seconds=120):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
        self.documents["spot/instance-action"] = json.dumps({"action": "terminate", "time": at})

    def withdraw(self):
        del self.documents["spot/instance-action"]

    def recommend_rebalance(self):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.documents["events/recommendations/rebalance"] = json.dumps({"noticeTime": at})

    def forget_tokens(self):
        self.tokens.clear()

    def answer(self, method, path, headers):
        if path == "/latest/api/token":
            lifetime = headers.get("X-aws-ec2-metadata-token-ttl-seconds", "")
            if method != "PUT":
                return 405, ""
            if not lifetime.isdigit() or not 1 <= int(lifetime) <= 21600:
                return 400, "<title>400 - Bad Request</title>"
            token = f"AQAEA{len(self.tokens):08}=="
            self.tokens.add(token)
            return 200, token
        if headers.get("X-aws-ec2-metadata-token") not in self.tokens:
            return 401, "<title>401 - Unauthorized</title>"
        document = self.documents.get(path.removeprefix("/latest/meta-data/")) if method == "GET" else None
        return (404, "<title>404 - Not Found</title>") if document is None else (200, document)


class ComputeEngine:
    provider = "gcp"
    provider_id = "gce://project/europe-west4-a/gke-gpu-1"

    def __init__(self):
        self.documents = {"preempted": "FALSE", "maintenance-event": "NONE"}

    def interrupt(self):
        self.documents["preempted"] = "TRUE"

    def withdraw(self):
        self.documents["preempted"] = "FALSE"

    def answer(self, method, path, headers):
        if headers.get("Metadata-Flavor") != "Google":
            return 403, "Missing Metadata-Flavor:Google header."
        document = self.documents.get(path.removeprefix("/computeMetadata/v1/instance/")) if method == "GET" else None
        return (404, "not found") if document is None else (200, document)


class Azure:
    """Tells of all machines of the scale set."""
    provider = "azure"
    provider_id = ("azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/aks-gpu-vmss/"
                   "virtualMachines/0")

    def __init__(self):
        self.incarnation = 1
        self.events = [self._event("Preempt", "aks-gpu-vmss_7")]

    @staticmethod
    def _event(kind, machine, seconds=30):
        at = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + seconds))
        return {"EventId": f"C7061BAC-{machine}", "EventType": kind, "ResourceType": "VirtualMachine", "Resources": [machine],
                "EventStatus": "Scheduled", "NotBefore": at, "Description": "", "EventSource": "Platform", "DurationInSeconds": -1}

    def interrupt(self):
        self.incarnation += 1
        self.events.append(self._event("Preempt", "aks-gpu-vmss_0"))

    def withdraw(self):
        self.incarnation += 1
        self.events.pop()

    def answer(self, method, path, headers):
        split = urlsplit(path)
        query = parse_qs(split.query)
        if headers.get("Metadata") != "true" or method != "GET":
            return 400, json.dumps({"error": "Bad request. Required metadata header not specified"})
        if split.path == "/metadata/instance/compute/name" and query == {"api-version": ["2021-02-01"], "format": ["text"]}:
            return 200, "aks-gpu-vmss_0"
        if split.path == "/metadata/scheduledevents" and query == {"api-version": ["2020-07-01"]}:
            return 200, json.dumps({"DocumentIncarnation": self.incarnation, "Events": self.events})
        return 400, json.dumps({"error": "Bad request. api-version is invalid or was not specified in the request."})


CLOUDS = (Ec2, ComputeEngine, Azure)


class MetadataServer(ThreadingHTTPServer):
    """`behaviour`: well, or what a service in trouble does: hangs, drips, closes, talks garbage, talks without end, fails."""
    daemon_threads = True

    def __init__(self, cloud, address="127.0.0.1"):
        self.cloud = cloud  # or one for each machine: {address of the machine: cloud}
        self.behaviour = "well"
        self.requests = 0
        super().__init__((address, 0), _Handler)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def cloud_of(self, machine):
        return self.cloud[machine] if isinstance(self.cloud, dict) else self.cloud

    @property
    def url(self):
        return f"http://{self.server_address[0]}:{self.server_address[1]}"

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.requests += 1
        trouble = getattr(self, "_" + self.server.behaviour, None)
        if trouble:
            self.close_connection = True
            try:
                trouble()
            except OSError:
                pass  # the agent has hung up
            return
        status, text = self.server.cloud_of(self.client_address[0]).answer(self.command, self.path, self.headers)
        self._send(status, text.encode())

    do_PUT = do_GET

    def _send(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _hangs(self):
        time.sleep(5)

    def _drips(self):
        for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n":
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(0.2)

    def _closes(self):
        pass

    def _garbage(self):
        self.wfile.write(bytes(range(256)) * 100)

    def _endless(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(1000):
            self.wfile.write(b'{"action":' * 1000)

    def _fails(self):
        self._send(500, b"{}")

    def log_message(self, *_):
        pass
