"""The server below the routes: connections, processes, and which requests are served at all.

serving     uvicorn around the application      application  FastAPI with a table of fast routes in front
connection  one client's connection             headers      security headers of every answer
origin      refuses requests of foreign pages   hosts        which host names are ours
proxies     trusted proxies                     web          the files of the web app
refusal_log a log line for each refusal         junk         counts input that is no HTTP request
minute_count counts, logged once a minute       invitation   the address and QR code for tablets
"""
