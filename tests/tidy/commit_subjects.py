#!/usr/bin/python3
"""A commit's subject says in the imperative what applying it does, in 72 columns at most.

  tests/tidy/commit_subjects.py    prints the commits since SINCE whose subject is no such sentence; exit code 1 when there is one

Merges are left out. A tree without its history, or with a part of it, has only the commits that are there looked at.
"""

import re
import subprocess
import sys

from rooms import ROOT, report

SINCE = "bfa1bb16"  # the last commit before this rule
MOST_COLUMNS = 72
# An imperative opens with none of these.
NO_VERB = frozenset("""a all an and another any as at both by each every for from he here in it its many most no nobody none nothing of on
    one only other our several she some such that the their there these they this those to two under we what when where which who
    with you""".split())
ENDINGS = ("ed", "ing")
VERBS = frozenset({"embed", "feed", "need", "seed", "speed", "shed", "bring", "cling", "fling", "ping", "ring", "string", "swing"})


def commits(root):
    """Hash and subject of each commit since."""
    known = subprocess.run(["git", "cat-file", "-e", f"{SINCE}^{{commit}}"], cwd=root, capture_output=True, check=False).returncode == 0
    behind = [f"{SINCE}..HEAD"] if known else ["HEAD"]
    listed = subprocess.run(["git", "log", "--no-merges", "--format=%h %s", *behind], cwd=root, capture_output=True, text=True, check=False)
    return [line.split(" ", 1) for line in listed.stdout.splitlines()] if known else []


def objections(subject):
    first = (re.match(r"[A-Za-z'-]+", subject) or [""])[0]
    if len(subject) > MOST_COLUMNS:
        yield f"has {len(subject)} columns, allowed are {MOST_COLUMNS}"
    if subject.endswith("."):
        yield "ends with a full stop"
    if not first or not first[0].isupper():
        yield "must open with a capital letter"
    elif not is_imperative(first.lower()):
        yield f"opens with '{first}', must open with a verb in the imperative, as in 'Add', 'Remove', 'Say'"


def is_imperative(word):
    if word in VERBS:
        return True
    third_person = word.endswith("s") and not word.endswith(("ss", "us"))
    return word not in NO_VERB and not word.endswith(ENDINGS) and not third_person


def problems(root):
    for commit, subject in commits(root):
        for objection in objections(subject):
            yield f"tidy: commit {commit}, '{subject}': {objection}"


def main():
    return report(list(problems(ROOT)), f"tidy: subjects of commits since {SINCE} are in the imperative and have at most {MOST_COLUMNS} columns")


if __name__ == "__main__":
    sys.exit(main())
