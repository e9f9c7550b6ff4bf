#!/bin/sh
# Leaves the path of an nginx in .venv/.nginx: the machine's own, else Debian's unpacked into the venv (nothing is
# installed, so none starts on port 80), else said what to do.
set -eu
cd "$(dirname "$0")/.."
PATH="$PATH:/usr/sbin"
unpacked="$PWD/.venv/nginx"
found() {
    for one in "$(command -v nginx)" "$unpacked/usr/sbin/nginx"; do
        if "$one" -v 2>/dev/null; then echo "$one" && return; fi
    done
    return 1
}
found >/dev/null || sh scripts/apt.sh unpack nginx "$unpacked"
found >/dev/null || sh scripts/apt.sh install nginx # a library that it needs was missing
if ! found >.venv/.nginx.new; then
    echo "The tests need nginx and it could not be fetched. Install it (Debian, Ubuntu: sudo apt install nginx) and repeat." >&2
    exit 1
fi
mv .venv/.nginx.new .venv/.nginx
