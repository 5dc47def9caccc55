#!/bin/sh
# Makes .venv ready: finds a Python and the system libraries; film/setup.py does the rest. `make setup` runs it.
#
# Nothing to do is the usual case and costs less than a tenth of a second.
#
# PYTHON      the interpreter to build with (default: the first of python3.13, 3.12, 3.11, python3 that will do)
# TORCH_ARGS  more arguments for `pip install torch==…`, for example an index of smaller CPU builds
set -eu
cd "$(dirname "$0")/.."

trap 'exit 130' INT TERM

say() { printf '%s\n' "setup: $*"; }
fail() { printf '%s\n' "setup: $*" >&2; exit 1; }

# .venv/.ready is written by film/setup.py, which says what it holds.
is_ready() {
    { pwd -P; cat pyproject.toml constraints.txt tools/setup.sh film/setup.py; } | cmp -s - .venv/.ready &&
        .venv/bin/python -S -c ''
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    for candidate in ${PYTHON:+"$PYTHON"} python3.13 python3.12 python3.11 python3; do
        if is_new_enough "$candidate"; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
    done
}

has_headers() {
    "$1" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")))' 2>/dev/null
}

# Prints the Debian packages that are missing, for the interpreter $1 (empty: none found).
missing_packages() {
    command -v cc >/dev/null 2>&1 || echo build-essential
    if command -v pkg-config >/dev/null 2>&1; then
        pkg-config --exists cairo || echo libcairo2-dev
        pkg-config --exists pangocairo || echo libpango1.0-dev
    else
        echo pkg-config libcairo2-dev libpango1.0-dev
    fi
    name=python3
    [ -z "$1" ] || name=$("$1" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
    [ -n "$1" ] || echo python3
    { [ -n "$1" ] && "$1" -c 'import ensurepip, venv' 2>/dev/null; } || echo "$name-venv"
    { [ -n "$1" ] && has_headers "$1"; } || echo "$name-dev"
}

apt_install() {
    line="sudo apt-get update && sudo apt-get install -y $*"
    if [ "$(id -u)" = 0 ]; then
        root=
    elif ! command -v sudo >/dev/null 2>&1; then
        fail "these system packages are missing and only root may install them; run this line as root, then make again:
    apt-get update && apt-get install -y $*"
    elif [ -t 0 ]; then
        root=sudo
    else
        root="sudo -n"
    fi
    if [ -z "$root" ]; then
        say "as root, installing these system packages with apt, and what they need: $*"
    else
        say "installing system packages with apt: $*; sudo may ask for your password"
    fi
    # shellcheck disable=SC2086  # root is a command with its option, or nothing
    if ! { $root apt-get update -q && $root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y "$@"; }; then
        fail "apt could not install them; run this line, then make again:
    $line"
    fi
}

need_system() {
    [ "$(uname -sm)" != "Darwin x86_64" ] || fail "the lesson needs PyTorch 2.5 or newer, and for Macs with an Intel \
processor the last is 2.2.2; use a Mac with Apple silicon (in a terminal without Rosetta), Linux or Windows."
    # shellcheck disable=SC2046  # one package a word
    set -- $(missing_packages "$(find_python)")
    [ $# -gt 0 ] || return 0
    if [ "$(uname -s)" = Darwin ]; then
        fail "something is missing (in Debian's names: $*); run this line, then make again:
    xcode-select --install; brew install cairo pango pkg-config python@3.13"
    fi
    command -v apt-get >/dev/null 2>&1 || fail "something is missing (in Debian's names: $*), and only on Debian and \
Ubuntu can it be installed from here. Needed are a C compiler, pkg-config, the development files of cairo and pango, and \
Python 3.11 or newer with venv and headers; install them, then make again."
    apt_install "$@"
    [ -n "$(find_python)" ] || fail "Python 3.11 or newer is needed; the one here is $(python3 -V 2>&1). Where apt has \
a newer one, run this line, then make again:
    sudo apt-get install -y python3.11 python3.11-venv python3.11-dev"
}

! is_ready 2>/dev/null || exit 0
need_system
PYTHON=$(find_python)
export PYTHON
exec "$PYTHON" -m film.setup
