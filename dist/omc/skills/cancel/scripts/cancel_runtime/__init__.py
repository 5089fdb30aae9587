"""Cancel what is active, as the contract beside the scripts says: observe, plan, act, verify, report.

Standard library only, Python 3.9 or newer, byte-identical in every bundle. All that varies is in `<skill>/contract.json`.

Flow (`run.py`), for each selected session:

1. *observe*: `store.capture(session)` returns a `records.Snapshot`; `driver.observe(session, ...)` returns teams.
2. *plan*: `plan.session_plan(contract, request, snapshot, teams)` is a pure function; it returns `plan.SessionPlan`, a list
   of `items.Item` (one a mode), each with `steps.Step`s in the order in which they will be done. `--dry-run` stops here.
3. *act*: `engine.act` hands each step to the store or to the team driver. Every change is made under the flavor's lock,
   on the record as it is then, not as it was seen.
4. *verify*: `engine.verify` looks again at every record that a step named.
5. *report*: `report.py` builds what `--json` prints, `text.py` says it in words.

Modules

| module | job |
|---|---|
| `main`, `run` | join the steps; exit codes |
| `command` | read the arguments |
| `errors` | `Refused` (exit 2, nothing changed), `Unresolved` (exit 1) |
| `ops` | every operation on files, SQL, processes and time: the seam for fault injection |
| `jsontext` | read JSON, and write it as `JSON.stringify(x, null, 2)` does |
| `facts` | truth of a flag, phase, timestamps (rules 4 and 6) |
| `roots`, `layers`, `git` | where state lives |
| `identity`, `pattern` | which session this is |
| `records` | `Record`, `Snapshot` |
| `files`, `rows` | the two stores |
| `capturing`, `owned` | what is seen of a session's files, here and elsewhere |
| `directory`, `locks`, `mutation` | reads and writes below one open directory; the locks |
| `changes`, `rewrite` | one step on files; what becomes of a record's body |
| `links` | owner and dependant |
| `steps`, `plan`, `items` | from contract, request and snapshot to items and steps |
| `engine` | do the steps, then look again |
| `signals`, `settings` | the cancel signal, a settings file |
| `globally`, `passes` | the global pass: what it takes, and how each thing goes |
| `sweeping` | what a killed run of ours left |
| `drivers` | how workers are stopped: `tmux`, `orchestrator`, `native`, `message`, and what these look at |
| `processes` | evidence about processes, and the end of those that are ours |
| `shell/` | what `cancel.sh` does where no python3 works |
| `status` | `cancel.py status` |
| `report`, `text` | the JSON object and the words |

Store (what `files.FileStore` and `rows.RowStore` are, and what a test may put in their place)

    sessions()            -> iterable of session ids that have records, sorted; never "" (the root slot)
    claimed()             -> the ids of sessions that hold an active or unreadable record (facts X1)
    capture(session)      -> Snapshot of one session; "" is the root slot. Raises `Refused` for an unsafe path
    locked(session)       -> context manager; raises `Unresolved` if the lock cannot be had. No lock for a missing root
    apply(step)           -> (outcome, detail): "done" or "absent"; raises `Unresolved` with the reason, and then the
                             thing that the step names is as it was
    look(record)          -> the record, read again
    markers()             -> shared mode -> paths that show it to be active
    root_active()         -> whether the root slot holds an active record of a mode
    sweep(session)        -> remove temporary files and locks that a killed run of ours left (never in a dry run)
    close()

Fault injection: set `ops.hook` to a function `hook(when, name, target)`; it is called with `when` "before" and "after" each
operation (`name`: read, list, create, write, sync, rename, link, unlink, rmdir, lock, unlock, sql, commit, signal, run, …) on
`target` (a path or text). It may raise `OSError` before an operation to make it fail, or end the process. `ops.now_ms`,
`ops.monotonic` and `ops.sleep` are the clock; a test may replace them. Nothing in the environment switches any of this on.

Exit 2 leaves stdout empty. A symlinked state root, session directory or record, and an id that the flavor's pattern refuses, are
unsafe: exit 2 in scope `current`; with scope `all` that session stays unresolved and the others go on. A record that cannot be
parsed or read, has another owner or an `active` that is no flag is `failed` in the report and makes exit 1.
"""
