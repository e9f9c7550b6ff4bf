"""The sheet lane against an emulated Google: workers act, people edit, requests fail, processes die.

link           the emulator in process, on a clock that stands until it is moved
shop           a ledger, a workbook, the lane    random_actions  what workers tap
random_edits   what people do in the workbook    campaign        one seed: what is done at random
invariants     the rules that must hold at rest  own_cells       columns and rows that belong to people
"""
