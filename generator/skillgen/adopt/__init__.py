"""Turn the facts of a fork's text into a flavor that builds on the nearest known one; pure."""
