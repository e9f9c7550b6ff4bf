"""The measured server process: it serves as `carrete serve` does, with the application that has the empty POST.

Every worker process imports this module before it can answer its parent, so it imports nothing heavy at the top.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

APPLICATION = "carrete_bench.empty_post:app_with_an_empty_post"
APPLICATION_VARIABLE = "CARRETE_BENCH_APPLICATION"  # another application than that
START_S_MAX = 60  # on a busy machine a worker that starts slowly must not be replaced


def main() -> None:
    """Serves on a free port, which it prints. The first argument is the number of processes; the second, if given, is
    a file with key and certificate, for HTTPS."""
    from carrete.gc_freeze import loading_modules

    with loading_modules():  # as `carrete serve` does
        from carrete.api.server import serving
        from carrete.tls.files import CertificateFiles

    certificate = CertificateFiles(Path(sys.argv[2]), Path(sys.argv[2])) if len(sys.argv) > 2 else None
    sock = serving.bound_socket("127.0.0.1", 0)
    print(sock.getsockname()[1], flush=True)
    serving.exit_cleanly_on_sigterm()
    application = os.environ.get(APPLICATION_VARIABLE, APPLICATION)
    serving.serve_application([sock], int(sys.argv[1]), application, START_S_MAX, certificate)


if __name__ == "__main__":
    main()
