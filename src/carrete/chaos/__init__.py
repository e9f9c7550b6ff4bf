"""`carrete chaos`: real processes, real faults, and a checker that believes only the tablets and the ledger.

command    the command                        campaign   one seed, from the first tap to the verdict
stage      processes, Redis and database      faults     what is done to them, and whether it bit
proxy      between tablets and servers        tablets    the people who tap, and their retries
wire       one request, one connection        shop       the spools and people of a campaign
history    what each tablet saw               checker    what must be true of it
viewer     who watches the live stream
sheets     the sheet lane against an emulated Google
sweep      killed right before the nth system call, and started again
holding    who held a spool when, and whether every answer fits
"""
