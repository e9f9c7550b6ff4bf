"""The dossier that a client gets: what was welded by whom, with what and how it was examined, as a PDF or an .xlsx.

facts       what a dossier states, and its number and hash        gather      reads the facts from the ledger
summary     counts and percentages made from facts                words       every word of it, in Spanish and English
document    facts as texts and rows, ready to be set               typesetting the PDF, made by a child process
typst_child that process; dossier.typ is the template              workbook    the .xlsx
refusals    why no dossier is made
"""
