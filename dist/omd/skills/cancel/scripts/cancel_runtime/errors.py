"""Tell a run that is refused from a part of it that stays unresolved."""


class Refused(Exception):
    """The run stops with exit 2; nothing was changed."""


class Unresolved(Exception):
    """One thing stays as it is and the run ends with exit 1; the text says why."""
