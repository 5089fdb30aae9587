"""Name the things that all steps talk about; nothing here reads or writes."""
