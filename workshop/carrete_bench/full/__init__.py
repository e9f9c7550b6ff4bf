"""What `carrete bench all` measures besides the other commands: yardsticks, growth, processes, a shift, a dead Redis.

measure     one part after the other            figures   what was measured, as numbers
yardsticks  beside bare Redis and bare commits  growth    spools and events by powers of ten
processes   one, two, four, and their CPU       shift     hundreds who start within a minute
arrivals    the process that lets them come     outage    Redis up, off, killed in the middle
goals       what was wanted, reached or not     report    the tables
chart       the panels of the picture           svg       their bars, lines and words
"""
