#!/bin/sh
# Known holes in what a shop installs and in what the web app is built from. Asks the public databases; where they cannot be reached,
# says so and goes on: a machine without the internet cannot know. Ends with 1 when a hole is known.
set -u
status=0

said=$(mktemp)
trap 'rm -f "$said"' EXIT
if [ ! -x .venv/audit/bin/pip-audit ]; then
    .venv/bin/uv venv --quiet --python .venv/bin/python .venv/audit &&
        .venv/bin/uv pip install --quiet --python .venv/audit/bin/python --require-hashes -r requirements/audit.lock
fi
if [ ! -x .venv/audit/bin/pip-audit ]; then
    echo "Python: pip-audit could not be installed, so nothing was checked."
else
    .venv/audit/bin/pip-audit --disable-pip --no-deps --require-hashes --progress-spinner off --timeout 10 --format json \
        -r requirements/run.lock >"$said" 2>/dev/null
    .venv/bin/python scripts/audit.py "$said" || status=1
fi

if sh scripts/node.sh npm audit --omit=dev --json >"$said" 2>/dev/null; then
    echo "Web app: no known hole."
elif grep -q '"auditReportVersion"' "$said"; then
    cat "$said"
    status=1
else
    echo "Web app: the database of known holes could not be asked, so nothing was checked."
fi
exit $status
