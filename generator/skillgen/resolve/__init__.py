"""Join skill and flavor into a contract; pure."""
