#!/usr/bin/env bash
# pyarrow 26.0.1, obstore 0.12.1, smart_open 9.0.2, s3fs 2026.9.0 and boto3 1.43.117, with moto 5.2.5 as the S3 server: an object that is
# replaced while it is read.
#
# A trainer keeps its last checkpoint under one key. A store of objects replaces it whole, so that a read gives the old one or the new
# one, and that holds for one request. A pod that restores has read the first quarter of the weights when the next save lands. What
# pyarrow and obstore give then is a checkpoint of no step: a quarter of the old one and three quarters of the new one, of the right
# length, and nothing is raised. Each read() asks for its range anew, from whatever is there by then; pyarrow's open_input_stream, by
# its name one download, does so as well, and so do the wrappers that make files of fsspec from both. smart_open reads on in one
# request, but after a seek() it asks again and has the new object. s3fs and boto3 ask for the version that they began with, and fail.
# Where checkpoints are replaced in place, the reader's library decides whether a restore at a bad time is an error or a wrong model.
#
# Seen on 2026-12-01 (24 MB, the next save after the first quarter is read; after a seek, the last half is read):
#   pyarrow open_input_stream: 25% old, 75% new
#   pyarrow open_input_file: 25% old, 75% new
#   pyarrow open_input_file, seek: 25% old, 50% new
#   pyarrow by fsspec: 25% old, 75% new
#   obstore: 25% old, 75% new
#   obstore by fsspec: 25% old, 75% new
#   smart_open: 100% old, 0% new
#   smart_open, seek: 25% old, 50% new
#   s3fs: FileExpired
#   boto3 download_fileobj: S3DownloadFailedError
#
# Needs Python 3.11 or newer with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check pyarrow==26.0.1 obstore==0.12.1 'smart_open[s3]==9.0.2' s3fs==2026.9.0 \
  boto3==1.43.117 'moto[server]==5.2.5'

cat >read.py <<'P'
import io, logging, os
import boto3, obstore, pyarrow.fs, s3fs, smart_open
from boto3.s3.transfer import TransferConfig
from fsspec.implementations.arrow import ArrowFSWrapper
from moto.server import ThreadedMotoServer
from obstore.fsspec import FsspecStore
from obstore.store import S3Store

SIZE = 24_000_000
logging.getLogger("werkzeug").setLevel(logging.ERROR)
os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="us-east-1")
moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
moto.start()
server = "http://127.0.0.1:%d" % moto.get_host_and_port()[1]
store = boto3.client("s3", endpoint_url=server)
store.create_bucket(Bucket="data")
arrow = pyarrow.fs.S3FileSystem(endpoint_override=server.removeprefix("http://"), scheme="http")
rust = {"endpoint": server, "region": "us-east-1", "access_key_id": "x", "secret_access_key": "x", "client_options": {"allow_http": True}}


def save(weights):
    store.put_object(Bucket="data", Key="last", Body=weights * SIZE)


def restore(what, read):
    save(b"o")
    try:
        got = bytes(read())
        print(f"{what}: {got.count(b'o') * 100 // SIZE}% old, {got.count(b'n') * 100 // SIZE}% new")
    except Exception as error:
        print(f"{what}: {type(error).__name__}")


def file(opened, seek=False):
    def read():
        from_store = opened()
        first = bytes(from_store.read(SIZE // 4))
        save(b"n")
        if seek:
            from_store.seek(SIZE // 2)
        return first + bytes(from_store.read())

    return read


def boto():
    client, requests, target = boto3.client("s3", endpoint_url=server), [], io.BytesIO()

    def before(request, **_):
        requests.append(request)
        if len(requests) == 2:
            save(b"n")

    client.meta.events.register("before-send.s3.GetObject", before)
    client.download_fileobj("data", "last", target, Config=TransferConfig(multipart_chunksize=SIZE // 4, use_threads=False))
    return target.getvalue()


def smart():
    return smart_open.open("s3://data/last", "rb", transport_params={"client": store})


restore("pyarrow open_input_stream", file(lambda: arrow.open_input_stream("data/last")))
restore("pyarrow open_input_file", file(lambda: arrow.open_input_file("data/last")))
restore("pyarrow open_input_file, seek", file(lambda: arrow.open_input_file("data/last"), True))
restore("pyarrow by fsspec", file(lambda: ArrowFSWrapper(arrow).open("data/last", "rb")))
restore("obstore", file(lambda: obstore.open_reader(S3Store("data", **rust), "last")))
restore("obstore by fsspec", file(lambda: FsspecStore("s3", **rust).open("data/last", "rb")))
restore("smart_open", file(smart))
restore("smart_open, seek", file(smart, True))
restore("s3fs", file(lambda: s3fs.S3FileSystem(endpoint_url=server, default_block_size=2**20).open("data/last", "rb")))
restore("boto3 download_fileobj", boto)
moto.stop()
P

seen=$(venv/bin/python read.py 2>log) || { cat log >&2; exit 2; }
echo "$seen"
[ "$seen" = "pyarrow open_input_stream: 25% old, 75% new
pyarrow open_input_file: 25% old, 75% new
pyarrow open_input_file, seek: 25% old, 50% new
pyarrow by fsspec: 25% old, 75% new
obstore: 25% old, 75% new
obstore by fsspec: 25% old, 75% new
smart_open: 100% old, 0% new
smart_open, seek: 25% old, 50% new
s3fs: FileExpired
boto3 download_fileobj: S3DownloadFailedError" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
