"""Mounts by s3fs of one bucket."""

import tempfile
from contextlib import contextmanager
from pathlib import Path

from daemons import Node
from s3_server import s3_server


class Bucket:
    """`store`: what is in it, and what was asked of it."""

    def __init__(self, work, store):
        self.work, self.store, self.read = Path(work), store, store.read

    def node(self, name, *options):
        def command(node):
            passwords = node.work / "passwords"
            passwords.write_text("key:secret\n")
            passwords.chmod(0o600)
            words = [f"passwd_file={passwords}", f"url={self.store.address}", "use_path_request_style", "nomultipart",
                     f"tmpdir={node.cache}", *options]
            return ["s3fs", "bucket", node.place, "-f", *(f"-o{word}" for word in words)]
        return Node(self.work / name, command)


@contextmanager
def bucket_of_s3fs():
    with tempfile.TemporaryDirectory() as work, s3_server() as store:
        yield Bucket(work, store)
