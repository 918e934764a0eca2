"""An S3 server in memory, as far as s3fs asks: an object is there whole or not at all. rclone's takes no directory's object
("step-1/") and so serves no s3fs."""

import hashlib
import threading
from collections import Counter
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

LISTED = ('<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name>'
          "<Prefix>{}</Prefix><IsTruncated>false</IsTruncated>{}</ListBucketResult>")
ENTRY = "<Contents><Key>{}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>{}</ETag><Size>{}</Size></Contents>"
FOLDER = "<CommonPrefixes><Prefix>{}</Prefix></CommonPrefixes>"
COPIED = '<?xml version="1.0"?><CopyObjectResult><ETag>{}</ETag><LastModified>2026-01-01T00:00:00.000Z</LastModified></CopyObjectResult>'


class Store:
    """`objects`: {key: (bytes, headers)}. `room`: of all of them, in bytes; a PUT beyond is refused."""

    def __init__(self):
        self.objects, self.seen, self.lock = {}, Counter(), threading.Lock()
        self.room = self.address = None

    def read(self, name):
        found = self.objects.get(name)
        return found and found[0]

    def put(self, key, data, headers):
        with self.lock:
            others = sum(len(each) for name, (each, _) in self.objects.items() if name != key)
            if self.room is not None and others + len(data) > self.room:
                return None
            tag = f'"{hashlib.md5(data).hexdigest()}"'
            self.objects[key] = (data, {**headers, "ETag": tag, "Last-Modified": formatdate(usegmt=True)})
            return tag

    def listed(self, query):
        prefix, delimiter = (query.get(name, [""])[0] for name in ("prefix", "delimiter"))
        entries, folders = [], set()
        for key, (data, headers) in sorted(dict(self.objects).items()):
            rest = key.removeprefix(prefix)
            if not key.startswith(prefix):
                continue
            if delimiter and delimiter in rest:
                folders.add(prefix + rest.split(delimiter)[0] + delimiter)
            else:
                entries.append(ENTRY.format(escape(key), escape(headers["ETag"]), len(data)))
        return LISTED.format(escape(prefix), "".join(entries + [FOLDER.format(escape(each)) for each in sorted(folders)])).encode()


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, kind, code, body=b"", headers=(), length=None):
        with self.server.store.lock:
            self.server.store.seen[kind] += 1
        self.send_response(code)
        for name, value in {**dict(headers), "Content-Length": str(len(body) if length is None else length)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def asked(self):
        """Key, query, and what is kept of the request's headers."""
        url = urlsplit(self.path)
        kept = {name: value for name, value in self.headers.items() if name.lower().startswith("x-amz-meta-") or name == "Content-Type"}
        return unquote(url.path).removeprefix("/bucket").removeprefix("/"), parse_qs(url.query, keep_blank_values=True), kept

    def do_GET(self):
        key, query, _ = self.asked()
        if not key:
            return self.answer("LIST", 200, self.server.store.listed(query), {"Content-Type": "application/xml"})
        data, headers = self.server.store.objects.get(key, (None, {}))
        if data is None:
            return self.answer("GET", 404)
        span = self.headers.get("Range")
        if not span:
            return self.answer("GET", 200, data, headers)
        first, last = span.removeprefix("bytes=").split("-")
        part = data[int(first):int(last) + 1 if last else None]
        said = {**headers, "Content-Range": f"bytes {first}-{int(first) + len(part) - 1}/{len(data)}"}
        return self.answer("GET", 206, part, said)

    def do_HEAD(self):
        data, headers = self.server.store.objects.get(self.asked()[0], (None, {}))
        self.answer("HEAD", 404 if data is None else 200, b"", headers, 0 if data is None else len(data))

    def do_PUT(self):
        key, _, kept = self.asked()
        data, kind = self.rfile.read(int(self.headers.get("Content-Length", 0))), "PUT"
        source = self.headers.get("x-amz-copy-source")
        if source:
            kind, data = "COPY", self.server.store.read(unquote(source).removeprefix("/bucket/"))
        tag = None if data is None else self.server.store.put(key, data, kept)
        if tag is None:
            return self.answer(kind, 404 if data is None else 507)
        return self.answer(kind, 200, COPIED.format(escape(tag)).encode() if source else b"", {"ETag": tag})

    def do_DELETE(self):
        with self.server.store.lock:
            self.server.store.objects.pop(self.asked()[0], None)
        self.answer("DELETE", 204)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A daemon that was killed answers no more."""


@contextmanager
def s3_server():
    server = Server(("127.0.0.1", 0), Answers)
    server.store = Store()
    server.store.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.store
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
