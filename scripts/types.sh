#!/bin/sh
# Makes the web app's types (web/src/api/schema.ts) from the OpenAPI document of the API.
# With --check it writes nothing, and fails when the types that are checked in are stale.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
types="$root/web/src/api/schema.ts"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$root/.venv/bin/python" "$root/scripts/openapi.py" > "$folder/openapi.json"
sh "$root/scripts/node.sh" npm run --silent schema -- "$folder/openapi.json" --output "$folder/schema.ts" > /dev/null
if [ "${1:-}" != --check ]; then
    cp "$folder/schema.ts" "$types"
elif ! cmp -s "$folder/schema.ts" "$types"; then
    echo "web/src/api/schema.ts is stale: the API's OpenAPI document has changed. Run 'make types' and commit the result." >&2
    exit 1
fi
