"""Find where state lives: the contract's root rule, the environment and the workspace."""


class Place:
    """Where a run works; all paths absolute.

    `workspace`: the directory that the command was given or runs in, climbed as the contract says. `base`: the directory that
    holds the state directory (`<workspace>/.omc`; omni: `<workspace>/.omni`). `state`: the state directory (omni: `base`).
    `database`: omni's database, else "". `runs`: directories (`.../.omni`) below which run directories may lie. `plugin`: the
    plugin's root or "". `skill`: the skill's directory. `exists`: whether `state` (omni: the database) is there.
    """

    __slots__ = ("base", "database", "exists", "plugin", "runs", "skill", "state", "workspace")

    def __init__(self, workspace, base, state, skill, database="", runs=(), plugin="", exists=True):
        self.workspace = workspace
        self.base = base
        self.state = state
        self.skill = skill
        self.database = database
        self.runs = list(runs)
        self.plugin = plugin
        self.exists = exists
