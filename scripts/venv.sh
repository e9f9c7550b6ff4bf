#!/bin/sh
# Makes .venv with pip in it. Debian splits venv from python3, so it is fetched where we may and named where we may not.
set -eu
[ -x .venv/bin/python ] && .venv/bin/python -m pip --version >/dev/null 2>&1 && exit 0
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Carrete needs Python 3.11 or newer; this is $(python3 --version)." >&2
    exit 1
}
rm -rf .venv
python3 -m venv .venv 2>/dev/null && exit 0
rm -rf .venv
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
    exec python3 -m venv .venv
fi
echo "python3 cannot make a virtual environment here. Install it (Debian, Ubuntu: sudo apt install python3-venv) and repeat." >&2
exit 1
