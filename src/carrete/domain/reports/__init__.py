"""What the figures of the supervisor's pages mean. The ledger adds up, these modules put into order.

history     sessions of work            output   inches, joints and spools of a period
first_pass  how often work passes its first inspection
stages      how many spools wait, are worked on or are paused
stage_times how long they wait and are worked on, and where work piles up
"""
