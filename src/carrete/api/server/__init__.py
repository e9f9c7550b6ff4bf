"""The server below the routes: connections, processes, and which requests are served at all.

serving     uvicorn around the application      application  FastAPI with a table of fast routes in front
connection  one client's connection             headers      security headers of every answer
origin      refuses requests of foreign pages   hosts        which host names are ours
proxies     trusted proxies                     web          the files of the web app
refusal_log a log line for each refusal         junk         counts input that is no HTTP request
minute_count counts, logged once a minute       invitation   the address and QR code for tablets
"""

from carrete.optional_modules import init_on_first_use

# The package itself loads uvicorn's command line and what starts several processes: a megabyte and a half.
init_on_first_use("uvicorn")

import uvicorn  # noqa: E402
from uvicorn.config import Config  # noqa: E402

# The one name that uvicorn's own modules import from the package.
uvicorn.Config = Config  # type: ignore[misc]
