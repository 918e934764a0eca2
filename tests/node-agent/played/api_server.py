"""An API server with one Node: TLS, a token, JSON patches, Events; it remembers when what was written."""

import copy
import json
import ssl
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What a kubelet reports of the images on its machine: most of a Node's bytes.
IMAGES = [{"names": [f"registry.example/team/image-{number}@sha256:{number:064}", f"registry.example/team/image-{number}:1"],
           "sizeBytes": 10 ** 9} for number in range(50)]


def make_certificates(directory, name="kubernetes.default.svc"):
    """An authority and the server's own key and certificate: ca.crt, server.crt, server.key."""
    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, cwd=directory)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "names").write_text(f"subjectAltName=DNS:{name},IP:127.0.0.1\n")
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.crt", "-days", 2, "-subj", "/CN=kubernetes")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=kube-apiserver")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", 2, "-extfile", "names",
            "-out", "server.crt")
    return directory


class ApiServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, certificates, token, provider_id="", taints=()):
        self.token = token
        self.node = {"apiVersion": "v1", "kind": "Node",
                     "metadata": {"name": "gpu-1", "uid": "7d1b", "resourceVersion": "100", "labels": {"a": "b"}},
                     "spec": {"providerID": provider_id, "taints": list(taints)}, "status": {"images": IMAGES}}
        self.events, self.calls = [], []  # calls: (time, method, path, status)
        self.races = 0  # so many patches meet a Node that somebody has just changed
        super().__init__(("127.0.0.1", 0), _Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / "server.crt", certificates / "server.key")
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self):
        return f"https://127.0.0.1:{self.server_address[1]}"

    def taints(self):
        return {taint["key"]: taint for taint in self.node["spec"]["taints"]}

    def writes(self):
        return [call for call in self.calls if call[1] != "GET"]

    def handle_error(self, *_):
        pass  # whoever came does not trust this server

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _answer(self, status, body):
        self.server.calls.append((time.monotonic(), self.command, self.path, status))
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")  # as the real one sends what is long
        self.end_headers()
        for at in range(0, len(text), 2048):
            part = text[at:at + 2048]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def _refuse(self, status, reason):
        self._answer(status, {"kind": "Status", "status": "Failure", "message": reason, "code": status})

    def _body(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

    def _is_known(self):
        if self.headers.get("Authorization") == f"Bearer {self.server.token}":
            return True
        self._refuse(401, "Unauthorized")
        return False

    def do_GET(self):
        if self._is_known():
            self._answer(200, self.server.node)

    def do_PATCH(self):
        patch, node = self._body(), copy.deepcopy(self.server.node)
        if not self._is_known():
            return
        if self.path.split("?")[0] != "/api/v1/nodes/gpu-1" or self.headers["Content-Type"] != "application/json-patch+json":
            return self._refuse(415, "no such patch")
        version = int(node["metadata"]["resourceVersion"])
        if self.server.races > 0:
            self.server.races -= 1
            self.server.node["metadata"]["resourceVersion"] = str(version + 1)
            version += 1
        for step in patch:
            if step["op"] == "test" and step["value"] != str(version):
                return self._refuse(422, "the server rejected our request due to an error in our request")
            if step["op"] == "add":
                node["spec"]["taints"] = step["value"]
        node["metadata"]["resourceVersion"] = str(version + 1)
        self.server.node = node
        self._answer(200, node)

    def do_POST(self):
        event = self._body()
        if not self._is_known():
            return
        if any(event["metadata"]["name"] == other["metadata"]["name"] for other in self.server.events):
            return self._refuse(409, "events already exists")
        self.server.events.append(event)
        self._answer(201, event)

    def log_message(self, *_):
        pass
