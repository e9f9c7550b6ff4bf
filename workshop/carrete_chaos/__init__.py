"""`carrete chaos`: real processes, real faults, and a checker that trusts only the tablets and the state at rest.

command    the command                         campaign         one seed, from the first tap to the verdict
cluster    processes, Redis and database       google           the workbook, in the Sheets emulator
disk       a small disk for the ledger         hurried          `carrete` with a lane that waits less
faults     faults of the processes             sheet_faults     faults of Google and of the lane
fault_context  what a fault needs              recovery         how soon a tap is served again
proxy      between tablets and servers         tablets          the workers, their taps and retries
wire       one request, one connection         sheet_editor     the engineer who edits the workbook
shop       the spools and people               viewer           a viewer of the live stream
history    the recorded calls and edits        at_rest          ledger, locks and workbook when no work is left
checker    the rules of a verdict              sheet_rules      the rules for the workbook
linearizability  moments for calls and reads   editing          the edit behind each event
sending    a tap and its retries               tablet_device    cookies, session and signature of a tablet
office     PINs, devices, revocations          intruders        stolen tablets and guessed PINs
identity_log  what happened to them            identity_rules   the rules of identity
offline_tablet  works without a connection    returning        sends what was kept
deciding   a supervisor and reclamos           offline_log      taps that were kept, reclamos at rest
offline_rules   the rules of chains and reclamos  chains        a chain as single calls
inch_rules inches are the joints done          profiles         how long, how large, how hard
hand_over_rules  a hand-over has its offer     note_rules       notes are kept once and change nothing
choosing   what a worker does next             happenings       what must happen in a campaign
connection_faults  cut, late, locked, slow     running          one campaign, from an empty folder
campaign_command, campaign_log, campaign_report  many seeds, resumed where they were, and their report
rules      every rule by its name              right_histories  histories in which nothing is wrong
sheets     the sheet lane alone against an emulated Google, on a clock that is moved
sweep      kills the product before its nth system call, starts it again, and compares
"""
