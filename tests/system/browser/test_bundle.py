"""What a tablet has to load before it shows anything."""

from __future__ import annotations

import gzip
import re
from importlib.resources import files

MAIN_BYTES_MAX = 150_000


def test_the_main_bundle_is_small_and_nothing_is_inline() -> None:
    dist = files("carrete") / "web_dist"
    html = dist.joinpath("index.html").read_text()
    (main,) = re.findall(r'<script type="module"[^>]* src="/(assets/[^"]+\.js)">', html)
    size = len(gzip.compress(dist.joinpath(main).read_bytes(), 9))
    print(f"main bundle: {size / 1000:.1f} kB gzip")
    assert size <= MAIN_BYTES_MAX
    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=", html)


def test_every_file_that_compresses_has_both_twins() -> None:
    dist = files("carrete") / "web_dist"
    assets = {asset.name for asset in (dist / "assets").iterdir()}
    for name in assets:
        if name.endswith((".js", ".css", ".svg", ".wasm")):
            assert {f"{name}.gz", f"{name}.br"} <= assets, name
