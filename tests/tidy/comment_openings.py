#!/usr/bin/python3
"""Comments name their subject: few open with a relative or bare pronoun ("What", "Of", "Nothing").

  tests/tidy/comment_openings.py                 holds each folder's share of such comments against ALLOWED; exit code 1
                                                 when a share is larger
  tests/tidy/comment_openings.py --list FOLDER   prints file:line of each such comment in that folder

A comment is a block of lines of //, each of its paragraphs (an empty // line ends one), or a // after code. The names of
closed namespaces and instructions to tools are none.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRONOUNS = frozenset("what of nothing who whom whoever whose so that whether which whichever where those these whatever it they".split())
# Percent of a folder's comments. All folders have been read through.
ALLOWED = {"agent": 3, "api": 3, "apps": 3, "bench": 3, "controllers": 3, "examples": 3, "node-agent": 3, "protocol": 3,
           "rehearsal": 3, "runtime": 3, "simulator": 3, "tests": 3}
# Literals come first, so that a "//" inside of one is no comment.
TOKEN = re.compile(r'R"([^()\s\\]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\[^\'\n]+|[^\'\\\n])\'|/\*.*?\*/|(?P<comment>//[^\n]*)', re.DOTALL)
NO_PROSE = re.compile(r"//+\s*(?:}?\s*(?:anonymous )?namespace\b|NOLINT|clang-format|-{3,}|={3,})")
FIRST_WORD = re.compile(r"//+\s*(?:[-*]\s+)?([A-Za-z]+)")


def comments(text):
    """Line number and first line of each comment."""
    last = None  # line, column and emptiness of the line of // before
    for token in TOKEN.finditer(text):
        comment = token["comment"]
        if comment is None or NO_PROSE.match(comment):
            continue
        line = text.count("\n", 0, token.start()) + 1
        start_of_line = text.rfind("\n", 0, token.start()) + 1
        column = token.start() - start_of_line
        alone = not text[start_of_line:token.start()].strip()
        empty = not comment.strip("/ \t")
        continues = alone and last is not None and last[0] == line - 1 and last[1] == column and not last[2]
        last = (line, column, empty)
        if not continues and not empty:
            yield line, comment


def withholds_its_subject(comment):
    word = FIRST_WORD.match(comment)
    return word is not None and word[1].lower() in PRONOUNS


def look(root, folder):
    """How many comments the folder's sources hold, and "file:line: comment" of those with such an opening."""
    total, found = 0, []
    for path in sorted(path for path in (root / folder).rglob("*") if path.suffix in (".h", ".cc")):
        for line, comment in comments(path.read_text(encoding="utf-8")):
            total += 1
            if withholds_its_subject(comment):
                found.append(f"{path.relative_to(root)}:{line}: {comment}")
    return total, found


def problems(root, allowed):
    """Prints the shares; yields a sentence for each folder over its share."""
    for folder, percent in allowed.items():
        total, found = look(root, folder)
        share = 100 * len(found) / total if total else 0
        print(f"comments: {folder}: {len(found)} of {total} open with a pronoun, {share:.1f} %, allowed {percent} %")
        if share > percent:
            yield (f"comments: {folder} is over its share: name the subject first (it does this, then when, then what to do); "
                   f"see tests/tidy/comment_openings.py --list {folder}")


def main(arguments):
    match arguments:
        case []:
            over = list(problems(ROOT, ALLOWED))
            print(*over, sep="\n", end="\n" if over else "")
            return 1 if over else 0
        case ["--list", folder] if (ROOT / folder).is_dir():
            print(*look(ROOT, folder.rstrip("/"))[1], sep="\n")
            return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
