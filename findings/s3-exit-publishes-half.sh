#!/usr/bin/env bash
# s3fs 2026.9.0, pyarrow 26.0.1, cloudpathlib 0.26.0 and smart_open 9.0.2, with moto 5.2.5 as the S3 server: a process that gets SIGTERM
# as it writes.
#
# A process writes 1000 records to an object in a with block. After 300 of them it gets SIGTERM, as a pod on a spot node does, and its
# handler ends it in the usual way, with sys.exit(). That is an exception, so the with block closes the file, and for s3fs, pyarrow and
# cloudpathlib a close is the end of the upload: the object is there under its final name with 300 records. smart_open gives the upload
# up, and so does s3fs in a transaction. Whoever takes an object in S3 for complete because it exists (an upload is known to be seen
# whole or not at all) skips this one after the restart, and 700 records are missing.
#
# Seen on 2026-11-30 (exit code of the process, records in the object):
#   s3fs: 143, 300
#   s3fs in a transaction: 143, no object
#   pyarrow: 143, 300
#   cloudpathlib: 143, 300
#   smart_open: 143, no object
#
# Needs Python 3.11 or newer with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check s3fs==2026.9.0 pyarrow==26.0.1 \
  'cloudpathlib[s3]==0.26.0' 'smart_open[s3]==9.0.2' 'moto[server]==5.2.5'

cat >write.py <<'P'
import contextlib, os, signal, sys

name, server = sys.argv[1:]


def opened(stack):
    if name.startswith("s3fs"):
        import s3fs

        files = s3fs.S3FileSystem(endpoint_url=server)
        if "transaction" in name:
            stack.enter_context(files.transaction)
        return files.open("data/shard", "wb")
    if name == "pyarrow":
        import pyarrow.fs

        return pyarrow.fs.S3FileSystem(endpoint_override=server.removeprefix("http://"), scheme="http").open_output_stream("data/shard")
    if name == "cloudpathlib":
        import cloudpathlib

        return cloudpathlib.S3Client(endpoint_url=server).S3Path("s3://data/shard").open("wb")
    import boto3, smart_open

    return smart_open.open("s3://data/shard", "wb", transport_params={"client": boto3.client("s3", endpoint_url=server)})


signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
with contextlib.ExitStack() as stack, opened(stack) as file:
    for at in range(1000):
        file.write(b"%d\n" % at)
        if at == 299:
            os.kill(os.getpid(), signal.SIGTERM)
P
cat >try.py <<'P'
import logging, os, subprocess, sys
import boto3
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="us-east-1")
moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
moto.start()
server = "http://127.0.0.1:%d" % moto.get_host_and_port()[1]
store = boto3.client("s3", endpoint_url=server)
store.create_bucket(Bucket="data")
for name in ("s3fs", "s3fs in a transaction", "pyarrow", "cloudpathlib", "smart_open"):
    store.delete_object(Bucket="data", Key="shard")
    code = subprocess.run([sys.executable, "write.py", name, server], timeout=60).returncode
    try:
        there = store.get_object(Bucket="data", Key="shard")["Body"].read().count(b"\n")
    except store.exceptions.NoSuchKey:
        there = "no object"
    print(f"{name}: {code}, {there}")
moto.stop()
P

seen=$(venv/bin/python try.py 2>log) || { cat log >&2; exit 1; }
echo "$seen"
[ "$seen" = "s3fs: 143, 300
s3fs in a transaction: 143, no object
pyarrow: 143, 300
cloudpathlib: 143, 300
smart_open: 143, no object" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
