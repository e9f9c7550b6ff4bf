#!/bin/sh
# Leaves the path of a Chromium in .venv/.browser: the machine's own, else fetched where we may, else said what to do.
set -eu
cd "$(dirname "$0")/.."
# The browser without its windows first: the same engine, and the tests take a third less of the processor.
found() { command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome; }
command -v chromium-headless-shell >/dev/null || sh scripts/apt.sh install chromium-headless-shell
found >/dev/null || sh scripts/apt.sh install chromium
if ! found >.venv/.browser.new; then
    .venv/bin/python -m playwright install chromium-headless-shell >/dev/null 2>&1 || true
    .venv/bin/python -c 'from playwright.sync_api import sync_playwright as p
with p() as it: print(it.chromium.executable_path)' >.venv/.browser.new
fi
if [ ! -x "$(cat .venv/.browser.new)" ]; then
    echo "The tests need Chromium and it could not be fetched. Install it (Debian, Ubuntu: sudo apt install chromium) and repeat." >&2
    exit 1
fi
mv .venv/.browser.new .venv/.browser
