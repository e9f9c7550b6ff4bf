#!/bin/sh
# Runs a command of node (npm, node…) inside web/: the machine's own node if it is new enough, else the one in .venv.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
new_enough='const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
if ! { command -v npm >/dev/null && node -e "$new_enough"; } 2>/dev/null; then
    PATH="$root/.venv/bin:$PATH"
    if ! node -e "$new_enough" 2>/dev/null; then
        "$root/.venv/bin/uv" pip install --quiet --python "$root/.venv/bin/python" --require-hashes -r "$root/requirements/node.lock"
    fi
fi
# npm wants a home it may write to.
if [ ! -w "${HOME:-/nonexistent}" ]; then
    HOME="$root/.venv"
    export HOME
fi
cd "$root/web"
exec "$@"
