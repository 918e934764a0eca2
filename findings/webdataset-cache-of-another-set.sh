#!/usr/bin/env bash
# webdataset 1.0.2: WebDataset(cache_dir=...), the cache of shards on a node's disk, and two data sets.
#
# The cache names a shard by the last part of its address. The shards of train/ and those of val/ are numbered alike, as ShardWriter does
# it, so with one cache_dir the validation is read from the shards that the training has left there: not one of its own examples comes,
# the server is not asked for them, and each example's __url__ names the address in val/ all the same. The loss of the validation is
# that of the training. On a disk that the jobs of a node share, a job reads the data of another job in this way, and whose data it is
# depends on who came first. The argument url_to_name, by its description the function that makes these names, changes nothing:
# WebDataset takes it and does not hand it on, and it is never called. A cache folder for each data set is right, and an address with
# "pipe:" has a name of its own.
#
# Seen on 2026-11-30 (the classes of train are 0 to 3, those of val 100 to 103):
#   one cache: train 0 1 2 3; val 0 1 2 3; __url__ of val's: val; asked for val: 0 times
#   one cache, val first: train 100 101 102 103; val 100 101 102 103; __url__ of val's: val; asked for val: 1 times
#   url_to_name: train 0 1 2 3; val 0 1 2 3; __url__ of val's: val; asked for val: 0 times; names made: 0
#   a cache for each: train 0 1 2 3; val 100 101 102 103
#   pipe: train 0 1 2 3; val 100 101 102 103
#
# Needs Python 3.11 or newer with venv. Exit code 1 when it is otherwise.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install -q --disable-pip-version-check webdataset==1.0.2 numpy==2.4.6

cat >sets.py <<'P'
import functools, http.server, os, threading, urllib.parse
import webdataset as wds

asked, names = [], []


class Store(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        asked.append(self.path)
        super().do_GET()

    def log_message(self, *message):
        pass


def written(folder, first):
    os.makedirs(folder)
    with wds.ShardWriter(folder + "/%06d.tar", verbose=0) as writer:
        for number in range(first, first + 4):
            writer.write({"__key__": f"{number:04d}", "cls": number})


written("store/train", 0)
written("store/val", 100)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Store, directory="store"))
threading.Thread(target=server.serve_forever, daemon=True).start()


def read(cache, part, pipe=False, **more):
    os.makedirs(cache, exist_ok=True)
    url = f"pipe:cat store/{part}/000000.tar" if pipe else f"http://127.0.0.1:{server.server_port}/{part}/000000.tar"
    samples = list(wds.WebDataset(url, cache_dir=cache, shardshuffle=False, **more))
    return " ".join(sample["cls"].decode() for sample in samples), samples[0]["__url__"].split("/")[-2]


def named(url):
    names.append(urllib.parse.quote(url, safe=""))
    return names[-1]


def both(words, order=("train", "val"), own=False, **more):
    asked.clear()
    seen = {part: read(words + part * own, part, **more) for part in order}
    counted = sum("val" in path for path in asked)
    return (f"{words}: train {seen['train'][0]}; val {seen['val'][0]}",
            f"; __url__ of val's: {seen['val'][1]}; asked for val: {counted} times")


print(*both("one cache"), sep="")
print(*both("one cache, val first", order=("val", "train")), sep="")
print(*both("url_to_name", url_to_name=named), f"; names made: {len(names)}", sep="")
print(both("a cache for each", own=True)[0])
print(both("pipe", pipe=True)[0])
P
seen=$(venv/bin/python sets.py)
echo "$seen"
[ "$seen" = "one cache: train 0 1 2 3; val 0 1 2 3; __url__ of val's: val; asked for val: 0 times
one cache, val first: train 100 101 102 103; val 100 101 102 103; __url__ of val's: val; asked for val: 1 times
url_to_name: train 0 1 2 3; val 0 1 2 3; __url__ of val's: val; asked for val: 0 times; names made: 0
a cache for each: train 0 1 2 3; val 100 101 102 103
pipe: train 0 1 2 3; val 100 101 102 103" ] || {
  echo "it is otherwise by now" >&2
  exit 1
}
