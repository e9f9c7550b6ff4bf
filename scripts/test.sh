#!/bin/sh
# Every test. More at once than most machines have cores, because most of them wait for something; a file stays with one process.
# Tests that fail beside others are run once more, alone, on the machine that is quiet now: red twice is red. What was red once
# stays in the output of the first run, to be looked at.
set -u
python=.venv/bin/python
again_max=12

rm -f .pytest_cache/v/cache/lastfailed
"$python" -m pytest -n 3 --dist loadfile --no-loadscope-reorder "$@"
status=$?
[ "$status" -eq 1 ] || exit "$status"
failed=$("$python" -c 'import json; print(len(json.load(open(".pytest_cache/v/cache/lastfailed"))))') || exit 1
[ "$failed" -le "$again_max" ] || exit 1
echo "$failed failed beside others: once more, alone"
exec "$python" -m pytest --last-failed --last-failed-no-failures none
