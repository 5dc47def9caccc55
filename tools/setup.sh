#!/bin/sh
# Makes .venv ready: system libraries, pinned Python packages, the project itself. `make setup` runs it.
#
# Nothing to do is the usual case and costs a few milliseconds. A set-up that was cut short left .venv/.unfinished
# behind and is begun again from nothing, because pip takes a half-copied package for an installed one.
#
# PYTHON      the interpreter to build with (default: the first of python3.13, 3.12, 3.11, python3 that will do)
# TORCH_ARGS  more arguments for `pip install torch==…`, for example an index of smaller CPU builds
set -eu
cd "$(dirname "$0")/.."

venv=.venv
python=$venv/bin/python
trap 'exit 130' INT TERM

say() { printf '%s\n' "setup: $*"; }
fail() { printf '%s\n' "setup: $*" >&2; exit 1; }

# A moved folder is a new key: scripts and the editable install hold absolute paths.
key="$(pwd)
$(cat pyproject.toml constraints.txt tools/setup.sh | cksum)"

is_ready() { [ "$(cat "$venv/.ready" 2>/dev/null)" = "$key" ] && "$python" -c '' 2>/dev/null; }

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
    say "installing system packages with apt: $*"
    [ -z "$root" ] || say "sudo may ask for your password"
    # shellcheck disable=SC2086  # root is a command with its option, or nothing
    if ! { $root apt-get update -q && $root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y "$@"; }; then
        fail "apt could not install them; run this line, then make again:
    $line"
    fi
}

need_system() {
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

# Leaves $venv with a Python and pip that work; whatever it held before is kept if it is sound.
need_venv() {
    if [ -e "$venv/.unfinished" ]; then
        say "the last set-up was cut short; beginning again"
        rm -rf "$venv"
    elif [ -e "$venv/.ready" ] && [ "$(head -n 1 "$venv/.ready")" != "$(pwd)" ]; then
        say "this folder has moved; building .venv again"
        rm -rf "$venv"
    elif [ -e "$venv" ] && ! { is_new_enough "$python" && "$python" -m pip --version >/dev/null 2>&1; }; then
        say ".venv does not work any more; building it again"
        rm -rf "$venv"
    fi
    [ ! -e "$venv" ] || return 0
    base=$(find_python)
    say "making .venv with $("$base" -V)"
    mkdir "$venv"
    : >"$venv/.unfinished"
    "$base" -m venv "$venv"
}

# pip that fails by itself leaves a sound .venv; only one that is killed leaves .unfinished behind.
pip_install() {
    quiet=-q
    [ ! -t 1 ] || quiet=
    # shellcheck disable=SC2086  # an option or nothing
    "$python" -m pip --disable-pip-version-check install --no-warn-script-location $quiet -c constraints.txt "$@" || {
        rm -f "$venv/.unfinished"
        fail "pip could not install the packages (its own words are above); see that the network is there, then make again"
    }
}

install_packages() {
    rm -f "$venv/.ready"
    : >"$venv/.unfinished"
    say "installing the pinned packages (1.5 GB or more on disk; some minutes the first time)"
    # torch first and by itself: its build is chosen here and by nothing else
    # shellcheck disable=SC2086  # arguments, one a word
    pip_install ${TORCH_ARGS:-} "$(grep '^torch==' constraints.txt)"
    pip_install -e '.[dev,export]'
    "$python" -c 'import av, manim, torch, uharfbuzz' || fail "the packages are installed but do not load"
    printf '%s\n' "$key" >"$venv/.ready.new"
    mv "$venv/.ready.new" "$venv/.ready"
    rm -f "$venv/.unfinished"
    say "ready"
}

is_ready && exit 0
need_system
need_venv
install_packages
