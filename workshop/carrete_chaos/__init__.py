"""`carrete chaos`: real processes, real faults, and a checker that believes only what people saw and what is at rest.

command    the command                        campaign   one seed, from the first tap to the verdict
stage      processes, Redis and database      google     the workbook, in the Sheets emulator
disk       a small one for the ledger         hurried    `carrete` with a lane that waits less
faults     what is done to the processes      sheet_faults   what is done to the lane
injury     who is hurt, and what came of it   recovery   how soon a tap is served again
proxy      between tablets and servers        tablets    the people who tap, and their retries
wire       one request, one connection        clerk      who edits the workbook meanwhile
shop       the spools and people              viewer     who watches the live stream
history    what each of them saw              at_rest    ledger, locks and workbook when all is quiet
checker    what must be true of it            sheet_rules    what must be true of the workbook
holding    who held a spool when              editing    whose word an edit in the ledger is
sheets     the sheet lane alone against an emulated Google, on a clock that is moved
sweep      killed right before the nth system call, and started again
"""
