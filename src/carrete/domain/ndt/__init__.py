"""Examination of welds (NDT): which joints are examined, what came out, and the repair of a joint.

policy        what the shop decided: methods, sampling rules, what a rejection leads to
examination   one examination, the state of a joint that follows from its examinations, and the cells of the sheet
sampling      which welds a rule selects: never fewer than its percentage, reproducible from its seed and the record
requests, results, repairs   what people do; `actions` decides which of them a command is, `case` what it depends on
weld_changes  what a new weld, a reopened weld and a joint that is back do to examinations"""
