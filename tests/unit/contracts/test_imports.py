"""What a server loads when it starts, beyond what the import contracts say."""

from __future__ import annotations

import subprocess
import sys


def test_a_server_that_does_not_run_the_lane_does_not_load_it() -> None:
    """Every server shows the status of the sheet, few run the lane: the others start without its modules."""
    code = "import sys, carrete.api.app; print(*(name for name in sys.modules if name.startswith('carrete.')))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = ran.stdout.split()
    assert "carrete.sheets.status" in loaded
    assert [name for name in loaded if name.startswith("carrete.sheets.pull")] == []
