"""A work order of 500 joints with a drawing for each spool stays within its bounds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
MEMORY_MB_MAX = 300
CPU_S_MAX = 10
_MAKE = """
import hashlib, json, os, resource
from dataclasses import replace
from carrete.drawings import png
from carrete.dossier.typesetting import pdf_of
from carrete.dossier.words import Language
from tests.support.dossiers import a_drawing, a_work_order

pictures, spools = {}, []
facts = a_work_order(500)
for number, spool in enumerate(facts.spools):
    pixels = bytearray(b"\\xff" * (3000 * 2121))
    for row in range(number, 2121, 60):
        pixels[row * 3000 : row * 3000 + 3000] = os.urandom(3000)
    made = png.made(bytes(pixels), 3000, 2121, png.GREY)
    id_ = hashlib.sha256(made.content).hexdigest()
    pictures[id_] = made.content
    spools.append(replace(spool, drawing=a_drawing(id_, 3000, 2121)))
pdf = pdf_of(replace(facts, spools=tuple(spools)), Language.ES, pictures.get)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"mb": used.ru_maxrss / 1024, "cpu_s": used.ru_utime + used.ru_stime, "bytes": len(pdf)}))
"""


def test_500_joints_with_50_drawings_take_less_than_300_mb_and_10_s() -> None:
    made = subprocess.run([sys.executable, "-c", _MAKE], cwd=ROOT, capture_output=True, check=True, text=True)
    used = json.loads(made.stdout)
    assert used["mb"] < MEMORY_MB_MAX, used
    assert used["cpu_s"] < CPU_S_MAX, used
