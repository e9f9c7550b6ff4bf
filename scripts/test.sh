#!/bin/sh
# The tests, or those that are named. More at once than most machines have cores, because most of them wait for something; a file
# stays with one process. Where there is a disk in memory with room enough, their files are there: a real disk's syncs would be most of the time.
# Tests that fail beside others are run once more, alone, on the machine that is quiet now: red twice is red. What was red once
# stays in the output of the first run, to be looked at.
set -u
python=.venv/bin/python
pytest="$python scripts/bounded.py ${MINUTES_MAX:-60} $python -m pytest"
again_max=12
room_kb=4000000

free_kb=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $1 == "tmpfs" { print $4 }')
if [ "${free_kb:-0}" -gt "$room_kb" ]; then
    TMPDIR=$(mktemp -d /dev/shm/ct-XXXXXX)
    chmod 711 "$TMPDIR" # PostgreSQL runs as another user where we are root
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT INT TERM
    set -- "$@" "--basetemp=$TMPDIR/t" # a path for sockets, which is 107 characters long at most
fi
in_parallel="-n 4 --dist loadfile --no-loadscope-reorder"

rm -f .pytest_cache/v/cache/lastfailed
$pytest $in_parallel "$@"
status=$?
[ "$status" -eq 1 ] || exit "$status"
failed=$("$python" -c 'import json; print(len(json.load(open(".pytest_cache/v/cache/lastfailed"))))') || exit 1
[ "$failed" -le "$again_max" ] || exit 1
echo "$failed failed beside others: once more, alone"
$pytest --last-failed --last-failed-no-failures none "$@"
