"""From the sheet to the ledger: imports people's edits.

puller    one read → the ledger                    chunks          its commits, and the input of the merge
repairs   removes strays from each read            restored_cells  events for people's cells that were restored
audit     compares the ledger with the sheet       people          imports Trabajadores and Roles
row_saving  saves what a read shows of each row    sheet_bases     the bases of one merge
"""
