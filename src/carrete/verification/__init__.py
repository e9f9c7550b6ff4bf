"""`carrete verify`: the ledger's trail, recomputed and compared with every witness that it is given.

sources       witnesses out of files: receipts, workbooks, notes of backups
copies        the events that a backup holds
ledger        the ledger's own trail, examined with all of them
export        the trail as a file, for an auditor with docs/verify.py
checks        what `carrete doctor` says about the trail
"""
