"""Redis as the gate and the live streams use it.

pipeline      many script calls in one round trip   script_calls     one call of a script and those who wait for it
connection    one connection without redis-py       breaker          after one failed call Redis is not called again
locator       the address of Redis                  sentinels        addresses of Sentinels
subscriber    pokes from other processes            embedded_server  a Redis of our own as a child process
commands      single commands of background tasks
"""

from carrete.optional_modules import init_on_first_use

init_on_first_use("redis", "redis.asyncio")  # they load the clients of clusters and much else: five megabytes
