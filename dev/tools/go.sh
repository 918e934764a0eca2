# Sourced by what builds Go tools here: finds a Go that can build the given modules.
# `here` is this directory.
# shellcheck shell=bash

# shellcheck source=/dev/null
. "${here:?}/build-once.sh"

# The newest `go` line of the modules: the least Go version that can build them.
needed_go() {
  sed -n 's/^go //p' "$@" | sort -V | tail -n 1
}

# The version of MODULE that GO.MOD requires.
required_version() {
  sed -n "s#^\t\{0,1\}\(require \)\{0,1\}$2 \(v[^ ]*\).*#\2#p" "$1"
}

find_go() {
  local dir
  if ! command -v go >/dev/null; then
    for dir in /usr/local/go/bin /usr/lib/go/bin; do
      if [ -x "$dir/go" ]; then PATH=$dir:$PATH; return; fi
    done
    "${here:?}/install-go" || die "there is no Go on this machine and it could not be installed (see above)"
  fi
}

# choose_toolchain GO.MOD...
choose_toolchain() {
  local needed have
  needed=$(needed_go "$@")
  have=$(cd / && GOTOOLCHAIN=local go env GOVERSION)
  have=${have#go}
  if [ "$(printf '%s\n' "$needed" "$have" | sort -V | tail -n 1)" = "$have" ]; then
    export GOTOOLCHAIN=local
    return
  fi
  case $have in
    1.1[0-9]|1.1[0-9].*|1.20|1.20.*)
      die "Go $have cannot fetch a newer Go by itself (1.21 and later can); install Go $needed" ;;
  esac
  # A `go` line such as 1.26 names no release; a toolchain's name has three parts.
  case $needed in *.*.*) ;; *) needed=$needed.0 ;; esac
  say "Go $have is older than $needed: fetching that toolchain"
  export GOTOOLCHAIN=go$needed
  (cd / && go version >/dev/null) || die "Go toolchain $needed could not be fetched (see above)"
}
