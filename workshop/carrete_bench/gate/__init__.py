"""What `carrete bench gate` measures: our locks beside bare commands and other people's locks, in one run.

measure      one thing after the other             server    the embedded Redis, to measure on
contestants  who takes and ends locks, and how     pairs     rounds in which all take turns
scale        ten thousand locks, batches           figures   what was measured, as numbers
goals        what was wanted, reached or not       report    the tables
"""
