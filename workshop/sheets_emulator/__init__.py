"""Google Sheets without Google: the API, its quotas, its failures, and people who edit meanwhile.

model      books, sheets, rows: states that are never changed    a1, fields     ranges and field masks
values     cells as reads show them                              entering       what typing makes of a text
formats    numbers and dates by format and locale                formulas       the few that can be computed here
structure  rows and columns inserted, deleted, moved, sorted     metadata       developer metadata
cell_values  the `values` collection                             batch          `spreadsheets.batchUpdate`
resource   a spreadsheet as JSON                                 api            paths → operations
emulator   workbooks, revisions, options                         accounts, quota, faults, clock
journal    what happened, and the oracle                         journal_records  what the journal keeps
people     what a person does in the workbook                    control        `/_control`
exchange   one request, from arrival to answer                   server         HTTP, and its faults on purpose
workbooks  made from rows, kept in snapshots                     errors         refusals in Google's words
locales    how a country writes numbers and dates                command        the process
page       the workbook in a browser
"""
