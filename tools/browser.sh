#!/bin/sh
# Sees to it that there is a chromium for the tests of the lecture page; `make test` runs it.
#
# Never fails: without a browser pytest says loudly that the page was not tested, and fails where CI=true.
set -eu

for name in chromium chromium-browser google-chrome; do
    ! command -v "$name" >/dev/null 2>&1 || exit 0
done

line="apt-get install -y chromium"
if ! command -v apt-get >/dev/null 2>&1; then
    echo "browser: no chromium here; the tests of the lecture page are skipped until there is one" >&2
    exit 0
elif [ "$(id -u)" = 0 ]; then
    root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    root="sudo -n"
else
    echo "browser: no chromium here, so the tests of the lecture page are skipped; to have them: sudo $line" >&2
    exit 0
fi
echo "browser: ${root:-as root,} installing chromium with apt, and what it needs"
# shellcheck disable=SC2086  # root is a command with its option, or nothing
{ $root apt-get update -q && $root env DEBIAN_FRONTEND=noninteractive $line -q --no-install-recommends; } >/dev/null || {
    echo "browser: apt could not install chromium; the tests of the lecture page are skipped" >&2
}
