"""Carrete: who has which spool right now?

Data enters at the top and flows down; nothing below imports anything above.

    cli, __main__   the commands           bench       what `carrete bench` measures
    api             HTTP in and out        wiring      puts one process together
    demo            a believable shop      sheets      the Google workbook, both ways
    workbook        .xlsx and the merge    sheets_emulator   Google Sheets without Google
    actions         the one path           gate        who goes first
    ledger          what is true           settings    what the environment says
    domain          the rules of the floor: pure
"""
