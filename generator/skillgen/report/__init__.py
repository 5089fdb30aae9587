"""Draw one page for people who would rather look; pure."""
