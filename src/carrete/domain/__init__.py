"""The rules of the floor: pure functions over frozen state. No I/O, no clock of its own, no framework.

shop        what a shop may configure            workers     who may do what
spool       the state of one spool               joints      its joints, and inches as exact thousandths
version     v3.0 or v4.0                         progress    how far ARM and SOLD are
commands    what a worker asks for               decide      the checks in their order, then the rule
occupation  take, pause, complete, cancel        joint_work  FINALIZAR, joint by joint
inspection  APROBADO, RECHAZADO, BLOQUEADO       supervision the supervisor's hand: free, unblock, reopen
sentences   what a worker reads                  events      what is written down about it
edits       a person's edits in the workbook; what they do: spool_edits, holder_edits, joint_edits
adoption    a spool seen for the first time, with its past
offers      what one worker may do on one spool now
tags        what may be a tag
history     sessions of work, read from events   refusals    every expected "no"
output      inches, joints, spools of a period   first_pass  how often work passes its first inspection
stages      what waits, is worked on or rests where
estado_detalle, sentences, shop_time             how state, answers and times are worded
"""
