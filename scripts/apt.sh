#!/bin/sh
# Brings a Debian package where apt is at hand: `apt.sh install NAME` (as root), or `apt.sh unpack NAME FOLDER`, which
# installs nothing and starts nothing. Silent when it cannot: whoever asked looks whether it is there, and says so.
set -eu
cd "$(dirname "$0")/.."
command -v apt-get >/dev/null || exit 0
# Once an hour is enough: several packages are asked for, one after the other.
if [ "$(id -u)" = 0 ] && [ -z "$(find .venv/.apt-updated -mmin -60 2>/dev/null)" ]; then
    apt-get update -qq >/dev/null 2>&1 && touch .venv/.apt-updated || true
fi
case "$1" in
install)
    [ "$(id -u)" = 0 ] || exit 0
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2" >/dev/null 2>&1 || true
    ;;
unpack)
    rm -rf "$3.new" && mkdir -p "$3.new"
    if (cd "$3.new" && apt-get download -qq "$2") >/dev/null 2>&1 && dpkg -x "$3.new"/*.deb "$3.new" 2>/dev/null; then
        rm -rf "$3" && mv "$3.new" "$3"
    fi
    rm -rf "$3.new"
    ;;
esac
