"""What a person's edits in the workbook do to a spool and its joints.

cells     the edits of one row, and the editor that collects their effects
spool     edits of a spool's row            holder    edits of `Ocupado_Por` and `Fecha_Ocupacion`
joint     edits of joints                   adoption  the first import of a spool
"""
