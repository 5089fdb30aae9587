#!/usr/bin/env bash
# Cancel the active modes: hand over to cancel.py or, where no python3 works, do the little that is safe without one.
#
# Without python3 3.9 or newer: one mode of one identified session, and of that only what a shell can judge. It removes a
# record whose mode is cleared; with jq it also pauses or ends one in place. Everything else is refused with its reason.
# It needs bash 3.2 or newer, and then date, mv, rm and cp; it uses jq and git where they are.
#
# Exit: 0 complete, 1 something remains unresolved, 2 refused and nothing changed.
# Up to the handover this file is code; from there on it is what the contract says, and cancel_runtime/shell/ is the code.

set +aebkmtvxCEHPT -fu
set +o pipefail
# What the environment switched on would change the meaning of what follows; a function of it could stand in for a command.
\unset -f unset builtin 2>/dev/null
\unset POSIXLY_CORRECT BASH_COMPAT GLOBIGNORE EXECIGNORE CDPATH TMOUT
set +o posix
IFS=$' \t\n'
option=${BASHOPTS-}
for option in ${option//:/ }; do
  case $option in
    extquote | interactive_comments | promptvars | sourcepath) ;;
    *) \builtin shopt -u "$option" ;;
  esac
done
while IFS=' ' \builtin read -r option option option; do
  \unset -f "$option"
done <<<"$(\builtin declare -F)"

refuse() {
  printf 'cancel: %s\n' "$1" >&2
  exit 2
}

self=${BASH_SOURCE[0]}
while [ -L "$self" ]; do
  target=$(readlink "$self") || refuse "this script is a link that cannot be read"
  case $target in
    /*) self=$target ;;
    *)
      case $self in
        */*) self=${self%/*}/$target ;;
        *) self=$target ;;
      esac
      ;;
  esac
done
case $self in
  /*) here=${self%/*}/ ;;
  */*) here=./${self%/*} ;;
  *) here=. ;;
esac
here=$(cd -P -- "$here" && pwd -P) || refuse "the directory of this script cannot be entered"

python_works() {
  local found
  found=$(command -v python3) || return 1
  # Without the developer tools this one only opens a dialog.
  case ${OSTYPE-}:$found in
    darwin*:/usr/bin/python3) xcode-select -p >/dev/null 2>&1 || return 1 ;;
  esac
  "${python[@]}" -c 'import sys; sys.exit(sys.version_info < (3, 9))' </dev/null >/dev/null 2>&1
}

# Tried and run alike: no variable, no directory of the user's or the project's, says what it imports.
python=(python3 -I -S)
if [ -f "$here/cancel.py" ] && python_works; then
  exec "${python[@]}" "$here/cancel.py" ${1+"$@"}
fi

# shellcheck disable=SC2034
why="no python3 3.9 or newer works here, and without it"
# What the contract says; that the sourced files use it, and that values are data, shellcheck cannot see.
# shellcheck disable=SC2034,SC2016
{
  skill=${here%/*}
  flavor='omc'
  none_message='No active OMC modes detected.'
  none_hint=''
  root_kind='layered'
  contract_directory='.omc'
  state_name='state'
  central_variable='OMC_STATE_DIR'
  marker='.omc-workspace'
  marker_off_variable='OMC_DISABLE_MULTIREPO'
  identity_kind='environment'
  session_pattern='^[a-zA-Z0-9][a-zA-Z0-9_-]{0,255}$'
  session_variables=(
    'OMC_SESSION_ID'
    'CLAUDE_CODE_SESSION_ID'
    'CLAUDE_SESSION_ID'
    'CLAUDECODE_SESSION_ID'
  )
  sessions_name='sessions'
  record_pattern='{mode}-state.json'
  adopt_owned='1'
  owner_fields='["_meta/sessionId", "session_id"]'
  owner_names=(
    'session_id'
    'sessionId'
    '_meta/sessionId'
    'session_id'
  )
  team_kind='native'
  team_directory=''
  team_manifest=''
  signal_file='cancel-signal-state.json'
  signal_source='skill_runtime'
  signal_never='autopilot'
  last_kind='ledger'
  last_record='skill-active'
  last_field='session_id'
  last_part='active_skills'
  last_support='support_skill'
  mode_keys=(
    'autopilot'
    'ralph'
    'ultrawork'
    'ultraqa'
    'ultragoal'
    'swarm'
    'ultrapilot'
    'pipeline'
    'team'
    'omc-teams'
    'plan-consensus'
    'self-improve'
  )
  kept_paths=(
    '.omc/ultragoal'
    '.omc/plans'
    '.omc/handoffs'
    '.omc/self-improve'
    '.omc/state/team'
  )
}

# The facts of one mode. `never` says why it is left to python3; `related` are the modes that it is linked to.
# shellcheck disable=SC2034,SC2016
mode_facts() {
  title='' action='' message='' message_more='' choice='' never='' goal='' retired=''
  records=() helpers=() related=() markers=()
  case $1 in
    'autopilot')
      title='Autopilot'
      action='deactivate'
      message='Autopilot cancelled at phase: {phase}. Progress preserved for resume.'
      never='is never cancelled by this script'
      records=(
        'autopilot'
      )
      helpers=(
        '{mode}-stop-breaker.json'
        '{mode}-last-steer-at'
        '{mode}-continue-steer.lock'
      )
      related=(
        'plan-consensus'
        'ralph'
        'ultraqa'
      )
      ;;
    'ralph')
      title='Ralph'
      action='clear'
      message='Ralph cancelled. Persistent mode deactivated.'
      records=(
        'ralph'
      )
      helpers=(
        '{mode}-stop-breaker.json'
        '{mode}-last-steer-at'
        '{mode}-continue-steer.lock'
        'ralph-verification-state.json'
        'ralph-verification.json'
      )
      related=(
        'team'
        'autopilot'
      )
      ;;
    'ultrawork')
      title='Legacy Ultrawork'
      action='clear'
      message='Retired Ultrawork state removed.'
      retired=1
      records=(
        'ultrawork'
      )
      helpers=(
        '{mode}-stop-breaker.json'
        '{mode}-last-steer-at'
        '{mode}-continue-steer.lock'
      )
      ;;
    'ultraqa')
      title='Legacy UltraQA'
      action='clear'
      message='Retired UltraQA state cleared.'
      retired=1
      records=(
        'ultraqa'
      )
      helpers=(
        '{mode}-stop-breaker.json'
        '{mode}-last-steer-at'
        '{mode}-continue-steer.lock'
      )
      related=(
        'autopilot'
      )
      ;;
    'ultragoal')
      title='Ultragoal'
      action='clear'
      message='Ultragoal cancelled. Runtime /goal guard released; durable plan/ledger preserved.'
      records=(
        'ultragoal'
      )
      helpers=(
        '{mode}-stop-breaker.json'
        '{mode}-last-steer-at'
        '{mode}-continue-steer.lock'
      )
      ;;
    'swarm')
      title='Swarm'
      action='global'
      message='Swarm cancelled. Coordinated agents stopped.'
      never='belongs to no session and is stopped only in the global pass'
      records=(
        'swarm'
      )
      markers=(
        'swarm-active.marker'
        'swarm.db'
      )
      ;;
    'ultrapilot')
      title='Ultrapilot'
      action='clear'
      message='Ultrapilot cancelled. Parallel autopilot workers stopped.'
      records=(
        'ultrapilot'
      )
      helpers=(
        '{mode}-stop-breaker.json'
        '{mode}-last-steer-at'
        '{mode}-continue-steer.lock'
        'ultrapilot-ownership.json'
      )
      ;;
    'pipeline')
      title='Pipeline'
      action='clear'
      message='Pipeline cancelled. Sequential agent chain stopped.'
      records=(
        'pipeline'
      )
      helpers=(
        '{mode}-stop-breaker.json'
        '{mode}-last-steer-at'
        '{mode}-continue-steer.lock'
      )
      ;;
    'team')
      title='Team'
      action='shutdown'
      message='Team cancelled. Teammates shut down and cleaned up.'
      never='is never cancelled by this script'
      records=(
        'team'
      )
      helpers=(
        '{mode}-stop-breaker.json'
        'team-pipeline-stop-breaker.json'
        '{mode}-last-steer-at'
        '{mode}-continue-steer.lock'
      )
      related=(
        'ralph'
      )
      ;;
    'omc-teams')
      title='OMC Teams'
      action='clear'
      message='OMC Teams cancelled.'
      never='is never cancelled by this script'
      records=(
        'omc-teams'
      )
      helpers=(
        '{mode}-stop-breaker.json'
        '{mode}-last-steer-at'
        '{mode}-continue-steer.lock'
      )
      ;;
    'plan-consensus')
      title='Plan Consensus'
      action='clear'
      message='Plan Consensus cancelled. Planning session ended.'
      records=(
        'ralplan'
      )
      helpers=(
        '{mode}-stop-breaker.json'
        '{mode}-last-steer-at'
        '{mode}-continue-steer.lock'
      )
      related=(
        'autopilot'
      )
      ;;
    'self-improve')
      title='Self-Improve'
      action='clear'
      message='Self-Improve cancelled.'
      never='has more to it than its record'
      records=(
        'self-improve'
      )
      helpers=(
        '{mode}-stop-breaker.json'
        '{mode}-last-steer-at'
        '{mode}-continue-steer.lock'
      )
      ;;
    *) return 1 ;;
  esac
}

for part in arguments place object records selection last changes report; do
  [ -f "$here/cancel_runtime/shell/$part.sh" ] || refuse "$here/cancel_runtime/shell/$part.sh is missing"
  # shellcheck source=/dev/null
  . "$here/cancel_runtime/shell/$part.sh"
done
