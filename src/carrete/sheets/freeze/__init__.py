"""Freezes a sheet with too large a change, until it is undone or a supervisor has decided.

limits      how large a change may be    policy   when a freeze begins and ends
decisions   what a supervisor may decide about a freeze and about parked rows
"""
