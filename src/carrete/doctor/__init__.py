"""Checks everything that a shop depends on, and says what to do about each problem.

`carrete doctor` prints the findings in English, the page *Sistema* shows them in Spanish or English.

    examination      all checks, in the order in which they are shown
    machine          the data folder, the disk's room, files that others can read
    clock            this machine's clock, compared with the ledger's and with those of other servers
    (tls.checks, backups.checks and webhooks.checks are in their own rooms)
    ledger, redis_server, workbook, identity     what these are connected to, and how they stand
"""

from carrete.doctor.examination import examine

__all__ = ["examine"]
