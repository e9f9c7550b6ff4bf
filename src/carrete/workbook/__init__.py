"""The spreadsheet people see and edit: .xlsx in and out, and the merge of three sides.

columns   sheets and headers, and whose each column is     cells     one raw cell → its normal form
rows      a spool or a joint as the row that shows it       merge     base, ledger, sheet → a person's edits
xlsx_in   a file → sheets of raw rows                       xlsx_out  rows → a file
xlsx_child   the process that reads it, within `limits`      xlsx_messages   what it tells
xlsx_parts   where the sheets are in the archive             sheet_xml   how far a sheet reaches, which cells are errors
keys      which row is about what; duplicates, blanks       bases     what a workbook last said
people    Trabajadores and Roles                            spools    a chunk of spools, merged in one commit
importing, exporting, commits                               report    what came of an import
"""
