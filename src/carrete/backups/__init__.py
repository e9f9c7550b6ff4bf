"""Copies of the ledger and of the server's keys: made every night and on request, checked, kept, restored.

folder        names and the list of the copies     contents   what a ledger holds, to compare a copy with it
sqlite_copy   copies and checks a SQLite ledger    postgres_copy, postgres_tools   the same with pg_dump
copying       makes one copy, whole or not at all  retention  which copies are deleted
child         the process that makes the nightly copy
nightly       when a copy is due, and which process makes it (a lease in the ledger)
keys          the server's keys in one file, encrypted with a passphrase
restoring     puts a copy in the place of the ledger, and keeps what was there
checks        what `carrete doctor` says about copies
"""
