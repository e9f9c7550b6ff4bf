"""The lane between the ledger and a Google workbook: both ways, nothing lost, and a person's edit wins.

lane       one cycle: settle, read, import, write      schedule   when which part of it is due
running    the lane in a thread or a process           command    what `carrete sync` does
connect    finds and prepares the tabs                 first_connection  the first sync, or a dry run of it
structure  sheets, tabs, headers, missing columns      status     what a supervisor sees
lease      one lane per workbook                       listeners  callbacks into the rest of the process
clock      a clock that tests can set                  timings    every period, pause and time-out

google     the calls to Google                         rows       what is known about each row
pull       a read → the ledger                         push       the ledger → one guarded batch
freeze     stops a sheet whose changes look wrong
"""
