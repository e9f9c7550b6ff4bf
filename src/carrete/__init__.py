"""Carrete: who has which spool right now?

Data enters at the top and flows down; nothing below imports anything above.

    cli, __main__    the commands                  doctor, service  checks; Carrete as a service of the machine
    api              HTTP in and out               services         puts one process together
    verification     recomputes the trail          live             streams of events
    action_metrics, webhook   counts, and tells another system      lock_repair   locks for a command without a gate
    labels           codes for spools, as a PDF    backups          copies of the ledger and keys
    photos, drawings pictures, rewritten on entry  dossier          the weld dossier, as PDF and .xlsx
    uploads, tls     workbooks from the browser; HTTPS   demo       an example shop
    sheets           the Google workbook           old_records      deletes what has been kept long enough
    workbook         .xlsx and the merge           actions          the one path
    trail            signs the head of the trail   identity         who acts: devices, PINs, sessions, tokens
    shop_settings    what a shop decides           gate             locks: who goes first
    webhooks         tells registered addresses what happens
    ledger           an action is real when it is committed here
    settings         the machine's settings        env_file, toml_file, settings_file, address_checks   where they stand
    redis            connections to Redis          addresses, private_files, findings   what others may see
    logs, log_stream   the log                     background, gc_freeze, parent_death, limited_process   of a process
    domain           the rules of the floor: pure  optional_modules, deferred_models   what a start does not load

Beside it, in `workshop/`, are the packages of developers: carrete_bench, carrete_chaos, sheets_emulator, emulator_demo.
"""
