"""Carrete: who has which spool right now?

Data enters at the top and flows down; nothing below imports anything above.

    cli, __main__    the commands                  doctor, service  checks; Carrete as a service of the machine
    api              HTTP in and out               services         puts one process together
    live             streams of events             action_metrics, webhook   counts, and tells another system
    labels           codes for spools, as a PDF    backups          copies of the ledger and keys
    photos           JPEGs, rewritten on entry
    uploads, tls     workbooks from the browser; HTTPS   demo       a believable shop
    sheets           the Google workbook
    workbook         .xlsx and the merge           actions          the one path
    shop_settings    what a shop decides           gate             locks: who goes first
    webhooks         tells registered addresses what happens
    ledger           an action is real when it is committed here
    settings         the machine's settings        env_file, toml_file, address_checks   its files, sound addresses
    redis            connections to Redis          addresses, private_files, findings   what others may see
    logs, log_stream   the log                     background, gc_freeze, parent_death   small helpers of a process
    domain           the rules of the floor: pure

Beside it, in `workshop/`, are the packages of developers: carrete_bench, carrete_chaos, sheets_emulator, emulator_demo.
"""
