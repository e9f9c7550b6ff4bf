"""The workbook that people see and edit: .xlsx in and out, and the three-way merge.

columns       sheets, columns and headers                cells         one raw cell → its normal form
rows          spools, joints, events → rows              bases         what a workbook contained before
merge         base, ledger, sheet → a person's edits     keys          the rows of a sheet by key
incoming      what a workbook contains about one spool   spools        merges some spools in one commit
merge_result  what a merge saves and reports             people        imports Trabajadores and Roles
importing     `carrete import`                           exporting     `carrete export`
xlsx_in       a file → raw rows, by a child process      xlsx_out      rows → a file
xlsx_child    that child process                         xlsx_messages what it sends
xlsx_parts    the parts of the archive                   sheet_xml     measures their XML
limits        of a file, and of reading it               report        the report of an import
commits       a commit that is retried                   errors        a workbook that is refused
"""
