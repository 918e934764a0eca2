# Sourced by what builds something costly once and keeps it in the user's cache directory.
# shellcheck shell=bash

say() { printf '%s\n' "$*" >&2; }
die() { say "${0##*/}: $*"; exit 1; }

# build_once TARGET: where TARGET is not there, calls `build DIRECTORY` for a new directory beside it, which then becomes
# TARGET as a whole: whoever else builds it waits, and what was left half built goes. Prints TARGET.
build_once() {
  local cache temporary
  cache=$(dirname "$1")
  if [ ! -d "$1" ]; then
    mkdir -p "$cache"
    exec 9>"$cache/lock"
    flock 9
  fi
  if [ ! -d "$1" ]; then
    rm -rf "$cache"/building.*
    temporary=$(mktemp -d "$cache/building.XXXXXX")
    # shellcheck disable=SC2064  # the name is fixed now
    trap "rm -rf '$temporary'" EXIT
    build "$temporary"
    chmod 755 "$temporary"
    mv -T "$temporary" "$1"
  fi
  printf '%s\n' "$1"
}
