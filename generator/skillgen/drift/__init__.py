"""Compare what was written, what would be written now and what is there; pure."""
