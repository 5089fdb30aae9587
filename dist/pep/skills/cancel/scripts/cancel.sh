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
  flavor='pep'
  none_message='No active PEP modes detected.'
  none_hint='Use --force to clear all state files anyway.'
  root_kind='workspace'
  contract_directory='.pep'
  state_name='state'
  climb='git-toplevel'
  override_variable=''
  directory_variable=''
  identity_kind='environment'
  session_pattern='^[a-zA-Z0-9][a-zA-Z0-9_-]{0,255}$'
  session_variables=(
    'CLAUDE_CODE_SESSION_ID'
    'CLAUDE_SESSION_ID'
    'CLAUDECODE_SESSION_ID'
  )
  sessions_name='sessions'
  record_pattern='{mode}-state.json'
  adopt_owned='0'
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
  signal_file=''
  signal_source=''
  signal_never=''
  last_kind='none'
  last_record=''
  last_field=''
  last_part=''
  last_support=''
  mode_keys=(
    'autopilot'
    'ralph'
    'ultrawork'
    'ecomode'
    'ultraqa'
    'swarm'
    'ultrapilot'
    'pipeline'
    'team'
    'plan-consensus'
  )
  kept_paths=(
    '.pep/plans'
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
      records=(
        'autopilot'
      )
      related=(
        'ralph'
        'ultraqa'
        'ecomode'
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
        'ralph-plan-state.json'
        'ralph-verification.json'
      )
      related=(
        'ultrawork'
        'ecomode'
        'team'
        'autopilot'
      )
      ;;
    'ultrawork')
      title='Ultrawork'
      action='clear'
      message='Ultrawork cancelled. Parallel execution mode deactivated.'
      records=(
        'ultrawork'
      )
      related=(
        'ralph'
      )
      ;;
    'ecomode')
      title='Ecomode'
      action='clear'
      message='Ecomode cancelled. Token-efficient execution mode deactivated.'
      records=(
        'ecomode'
      )
      related=(
        'autopilot'
        'ralph'
      )
      ;;
    'ultraqa')
      title='UltraQA'
      action='clear'
      message='UltraQA cancelled. QA cycling workflow stopped.'
      records=(
        'ultraqa'
      )
      related=(
        'autopilot'
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
      ;;
    'team')
      title='Team'
      action='shutdown'
      message='Team cancelled. Teammates shut down and cleaned up.'
      never='has workers that must be stopped first'
      records=(
        'team'
      )
      related=(
        'ralph'
      )
      ;;
    'plan-consensus')
      title='Plan Consensus'
      action='deactivate'
      message='Plan Consensus cancelled. Planning session ended.'
      records=(
        'ralplan'
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
