"""Redis as the gate and the live stream use it.

pipeline    many script calls in one round trip    connection       one connection, without redis-py's reader
locator     where Redis is, Sentinels included     sentinels        addresses of Sentinels
subscriber  hears that another process committed   breaker          a dead Redis costs one time-out, not one per call
embedded_server  our own Redis as a child process
"""
