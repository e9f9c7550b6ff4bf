"""`carrete bench soak`: millions of actions of one server process, and whether it stays as small as it was.

measure   fills a ledger, starts the server, asks for one part of the work after another, samples in between
driver    the process that sends the work       taps      what each client taps, in order
samples   memory, handles, threads and files    judge     the last tenth of the samples beside the first
report    the sentence and the table
"""
