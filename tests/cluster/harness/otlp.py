"""A receiver of OTLP over HTTP that holds what comes against the protocol, and keeps it."""

import http.server
import json
import re
import threading

HEX = {"traceId": r"[0-9a-f]{32}", "spanId": r"[0-9a-f]{16}", "parentSpanId": r"[0-9a-f]{16}",
       "startTimeUnixNano": r"[0-9]{19}", "endTimeUnixNano": r"[0-9]{19}"}
FIELDS = {*HEX, "name", "kind", "attributes", "events", "status"}


def flat(attributes):
    """key -> value, whatever its type."""
    return {one["key"]: next(iter(one["value"].values())) for one in attributes}


class Receiver:
    def __init__(self, *headers):
        """`headers`: (name, value) that each request has to have."""
        self.spans, self.wrong, lock = [], [], threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(handler):
                body = handler.rfile.read(int(handler.headers["Content-Length"]))
                with lock:
                    self.take(handler.path, handler.headers, json.loads(body), headers)
                handler.send_response(200)
                handler.send_header("Content-Type", "application/json")
                handler.send_header("Content-Length", "2")
                handler.end_headers()
                handler.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def take(self, path, headers, request, expected):
        self.wrong += [f"{name} is {headers[name]!r}" for name, value in (*expected, ("Content-Type", "application/json"))
                       if headers[name] != value]
        if path != "/v1/traces":
            self.wrong.append(f"the path is {path}")
        for of_resource in request["resourceSpans"]:
            if flat(of_resource["resource"]["attributes"]).get("service.name") != "reprise-operator":
                self.wrong.append("service.name is missing")
            for of_scope in of_resource["scopeSpans"]:
                for span in of_scope["spans"]:
                    self.wrong += [f"{key}: {span[key]!r}" for key in HEX if key in span and not re.fullmatch(HEX[key], span[key])]
                    self.wrong += [f"OTLP has no {key} of a span" for key in span.keys() - FIELDS]
                    self.spans.append({**span, "attributes": flat(span["attributes"])})

    def attempts_of(self, job):
        """attempt -> its span."""
        return {int(span["attributes"]["reprise.attempt"]): span for span in list(self.spans)
                if span["name"] == "attempt" and span["attributes"]["reprise.job.name"] == job}
