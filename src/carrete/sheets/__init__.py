"""The lane between the ledger and a Google workbook: both ways, nothing lost, the person wins.

clock     time that a test can turn        pace       how often Google may be asked
account   the service account's tokens     client     the six calls that we make, each asked once
errors    what Google's answers mean       typed      a normal form as a typed cell
structure tabs, headers, missing columns   view       one read of a sheet: rows by key
verdict   what a read row says, once our own writes are told apart from people's
judging   the rows of a read that changed, each with its verdict
brakes    when a change is too large to be believed    stopping   what is done about it, and who decides
memory    what the ledger keeps for the lane           lease      one lane per workbook
pulling   a read → the ledger, in chunks   auditing   the ledger beside the sheet, row by row
pushing   the ledger → one batch           flushing   that batch: guarded, sent, settled
ranges    what a read asks for             formulas   formulas told from text that looks like one
appending rows put below the last one      formats    number formats that Google refuses
picture   what every cell said at the last read, people's own included
same_columns which column is which         marks      metadata that moves with its column
astray    what of ours stands where it does not belong, and what does
alike     how much a row is like another   traces     what tells of a write wherever it stands
repairing undoes that in each read         kept_picture, repair_plan, given_back   keeps, plans, tells it
plan      what one batch is to write       formula_refs a formula in another place
clearing  what Google refuses to clear     turns      how much goes into the next batch
ledger_rows rows as the ledger has them
guards, events, people, columns_moved      what their names say
lane      the cycle                        running    the thread and the process around it
listeners who hears of what it did
connect   the first connection             status     what a supervisor sees
"""
