"""Parse arguments, print, exit: one file a command, loaded only when it is asked for."""
