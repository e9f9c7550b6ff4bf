"""The rules of the floor: pure functions over frozen state. No I/O, no clock of its own, no framework.

shop        what a shop may configure            workers     who may do what
spool       the state of one spool               joints      its joints, and inches as exact thousandths
version     v3.0 or v4.0                         progress    how far ARM and SOLD are
commands    what a worker asks for               decide      the checks in their order, then the rule
change      what a rule decided                  refusals    every expected "no"
occupation  take, pause, complete, cancel        joint_work  FINALIZAR, joint by joint
inspection  APROBADO, RECHAZADO, BLOQUEADO       supervision what a supervisor may do: free, unblock, reopen
events      the audit trail's facts              offers      what one worker may do on one spool now
tags, texts which tags and texts are allowed     sentences   what a worker reads after a tap that worked
chain       steps tapped without a connection    reclamo     refused work, and a supervisor's decision
late_work   what of it can still be registered   stage       who works on it or what it waits for, since when
overdue     held, paused or waiting too long     overdue_limits   after how many hours
notes       a note about a spool or a joint      joint_types the form in which types are compared
estado_detalle  the text of that column          shop_time   instants and the shop's wall clock
shifts      when shifts begin and end            relevo      a spool handed over to another worker
edits/      what a person's edits in the workbook do: cells, spool, holder, joint; adoption: a spool's first import
reports/    history (sessions of work), output (inches, joints, spools), first_pass (quality),
            stages (what waits where), stage_times (for how long), repair_rates (examined and rejected joints)
qualification   whether a welder may weld a joint    continuity  a process that is not used lapses
weld_cells  lists and materials as people type them   qualification_warnings   what ends soon
ndt/        examinations of welds: which are selected, their results, the repair of a joint
"""
