#!/bin/sh
# The pictures of docs/first-day.md: walks the first day in a network, under a name and on a disk of its own. Needs root.
set -eu
cd "$(dirname "$0")/.."
[ -n "${WALKS:-}" ] || exec env WALKS=1 unshare --net --mount --uts sh scripts/first-day.sh "$1"
hostname taller
mount -t tmpfs tmpfs /srv
mkdir /srv/carrete
.venv/bin/python -m tests.system.operations.walk_first_day /srv/carrete
mkdir -p "$1"
cp /srv/carrete/pictures/*.png "$1"/
