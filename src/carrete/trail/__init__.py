"""The trail's outside: the key that signs its head, the hourly seals, and its examination by `carrete verify`.

signing_key     the shop's Ed25519 key
seals           hourly signed heads in the ledger, and messages about them
sources         witnesses out of files: receipts, workbooks, backups, exported trails
verification    the ledger's trail examined with all of them
export          the trail as a file for an auditor
timestamps      RFC 3161
"""
