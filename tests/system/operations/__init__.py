"""What an administrator does: several machines, restarts, failovers, copies, upgrades."""
