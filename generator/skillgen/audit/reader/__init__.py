"""Read a text into facts, each with its line."""
