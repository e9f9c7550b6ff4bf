#!/bin/sh
# Brings a Debian package where apt is at hand: `apt.sh install NAME` (as root), or `apt.sh unpack NAME FOLDER`, which
# installs nothing and starts nothing. Silent when it cannot: whoever asked looks whether it is there, and says so.
set -u
cd "$(dirname "$0")/.."
command -v apt-get >/dev/null || exit 0

bring() {
    case "$1" in
    install) DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2" ;;
    unpack)
        rm -rf "$3.new" && mkdir -p "$3.new" &&
            (cd "$3.new" && apt-get download -qq "$2") && dpkg -x "$3.new"/*.deb "$3.new" &&
            rm -rf "$3" && mv "$3.new" "$3"
        ;;
    esac
}

root() { [ "$(id -u)" = 0 ]; }
[ "$1" = unpack ] || root || exit 0
# The lists of packages are renewed only where it does not work with those that are there: that takes some seconds.
bring "$@" >/dev/null 2>&1 || { root && apt-get update -qq >/dev/null 2>&1 && bring "$@" >/dev/null 2>&1; }
[ "$1" != unpack ] || rm -rf "$3.new"
exit 0
