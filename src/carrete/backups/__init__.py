"""Copies of the ledger and of the server's keys: made every night and on request, checked, kept, restored.

copying         makes one copy, whole or not at all   working_folder   where it is made, so that no half one has a name
sqlite_copy     copies and opens a SQLite ledger      postgres_copy, postgres_tools   the same with pg_dump
contents        what a ledger holds, to compare       folder   names and the list of the copies
retention       which copies are deleted              schedule   when one is due
nightly         the process that makes one (a lease)  child   the process of its own in which it does
status          how the copies stand                  checks   what `carrete doctor` says about them
keys            the server's keys, encrypted          errors   why there is no copy, in two languages
photo_files     each photo once, for all copies       signature   the key that signs a copy's head
restoring       puts a copy in the ledger's place     sqlite_restore, postgres_restore   on each engine
"""
