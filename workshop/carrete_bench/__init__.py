"""What `carrete bench` measures: every figure beside a yardstick of the same run, every goal beside its figure.

command    the commands                     db         which ledger
engines    one engine or both               measure    one engine, measured
server     the product as it serves         empty_post the product and an empty POST
load       the process that sends requests
running    starts and ends those two        shop       the spools and workers that are measured
figures    what was measured, as numbers    goals      what was wanted, reached or not
workbook   the import                       postgres   a database of our own to measure on
by_joint   FINALIZAR beside TOMAR           report     the table and the JSON
month      a month of work                  reports    what is asked about it, its figures and goals
cpu        where the processor's time went  sheets     `carrete bench sheets`
gate       `carrete bench gate`             live       `carrete bench live`
full       `carrete bench all`
"""
