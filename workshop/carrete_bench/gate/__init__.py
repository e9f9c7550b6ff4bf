"""`carrete bench gate` compares our locks with bare Redis commands and with other lock libraries, in one run.

measure               runs all parts                       redis_server  an embedded Redis to measure on
lock_implementations  our locks and the others             pairs         take and release, in rounds
operations            held and abandoned locks, batches,   results       the measured figures
                      the rebuild of 10,000 locks
goals                 the goals, reached or not            report        the tables
"""
