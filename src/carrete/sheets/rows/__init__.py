"""The rows of the sheet: what a read shows, what the ledger has stored, and which values are ours.

view             one read of a sheet, rows by key          classify         the rows that changed, compared
verdict          our own writes or people's edits          row_state        what the lane has in memory of each row
storage          rows, journal, freezes in the ledger      unimported       people's input that is not imported yet
snapshot         every cell of the last read               snapshot_storage the snapshot in the ledger
strays           removes our values from wrong cells       columns_moved    cells hit after columns moved
column_identity  finds columns again after a move          column_marks     metadata that moves with a column
row_matching     finds rows again if their key was hit     likeness         how much two rows resemble each other
write_traces     finds a write by stamp or token           formula_references  references of a formula after a move
"""
