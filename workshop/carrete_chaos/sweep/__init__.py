"""`carrete chaos sweep`: the product is killed right before its nth system call, started again and checked.

command    the command and its report         sweeping   all points of one scenario
scenario   what every scenario is made of     acting     an action over `carrete serve`; more in `*_actions`
starting   a first start, a migration         importing  `carrete import`
flushing   `carrete sync` against the emulator
sealing    the trail is sealed                delivering  webhooks, to a `receiver`
points     which calls, and which of them     tracer     strace: counts, and kills
traced_process  the process that is killed    apart      each trial in a process of its own
snapshot   the content of a ledger            ledgers    where they are, and their copies
http       one request
"""
