"""What tests stand on: a real PostgreSQL server, and builders for spools, workers and joints."""
