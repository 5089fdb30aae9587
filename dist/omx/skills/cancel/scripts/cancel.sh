#!/usr/bin/env bash
# Cancel the active modes: hand over to cancel.py or, where no python3 works, do the little that is safe without one.
#
# Without python3 3.9 or newer: one mode of one identified session, and of that only what a shell can judge. It removes a
# record whose mode is cleared; with jq it also pauses or ends one in place. Everything else is refused with its reason.
# It needs bash 3.2 or newer, and then date, mv, rm and cp; it uses jq and git where they are.
#
# Exit: 0 complete, 1 something remains unresolved, 2 refused and nothing changed.
# Up to the handover this file is the same for all; then come what the contract says and the code that goes by it.

[ -n "${BASH_VERSION-}" ] || { echo "cancel: this script is for bash; run it as: bash $0" >&2 && exit 2; }
set +aebkmtvxCEHPT -fu
set +o pipefail
# What the environment switched on would change the meaning of what follows; a function of it could stand in for a command.
\unset -f unset builtin 2>/dev/null
\unset BASH_ENV POSIXLY_CORRECT BASH_COMPAT GLOBIGNORE EXECIGNORE CDPATH TMOUT
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
  flavor='omx'
  refused_force=''
  refused_all='every session takes a run of its own, with `--session-id`, once the user named it'
  refused_both='every session takes a run of its own, with `--session-id`, once the user named it'
  none_message='No active OMX modes detected.'
  root_kind='workspace'
  contract_directory='.omx'
  state_name='state'
  central_variable=''
  marker=''
  marker_off_variable=''
  climb='none'
  override_variable='OMX_TEAM_STATE_ROOT'
  workspace_variables=(
    'OMX_ROOT'
    'OMX_STATE_ROOT'
  )
  directory_variable=''
  identity_kind='environment-with-directory'
  session_pattern='^[A-Za-z0-9_-]{1,64}$'
  session_variables=(
    'OMX_SESSION_ID'
    'CODEX_SESSION_ID'
    'SESSION_ID'
  )
  sessions_name='sessions'
  record_pattern='{mode}-state.json'
  owner_fields=(
    'owner_omx_session_id'
  )
  not_records=(
    'run'
  )
  hook_fields=(
    'owner_omx_session_id'
    'session_id'
  )
  adopt_owned='1'
  root_records='1'
  # Places beside the sessions' directories: home or base, path below it, field with the project, whether one without it counts.
  slots=(
  )
  team_kind='program'
  team_directory='team/{team}'
  team_manifest='manifest.v2.json'
  signal_file=''
  signal_source=''
  signal_never=''
  # What a pause and an end write beside the fields of all products, as a filter of jq.
  pause_fields=' | .["run_outcome"] = ("cancelled" | split("{time}") | join($now)) | .["lifecycle_outcome"] = ("userinterlude" | split("{time}") | join($now))'
  end_fields=' | .["run_outcome"] = ("cancelled" | split("{time}") | join($now)) | .["lifecycle_outcome"] = ("userinterlude" | split("{time}") | join($now)) | .["last_turn_at"] = ("{time}" | split("{time}") | join($now))'
  last_kind='entries'
  last_record='skill-active'
  last_field='session_id'
  last_part='active_skills'
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
    'deep-interview'
    'autoresearch'
    'ultragoal'
  )
  kept_paths=(
    '.omx/ultragoal'
    '.omx/plans'
    '.omx/context'
    '.omx/specs'
    '.omx/reports'
    '.omx/logs'
  )
}

# The facts of one mode. `never` says why it is left to python3; `first` are the modes that it waits for; of
# `holders` (mode, flag, field that names a mode, flag of its own that denies it) one that holds it has it end as it ends itself.
# shellcheck disable=SC2034,SC2016
mode_facts() {
  title='' action='' message='' message_more='' choice='' never='' goal='' retired=''
  records=() helpers=() first=() holders=() markers=()
  case $1 in
    'autopilot')
      title='Autopilot'
      action='deactivate'
      message='Autopilot cancelled at phase: {phase}. Progress preserved for resume.'
      message_more='Run $autopilot to resume.'
      records=(
        'autopilot'
      )
      first=(
        'ralph'
        'ultraqa'
        'ultragoal'
      )
      ;;
    'ralph')
      title='Ralph'
      action='terminalize'
      message='Ralph cancelled. Persistent mode deactivated.'
      records=(
        'ralph'
      )
      first=(
        'ultrawork'
        'ecomode'
      )
      ;;
    'ultrawork')
      title='Ultrawork'
      action='terminalize'
      message='Ultrawork cancelled. Parallel execution mode deactivated.'
      records=(
        'ultrawork'
      )
      first=(
      )
      holders=(
        'ralph'
        'linked_ultrawork'
        'linked_mode'
        ''
      )
      ;;
    'ecomode')
      title='Ecomode'
      action='terminalize'
      message='Ecomode cancelled. Token-efficient execution mode deactivated.'
      records=(
        'ecomode'
      )
      first=(
      )
      holders=(
        'ralph'
        'linked_ecomode'
        'linked_mode'
        ''
      )
      ;;
    'ultraqa')
      title='UltraQA'
      action='terminalize'
      message='UltraQA cancelled. QA cycling workflow stopped.'
      records=(
        'ultraqa'
      )
      first=(
      )
      ;;
    'swarm')
      title='Swarm'
      action='clear'
      message='Swarm cancelled. Coordinated agents stopped.'
      retired=1
      records=(
        'swarm'
      )
      ;;
    'ultrapilot')
      title='Ultrapilot'
      action='clear'
      message='Ultrapilot cancelled. Parallel autopilot workers stopped.'
      retired=1
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
      retired=1
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
      ;;
    'plan-consensus')
      title='Ralplan'
      action='terminalize'
      message='Ralplan cancelled. Planning session ended.'
      records=(
        'ralplan'
      )
      ;;
    'deep-interview')
      title='Deep Interview'
      action='terminalize'
      message='Deep Interview cancelled.'
      records=(
        'deep-interview'
      )
      ;;
    'autoresearch')
      title='Autoresearch'
      action='terminalize'
      message='Autoresearch cancelled.'
      records=(
        'autoresearch'
      )
      ;;
    'ultragoal')
      title='Ultragoal'
      action='terminalize'
      message='Ultragoal cancelled.'
      records=(
        'ultragoal'
      )
      first=(
      )
      ;;
    *) return 1 ;;
  esac
}

# Read the arguments and the session's identity; everything that only python3 can do is refused here.

# From here on there is no python3. Characters are bytes, so that no locale widens a pattern.
LC_ALL=C
export LC_ALL
umask 077
shopt -s extglob

session_id='' workspace='' wanted='' modes_given=0 several=0 session_given=0 workspace_given=0
force=0 every=0 told='' dry_run=0 json=0 help=0

shown() {
  printf -v quoted '%q' "$1"
}

take() {
  case $1 in
    --session-id)
      [ "$session_given" = 0 ] || [ "$session_id" = "$2" ] || refuse "--session-id was given twice with different values"
      session_id=$2 session_given=1
      ;;
    --workspace)
      [ "$workspace_given" = 0 ] || [ "$workspace" = "$2" ] || refuse "--workspace was given twice with different values"
      workspace=$2 workspace_given=1
      ;;
    --mode)
      mode_facts "$2" || { shown "$2" && refuse "--mode $quoted is no mode of this skill; it has: ${mode_keys[*]}"; }
      [ "$modes_given" = 0 ] || [ "$wanted" = "$2" ] || several=1
      wanted=$2 modes_given=1
      ;;
    *) told=$1 ;;
  esac
}

[ "${1-}" != status ] || refuse "$why there is no status"
[ "${1-}" != explain ] || refuse "$why nothing is explained"
while [ "$#" -gt 0 ]; do
  word=$1
  shift
  case $word in
    --session-id | --workspace | --mode | --responded | --silent | --team-root | --team-program)
      case $#:${1-} in
        0:* | *:--*) refuse "$word needs a value" ;;
      esac
      take "$word" "$1"
      shift
      ;;
    --session-id=* | --workspace=* | --mode=* | --responded=* | --silent=* | --team-root=* | --team-program=*) take "${word%%=*}" "${word#*=}" ;;
    --force) force=1 ;;
    --all) every=1 ;;
    --team-confirmed) told=--team-confirmed ;;
    --dry-run) dry_run=1 ;;
    --json) json=1 ;;
    --help) help=1 ;;
    --force=* | --all=* | --team-confirmed=* | --dry-run=* | --json=* | --help=*) refuse "${word%%=*} takes no value" ;;
    *) shown "$word" && refuse "unknown argument $quoted; see --help" ;;
  esac
done
case $told:$team_kind in
  :*) ;;
  --team-root:orchestrator | --team-program:program | --[rst]*:native | --[rst]*:message) refuse "$told: $why no team is cleared" ;;
  --team-root:* | --team-program:*) refuse "$told is for a product whose own program runs its teams" ;;
  *:none) refuse "$told is for teams that the agent stops; here nobody stops any" ;;
  *) refuse "$told is for teams that the agent stops; here the script stops them itself" ;;
esac
if [ "$help" = 1 ]; then
  one='[--session-id ID] '
  [ "$identity_kind" != none ] || one=''
  printf '%s\n' "usage: cancel.sh ${one}[--mode MODE] [--workspace DIR] [--dry-run] [--json]" \
    "Without python3 only this; cancel.py --help tells the rest. Modes: ${mode_keys[*]}"
  exit 0
fi
case $force$every in
  01) [ -z "$refused_all" ] || refuse "--all: $refused_all" ;;
  10) [ -z "$refused_force" ] || refuse "--force: $refused_force" ;;
  11) [ -z "$refused_both" ] || refuse "--force --all: $refused_both" ;;
esac
[ "$force" = 0 ] && [ "$every" = 0 ] || refuse "$why --force and --all are not carried out"
[ "$several" = 0 ] || refuse "$why only one --mode is carried out at a time"
for needed in date mv rm cp; do
  command -v "$needed" >/dev/null 2>&1 || refuse "$why this script needs $needed, which is not on PATH"
done
have_jq=0
if command -v jq >/dev/null 2>&1 && [ "$(jq -c . <<<'{"a":1}' 2>/dev/null)" = '{"a":1}' ]; then
  have_jq=1
fi
# What is longer is not judged: to take a text apart costs the shell the square of its length.
limit=262144

checked() {
  local pattern=$session_pattern
  case $1 in
    '' | . | .. | */* | *[[:cntrl:]]*) ;;
    *) [ "${#1}" -gt 255 ] || { [[ $1 =~ $pattern ]] && return 0; } ;;
  esac
  shown "${1:0:80}"
  refuse "$2 $quoted is no session id; one matches $session_pattern"
}

trimmed=''
trim() {
  trimmed=${1#"${1%%[![:space:]]*}"}
  trimmed=${trimmed%"${trimmed##*[![:space:]]}"}
}

from_environment=0
if [ "$identity_kind" = none ]; then
  [ "$session_given" = 0 ] || refuse "--session-id has no meaning here: the product keeps no sessions"
elif [ "$session_given" = 1 ]; then
  checked "$session_id" --session-id
else
  for variable in ${session_variables[@]+"${session_variables[@]}"}; do
    trim "${!variable-}"
    [ -n "$trimmed" ] || continue
    checked "$trimmed" "$variable"
    session_id=$trimmed from_environment=1
    break
  done
fi
[ -n "$session_id" ] || [ "$identity_kind" = none ] || refuse "which session is meant is not known: give --session-id; $why no other way to find it is tried"

# Find the session's directory and go there; no link is followed out of the state root.

if [ "$workspace_given" = 1 ]; then
  shown "$workspace"
  case $workspace in
    '' | *$'\n') refuse "--workspace $quoted is not a directory" ;;
    /*) ;;
    *) workspace=./$workspace ;;
  esac
  cd -P -- "$workspace" 2>/dev/null || refuse "--workspace $quoted is not a directory"
else
  cd -P . 2>/dev/null || refuse "the current directory is gone"
fi
start=$PWD
# Where the directory is gone, bash may go on with a path that leads nowhere.
case $start in
  /*) [ -d "$start" ] || refuse "the current directory is gone" ;;
  *) refuse "the current directory is gone" ;;
esac

# Variables that tie git to one repository, as a hook inherits them (`git rev-parse --local-env-vars`).
unset GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_DIR GIT_GRAFT_FILE \
  GIT_IMPLICIT_WORK_TREE GIT_INDEX_FILE GIT_INTERNAL_SUPER_PREFIX GIT_NO_REPLACE_OBJECTS GIT_OBJECT_DIRECTORY GIT_PREFIX \
  GIT_QUARANTINE_PATH GIT_REF_STORAGE_FORMAT GIT_REPLACE_REF_BASE GIT_SHALLOW_FILE GIT_WORK_TREE

# Ask git, so that no directory passes for a repository unnamed and no pager, monitor or hook runs. `answer` becomes what it prints,
# `said` what it complains of, `code` how it ended; one that takes more than five seconds has given no answer.
answer='' said='' code=0
ask_git() {
  run_git answer "$@"
  answer=$printed
  [ "$code" != 0 ] || return 0
  [ -n "$said" ] || { run_git said "$@" && said=${said:-$printed}; }
  said=${said//$'\n'/ }
  return 1
}

printed=''
run_git() {
  local wanted=$1 pid=''
  shift
  printed='' said='' code=1
  exec 3< <(
    exec 3<&-
    case $wanted in
      answer) exec 2>/dev/null ;;
      *) exec 2>&1 ;;
    esac
    # Its number comes first, from a shell that then becomes git.
    # shellcheck disable=SC2016
    "$BASH" -c 'printf "%s\n" "$$" && exec git "$@"' git --no-pager -c safe.bareRepository=explicit \
      -c core.fsmonitor=false -c core.hooksPath=/dev/null "$@"
    printf '\n=%s' "$?"
  )
  IFS='' read -r pid <&3
  IFS='' read -r -d '' -t 5 printed <&3
  exec 3<&-
  case $printed in
    *$'\n='[0-9]*)
      code=${printed##*$'\n='}
      printed=${printed%$'\n='*}
      printed=${printed%$'\n'}
      ;;
    *)
      printed='' said='it took more than 5 s'
      kill -9 "$pid" 2>/dev/null
      ;;
  esac
}

# git has three answers: a toplevel, that there is none, or none at all; then nothing may be guessed in its place.
toplevel=''
find_toplevel() {
  local at=$start
  said='git is not on PATH'
  if command -v git >/dev/null 2>&1; then
    if ask_git rev-parse --show-toplevel; then
      toplevel=$answer
      return 0
    fi
    case $said in
      *'not a git repository'* | *'must be run in a work tree'*) return 0 ;;
    esac
  fi
  while :; do
    # A bare repository is laid out so; git does not take one for its own unless it is named.
    { [ ! -e "${at%/}/.git" ] && { [ ! -e "${at%/}/HEAD" ] || [ ! -d "${at%/}/objects" ]; }; } ||
      refuse "git does not say where the repository of $start begins: $said; mend that, or name another directory with --workspace"
    [ "$at" != / ] || return 0
    at=${at%/*}
    at=${at:-/}
  done
}

find_layered() {
  local at count
  [ -z "${!central_variable-}" ] || refuse "$why the central state directory that $central_variable names is not resolved"
  find_toplevel
  anchor=${toplevel:-$start}
  if [ "${!marker_off_variable-}" != 1 ]; then
    at=$anchor
    while [ "$at" != "${HOME-}" ]; do
      [ ! -e "${at%/}/$marker" ] || refuse "$why the workspace marker in $at is not resolved"
      [ "$at" != / ] || break
      at=${at%/*}
      at=${at:-/}
    done
  fi
  if [ -n "$toplevel" ]; then
    for ((count = 0; count < 8; count++)); do
      ask_git -C "$anchor" rev-parse --show-superproject-working-tree ||
        refuse "git does not say whether $anchor lies in a superproject: $said; mend that, or name another directory with --workspace"
      [ -n "$answer" ] || return 0
      anchor=$answer
    done
    refuse "$start lies in more superprojects than this script follows"
  fi
  anchor=${HOME-}
  case $anchor in
    / | '' | [!/]*) refuse "there is no git repository here and the home directory is no place for state; use --workspace" ;;
  esac
}

state_directory=$contract_directory
find_workspace() {
  anchor=$start
  if [ -n "$override_variable" ] && [ "$workspace_given" = 0 ]; then
    trim "${!override_variable-}"
    [ -z "$trimmed" ] || refuse "$why the state directory that $override_variable names is not used"
  fi
  for variable in ${workspace_variables[@]+"${workspace_variables[@]}"}; do
    trim "${!variable-}"
    [ -z "$trimmed" ] || [ "$workspace_given" = 1 ] || refuse "$why the directory that $variable names is not used"
  done
  case $climb:$start/ in
    git-toplevel:*)
      find_toplevel
      anchor=${toplevel:-$start}
      ;;
    *:"$skill"/*) refuse "run it from the project's directory, or name that with --workspace: $start is the skill's own" ;;
  esac
  [ -n "$directory_variable" ] || return 0
  trim "${!directory_variable-}"
  [ -n "$trimmed" ] || return 0
  case /$trimmed/ in
    //* | */./* | */../* | *//* | '/~'*) refuse "$directory_variable is not a plain relative path; give a directory below the workspace" ;;
  esac
  state_directory=$trimmed
}

case $root_kind in
  layered) find_layered ;;
  *) find_workspace ;;
esac

# A link on the way is refused, not followed; `there` says whether the directory exists.
there=1
descend() {
  local at=$1 rest=$2/
  while [ -n "$rest" ]; do
    at=${at%/}/${rest%%/*}
    rest=${rest#*/}
    [ ! -L "$at" ] || refuse "$at is a symlink; state is not followed out of its root"
    if [ ! -e "$at" ]; then
      there=0
      return 0
    fi
    [ -d "$at" ] || refuse "$at is not a directory"
    { [ -x "$at" ] && [ -r "$at" ]; } || refuse "$at cannot be looked into"
  done
}

cd -P -- "$anchor" 2>/dev/null || refuse "$anchor cannot be entered"
anchor=$PWD
base=${anchor%/}/$state_directory
state=$base${state_name:+/$state_name}
directory=$state${session_id:+/$sessions_name/$session_id}
descend "$anchor" "$state_directory${state_name:+/$state_name}${session_id:+/$sessions_name/$session_id}"
if [ "$identity_kind" = environment-with-directory ] && [ "$from_environment" = 1 ] && [ "$there" = 0 ]; then
  refuse "the session of the environment has no directory, and $why no other way to find it is tried"
fi
if [ "$there" = 1 ]; then
  cd -P -- "$directory" 2>/dev/null || refuse "$directory cannot be entered"
  [ "$PWD" = "$directory" ] || refuse "$directory is not where it seems to be"
fi

# Read a file's text, tell whether it is one JSON object, and find a key in it, with nothing but the shell.

text=''
# Put a file's text into `text`; fail for what is no regular file, cannot be read, holds a NUL or more than `$2` bytes.
read_text() {
  text=''
  [ -f "$1" ] && [ ! -L "$1" ] && [ -r "$1" ] || return 1
  ! IFS='' read -r -d '' -n "$((${2:-65536} + 1))" text <"$1"
}

# Whether a text is UTF-8, by taking out every well-formed character of several bytes.
is_utf8() {
  local rest=$1 tail=[$'\200'-$'\277']
  case $rest in
    *[$'\200'-$'\377']*) ;;
    *) return 0 ;;
  esac
  rest=${rest//$'\360'[$'\220'-$'\277']$tail$tail/x}
  rest=${rest//[$'\361'-$'\363']$tail$tail$tail/x}
  rest=${rest//$'\364'[$'\200'-$'\217']$tail$tail/x}
  rest=${rest//$'\340'[$'\240'-$'\277']$tail/x}
  rest=${rest//$'\355'[$'\200'-$'\237']$tail/x}
  rest=${rest//[$'\341'-$'\354'$'\356'$'\357']$tail$tail/x}
  rest=${rest//[$'\302'-$'\337']$tail/x}
  case $rest in
    *[$'\200'-$'\377']*) return 1 ;;
  esac
}

# Whether a text is one JSON object: strings, numbers and words become tokens, and these are rewritten until one is left.
is_object() {
  local rest=$1 out='' head number pattern
  is_utf8 "$1" || return 1
  case $rest in
    *[$'\001'-$'\010'$'\013'$'\014'$'\016'-$'\037']*) return 1 ;;
  esac
  rest=${rest//\\\\/}
  rest=${rest//\\\"/}
  pattern='\\([^/bfnrtu]|u[0-9a-fA-F]{0,3}([^0-9a-fA-F]|$)|$)'
  [[ $rest =~ $pattern ]] && return 1
  while :; do
    head=${rest%%\"*}
    out=$out$head
    [ "${#head}" -lt "${#rest}" ] || break
    rest=${rest:${#head}+1}
    head=${rest%%\"*}
    [ "${#head}" -lt "${#rest}" ] || return 1
    case $head in
      *[$'\t\n\r']*) return 1 ;;
    esac
    rest=${rest:${#head}+1}
    out=$out'"'
  done
  # A token may not run into the next one when the space between them goes.
  pattern='[^][{}:,[:space:]][[:space:]]+[^][{}:,[:space:]]'
  [[ $out =~ $pattern ]] && return 1
  out=${out//[$' \t\n\r']/}
  case $out in
    '{'*'}') ;;
    *) return 1 ;;
  esac
  pattern='[^][{}:,"0-9.eE+truefalsn-]'
  [[ $out =~ $pattern ]] && return 1
  out=${out//true/v}
  out=${out//false/v}
  out=${out//null/v}
  pattern='^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$'
  for number in ${out//[^-+.eE0-9]/ }; do
    [[ $number =~ $pattern ]] || return 1
  done
  out=${out//+([-+.eE0-9])/v}
  out=${out//'":'/k}
  out=${out//'"'/v}
  for ((number = 0; number < 64; number++)); do
    head=$out
    # In this order a value behind a key is never taken for one of a list.
    out=${out//kv/p}
    out=${out//'p,p'/p}
    out=${out//'v,v'/v}
    out=${out//'{p}'/v}
    out=${out//'{}'/v}
    out=${out//'[v]'/v}
    out=${out//'[]'/v}
    [ "$out" != "$head" ] || break
  done
  [ "$out" = v ]
}

paths=() values=() compact=''
# List the keys of the object in `text`: `paths` with a slash before every level (`/_meta/sessionId`; a list is a level without a
# name), `values` as spelled, `{` and `[` alone for what they begin. `compact` is the text without the space between its tokens.
list_keys() {
  local rest=$text outside inside='' path='' brackets head known=0 slash=$'\002' quote=$'\003' above=$'\004'
  paths=() values=() compact=''
  rest=${rest//\\\\/$slash}
  rest=${rest//\\\"/$quote}
  while :; do
    outside=${rest%%\"*}
    head=$outside
    outside=${outside//[$' \t\n\r']/}
    compact=$compact$outside
    case $known:$outside in
      # A string that a colon follows is a key, and what is behind that its value, or the next string.
      1:':') known=2 ;;
      1:':'*)
        add_key "$path/${inside//\//$above}"
        brackets=${outside#:}
        case $brackets in
          ['{[']*) values[${#values[@]}]=${brackets:0:1} ;;
          *) values[${#values[@]}]=${brackets%%[],\}]*} ;;
        esac
        ;;
      *) inside='' ;;
    esac
    [ "$known" = 2 ] || known=0
    brackets=${outside//[-+.:,0-9a-zA-Z]/}
    while [ -n "$brackets" ]; do
      case $brackets in
        ['{[']*) path=$path/${inside//\//$above} ;;
        *) path=${path%/*} ;;
      esac
      inside='' brackets=${brackets#?}
    done
    [ "${#head}" -lt "${#rest}" ] || break
    rest=${rest:${#head}+1}
    head=${rest%%\"*}
    compact=$compact\"$head\"
    if [ "$known" = 2 ]; then
      add_key "$path/${inside//\//$above}"
      values[${#values[@]}]=\"$head\"
      known=0 inside=''
    else
      inside=$head known=1
    fi
    rest=${rest:${#head}+1}
  done
  compact=${compact//$slash/\\\\}
  compact=${compact//$quote/\\\"}
}

# The outermost braces are a level too.
add_key() {
  paths[${#paths[@]}]=${1#/}
}

count=0 value=''
# Count a key of `text`, named by its path, and put its last value into `value`.
find_key() {
  local number
  count=0 value=''
  for ((number = 0; number < ${#paths[@]}; number++)); do
    [ "${paths[number]}" = "/$1" ] || continue
    count=$((count + 1)) value=${values[number]}
  done
}

# Put the value of a key into `string` if it occurs once and is a string, else nothing.
string_of() {
  string=''
  find_key "$1"
  case $count:$value in
    '1:"'*) string=${value#\"} string=${string%\"} ;;
    *) return 0 ;;
  esac
  # A character that is spelled by its number is not spelled out here.
  string=${string//\\u[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]/?}
  string=${string//\\[bfnrt]/ }
  string=${string//\\\//\/}
  string=${string//$'\003'/\"}
  string=${string//$'\002'/\\}
}

# Whether jq would keep every byte of a file but the space between its tokens: one object, and no number, escape or key that it
# spells in another way. `jq_style` is how it has to be asked for that.
jq_style=()
jq_keeps() {
  read_text "$1" "$limit" && is_object "$text" || return 1
  list_keys
  jq_style=(-a)
  [ "$(jq -a -c . "$1" 2>/dev/null)" = "$compact" ] && return 0
  jq_style=(-M)
  [ "$(jq -M -c . "$1" 2>/dev/null)" = "$compact" ]
}

# Judge one record: whether it is active, whose it is, and at what phase.

judged='' reason='' phase='' chosen='' plan='' owner=''
# `judged` becomes absent, active, inactive, foreign (active, of the session `owner`, and nothing holds this session by it) or odd,
# with the `reason` for odd.
judge() {
  judged=odd reason='' phase=unknown chosen='' plan=''
  if [ -L "$1" ]; then
    refuse "$directory/$1 is a symlink; state is not followed out of its root"
  elif [ ! -e "$1" ]; then
    judged=absent
  elif ! [ -f "$1" ] || ! [ -r "$1" ]; then
    reason='is no regular file that can be read'
  else
    judge_text "$1"
  fi
  # At rest here, and not for each program that reads it.
  case $judged:$count:$value:"${warnings[*]-}" in
    *"$directory/$1 has the text"*) ;;
    'inactive:1:"false":'*)
      warnings[${#warnings[@]}]="$directory/$1 has the text \"false\" for \`active\`: it counts as inactive here, and a program that takes any text for a yes, as a stop hook may, is held by it"
      ;;
  esac
  # Another cancel may have taken it away while it was read.
  if [ "$judged" = odd ] && [ ! -e "$1" ] && [ ! -L "$1" ]; then
    judged=absent reason=''
  fi
}

judge_text() {
  local name
  owner=''
  reason="is malformed, or more than can be judged without python3"
  read_text "$1" "$limit" && is_object "$text" || return 0
  # A key could be spelled in another way.
  case $text in
    *\\u00[2-7]*) return 0 ;;
  esac
  list_keys
  find_key active
  case $count:$value in
    0: | 1:false | 1:null | 1:0 | '1:"false"')
      judged=inactive reason=''
      return 0
      ;;
    1:true | 1:1 | '1:"true"') ;;
    *) return 0 ;;
  esac
  for name in ${owner_fields[@]+"${owner_fields[@]}"}; do
    find_key "$name"
    [ "$count" -le 1 ] || return 0
    string_of "$name"
    trim "$string"
    [ -n "$trimmed" ] || continue
    owner=$string
    [ "$string" = "$session_id" ] && break
    reason='belongs to another session'
    held_all_the_same || judged=foreign reason=''
    return 0
  done
  judged=active reason=''
  string_of phase
  phase=$string
  string_of current_phase
  trim "${string:-$phase}"
  phase=${trimmed:0:200}
  phase=${phase:-unknown}
  string_of plan_path
  trim "$string"
  plan=$trimmed
  if [ -n "$choice" ]; then
    string_of "$choice"
    trim "$string"
    chosen=$trimmed
  fi
}

# Whether another session's record holds this one all the same: the product's own hook may read its owner elsewhere (facts P13).
held_all_the_same() {
  local name
  [ "$adopt_owned" = 1 ] || return 0
  for name in ${hook_fields[@]+"${hook_fields[@]}"}; do
    find_key "$name"
    [ "$count" -le 1 ] || return 0
    string_of "$name"
    trim "$string"
    [ -n "$trimmed" ] || continue
    [ "$string" = "$session_id" ]
    return
  done
  return 1
}

file=''
file_of() {
  file=${record_pattern%%'{mode}'*}$1${record_pattern#*'{mode}'}
}

# Whether anything stands beside a record under its own name: a lock or a journal of its writers.
beside() {
  local found
  set +f
  for found in "$1".*; do
    set -f
    if [ -e "$found" ] || [ -L "$found" ]; then
      return 0
    fi
  done
  set -f
  return 1
}

# Find out which mode is active, and whether it may be cancelled here.

# Look at a mode's records: `state_of` is absent, inactive, active or odd; `files` are those to work on.
look() {
  local record worst=0
  mode_facts "$1" || return 1
  state_of=absent files=() mode_phase=unknown mode_choice='' mode_plan=''
  for record in "${records[@]}"; do
    file_of "$record"
    judge "$file"
    case $judged in
      absent) ;;
      foreign)
        warnings[${#warnings[@]}]="$directory/$file is owned by session '$owner'; it is left as it is: cancel that session to end it"
        strangers[${#strangers[@]}]=$owner
        strangers[${#strangers[@]}]=$1
        ;;
      inactive)
        [ -z "$retired" ] || [ "$have_jq" = 0 ] || files[${#files[@]}]=$file
        [ "$worst" -ge 1 ] || worst=1 state_of=inactive
        ;;
      active)
        files[${#files[@]}]=$file
        [ "$worst" -ge 2 ] || worst=2 state_of=active mode_phase=$phase mode_choice=$chosen mode_plan=$plan
        ;;
      *) worst=3 state_of=odd odd_file=$file odd_reason=$reason ;;
    esac
  done
  # A retired record goes whatever it says.
  [ "${#files[@]}" = 0 ] || [ "$state_of" = odd ] || state_of=active
}

state_of='' files=() mode_phase='' mode_choice='' mode_plan='' chosen_plan='' odd_file='' odd_reason=''
chosen_mode='' chosen_files=() chosen_phase='' chosen_choice='' active_modes=() warnings=()
# Pairs of a session and a mode, of other sessions' records in this one's directory.
strangers=()

# A variable that has to agree with the session file: whether the process of that one lives only python3 can tell.
named_file=$state/'session.json'
if [ "$from_environment" = 1 ] && [ -e "$named_file" ]; then
  agree=(
    'OMX_SESSION_ID'
  )
  for variable in "${agree[@]}"; do
    trim "${!variable-}"
    [ "$trimmed" = "$session_id" ] || continue
    read_text "$named_file" "$limit" || text=''
    case $text in
      *"\"$session_id\""*) ;;
      *) refuse "$why whether $variable and $named_file mean one session is not judged: give --session-id" ;;
    esac
  done
fi

# A team that its manifest gives to this session counts even without a record.
if [ -n "$team_directory" ]; then
  file=$state/${team_directory%%'{team}'*}
  [ ! -e "$file" ] || { [ -x "$file" ] && [ -r "$file" ]; } || refuse "$file cannot be looked into, and $why no worker is stopped"
  set +f
  for file in "$file"*/"$team_manifest"; do
    set -f
    [ -e "$file" ] || continue
    read_text "$file" "$limit" || refuse "$file cannot be judged, and $why no worker is stopped"
    case $text in
      *"\"$session_id\""*) refuse "$why no worker is stopped, and $file may give its team to this session" ;;
    esac
  done
  set -f
fi

belongs='belongs to no session'
[ "$identity_kind" != none ] || belongs='has no record of its own'
for key in "${mode_keys[@]}"; do
  mode_facts "$key"
  for name in ${markers[@]+"${markers[@]}"}; do
    if [ -e "$state/$name" ]; then
      [ "$wanted" != "$key" ] || refuse "$why $key stays as it is: it $belongs and is stopped only in the global pass"
      warnings[${#warnings[@]}]="$title is active and $belongs; it is stopped only in the global pass"
      active_modes[${#active_modes[@]}]=$key
      break
    fi
  done
done
shared=${#active_modes[@]}

if [ "$there" = 1 ]; then
  for key in "${mode_keys[@]}"; do
    look "$key"
    case $state_of in
      absent | inactive) continue ;;
    esac
    active_modes[${#active_modes[@]}]=$key
    [ "$modes_given" = 0 ] || [ "$wanted" = "$key" ] || continue
    [ "$state_of" = active ] || refuse "$directory/$odd_file $odd_reason; $key stays as it is"
    chosen_mode=$key chosen_files=("${files[@]}") chosen_phase=$mode_phase chosen_choice=$mode_choice chosen_plan=$mode_plan
  done
fi
if [ "$modes_given" = 0 ] && [ "$((${#active_modes[@]} - shared))" -gt 1 ]; then
  refuse "$why only one mode is cancelled at a time; active are ${active_modes[*]}, so name one with --mode"
fi

# Whether nothing of what was asked for is active; what is active beside it is named then.
idle=0 unasked='' elsewhere=()
if [ -z "$chosen_mode" ] && { [ "$modes_given" = 1 ] || [ "$shared" = 0 ]; }; then
  idle=1
  # The shared ones stand first; they were named, and belong to no session.
  for ((at = 0; at < ${#active_modes[@]}; at++)); do
    whose=$session_id
    [ "$at" -ge "$shared" ] || whose=''
    elsewhere[${#elsewhere[@]}]=$whose
    elsewhere[${#elsewhere[@]}]=${active_modes[at]}
    [ "$at" -ge "$shared" ] || continue
    mode_facts "${active_modes[at]}"
    unasked="$unasked${unasked:+, }$title"
  done
  [ -z "$unasked" ] || warnings[${#warnings[@]}]="active in this session, and not what --mode asks for: $unasked"
fi

active() {
  local each
  for each in ${active_modes[@]+"${active_modes[@]}"}; do
    [ "$each" != "$1" ] || return 0
  done
  return 1
}

# Whether a field of the object in `text` says no more than nothing.
silent() {
  find_key "$1"
  case $count:$value in
    0: | 1:false | 1:null | 1:0 | '1:"false"' | '1:""') return 0 ;;
  esac
  return 1
}

# What a mode links to that ends in place, ends in place too (rule 4): `action` becomes that. In doubt it does.
held() {
  local holder flag names denial file
  set -- ${holders[@]+"${holders[@]}"}
  while [ "$#" -gt 0 ]; do
    holder=$1 flag=$2 names=$3 denial=$4
    shift 4
    active "$holder" || continue
    if [ -n "$denial" ]; then
      read_text "./${chosen_files[0]}" "$limit" && list_keys
      find_key "$denial"
      case $count:$value in
        1:false | '1:"false"' | 1:0) continue ;;
      esac
    fi
    mode_facts "$holder"
    file_of "${records[0]}"
    judge "$file"
    [ "$judged" = active ] || refuse "$directory/$file ${reason:-is not active any more}; $chosen_mode, which it may hold, stays as it is"
    if { [ -n "$flag" ] && ! silent "$flag"; } || { [ -n "$names" ] && ! silent "$names"; }; then
      mode_facts "$chosen_mode"
      action=terminalize
      return 0
    fi
    mode_facts "$chosen_mode"
  done
}

permit() {
  local other
  mode_facts "$chosen_mode"
  [ -z "$never" ] || refuse "$why $chosen_mode stays as it is: it $never"
  for other in ${first[@]+"${first[@]}"}; do
    ! active "$other" || refuse "$why $chosen_mode stays as it is: $other is active too, may be linked to it, and goes first"
  done
  held
  case $action in
    clear) ;;
    deactivate | terminalize)
      [ "$have_jq" = 1 ] || refuse "$why $chosen_mode stays as it is: its record is changed in place, for which jq is needed"
      ;;
    *) refuse "$why $chosen_mode stays as it is" ;;
  esac
  for file in "${chosen_files[@]}"; do
    ! beside "./$file" || refuse "$directory/$file has a lock or journal beside it; $chosen_mode stays as it is"
    [ "$action" != clear ] || continue
    jq_keeps "./$file" || refuse "$directory/$file holds what jq would change beside what is asked for"
  done
}
[ -z "$chosen_mode" ] || permit

# A record that this session owns holds it wherever it lies. Only python3 ends it there, so "none is active" would be untrue.

# Name what is active in the directory `$1` for this session and is no mode of this skill; `$2` is 1 for the session's own, where a record
# without an owner is its own.
look_at_unlisted() {
  local found name
  set +f
  set -- "$1" "$2" "$1/${record_pattern%%'{mode}'*}"*"${record_pattern#*'{mode}'}"
  set -f
  for found in "${@:3}"; do
    name=${found##*/}
    case "$names " in
      *" $name "*) continue ;;
    esac
    [ -f "$found" ] && [ ! -L "$found" ] || continue
    judged=odd reason='' owner=''
    judge_text "$found"
    case $judged:$2:$owner in
      active:*:"$session_id" | active:1:) ;;
      *) continue ;;
    esac
    known=1 name=${name#"${record_pattern%%'{mode}'*}"}
    name=${name%"${record_pattern#*'{mode}'}"}
    warnings[${#warnings[@]}]="session '$session_id': $name is active and is no mode of this skill; it is left"
  done
}

# Files of a session that are no records of an unlisted mode.
names=" $signal_file"
name_files() {
  local name record
  for key in "${mode_keys[@]}"; do
    mode_facts "$key"
    for record in "${records[@]}"; do
      file_of "$record"
      names="$names $file"
      for name in ${helpers[@]+"${helpers[@]}"}; do
        case $name in
          *'{mode}'*) name=${name%%'{mode}'*}$record${name#*'{mode}'} ;;
        esac
        names="$names $name"
      done
    done
  done
  for record in ${not_records[@]+"${not_records[@]}"}; do
    file_of "$record"
    names="$names $file"
  done
  [ -z "$last_record" ] || { file_of "$last_record" && names="$names $file"; }
}

look_at_stray() {
  local name
  for key in "${mode_keys[@]}"; do
    [ "$modes_given" = 0 ] || [ "$wanted" = "$key" ] || continue
    mode_facts "$key"
    for name in "${records[@]}"; do
      file_of "$name"
      [ -f "$1/$file" ] && judge_stray "$1/$file" "$2" "$3" "$4"
    done
  done
}

# `$2` is 1 where a record without an owner is nobody's, 2 where it is this session's; `$3` names the field with its project, `$4` what one without it is.
judge_stray() {
  read_text "$1" "$limit"
  case $2:$text in
    [12]:* | *"\"$session_id\""*) ;;
    *) return 0 ;;
  esac
  case $text in
    *"\"$session_id\""*) known=1 ;;
  esac
  judged=odd reason='' owner=''
  judge_text "$1"
  [ "$2" != 2 ] || owner=${owner:-$session_id}
  [ "$judged" != inactive ] && [ "$judged:$owner" != "active:" ] || {
    [ "$judged:$2" != active:1 ] || warnings[${#warnings[@]}]="$1 is active and names no session; it is left as it is"
    return 0
  }
  if [ -n "$3" ]; then
    string_of "$3"
    [ -n "$string" ] || [ "$4" = ours ] || return 0
    case $start/ in
      "$string"/*) ;;
      *) [ -z "$string" ] || [ "$string" = "$anchor" ] || [ "$string" -ef "$anchor" ] || return 0 ;;
    esac
  fi
  case $judged:$owner in
    active:"$session_id") refuse "$1 belongs to this session, and $why it is not ended there" ;;
    odd:"$session_id" | odd:) refuse "$1 ${reason:-cannot be judged} and may be this session's" ;;
  esac
}

# Pairs of a session and a mode that is active there, or cannot be read; they are named where nothing is active here.
others=() known=$there looked=("$state")
add_other() {
  local number
  for ((number = 0; number < ${#others[@]}; number += 2)); do
    [ "${others[number]}" != "$1" ] || [ "${others[number+1]}" != "$2" ] || return 0
  done
  others[${#others[@]}]=$1
  others[${#others[@]}]=$2
}

look_at_other() {
  local name
  for key in "${mode_keys[@]}"; do
    mode_facts "$key"
    for name in "${records[@]}"; do
      file_of "$name"
      [ -f "$1/$file" ] || continue
      judged=odd reason='' owner=''
      judge_text "$1/$file"
      [ "$judged" != inactive ] || continue
      # A record belongs to the session that it names, wherever it lies.
      if [ "${owner:-$2}" != "$session_id" ]; then
        add_other "${owner:-$2}" "$key"
        break
      fi
    done
  done
}

look_at_others() {
  local place number=0 words='' pattern=$session_pattern
  set -- ${strangers[@]+"${strangers[@]}"}
  while [ "$#" -gt 0 ]; do
    add_other "$1" "$2"
    shift 2
  done
  [ "$root_records" = 0 ] || look_at_other "$state" ''
  set +f
  set -- "$state/$sessions_name"/*/
  set -f
  for place in "$@"; do
    place=${place%/}
    [ "$place" != "$directory" ] && [ -d "$place" ] && [ ! -L "$place" ] && [[ ${place##*/} =~ $pattern ]] || continue
    look_at_other "$place" "${place##*/}"
  done
  [ "$known" = 1 ] || warnings[${#warnings[@]}]="no place here knows the session '$session_id'"
  [ "${#slots[@]}" = 0 ] || warnings[${#warnings[@]}]="what other sessions have active outside the state directory was not looked for, since that needs python3"
  [ "${#others[@]}" -gt 0 ] || return 0
  while [ "$number" -lt "${#others[@]}" ] && [ "$number" -lt 20 ]; do
    place="session '${others[number]}'"
    [ -n "${others[number]}" ] || place='root slot'
    words="$words${words:+, }${others[number+1]} ($place)"
    number=$((number + 2))
  done
  [ "${#others[@]}" -le 20 ] || words="$words and $(((${#others[@]} - 20) / 2)) more"
  warnings[${#warnings[@]}]="active elsewhere, or unreadable: $words; it belongs to other sessions: cancel it only if the user asks for it by name"
}

# Hooks take their directory as it is: a session that was begun between this one and the toplevel may have its records there.
look_between() {
  local at=$start below place
  while [ "$at" != "$toplevel" ]; do
    below=$at/$state_directory${state_name:+/$state_name}
    place=$below/$sessions_name/$session_id
    at=${at%/*}
    [ -n "$at" ] || return 0
    [ -d "$below" ] || continue
    looked[${#looked[@]}]=$below
    [ ! -L "$place" ] || refuse "$place is a symlink; state is not followed out of its root"
    [ ! -d "$place" ] || {
      known=1
      look_at_stray "$place" 2 '' ''
      look_at_unlisted "$place" 1
    }
    set +f
    set -- "$below/$sessions_name"/*/
    set -f
    for place in ${1+"$@"}; do
      place=${place%/}
      [ -L "$place" ] || [ ! -d "$place" ] || [ "${place##*/}" = "$session_id" ] || {
        look_at_stray "$place" 0 '' ''
        [ "$idle" = 0 ] || look_at_other "$place" "${place##*/}"
      }
    done
    look_at_stray "$below" 1 '' ''
    [ "$root_kind" != layered ] || look_at_stray "${below%/*}" 1 '' ''
  done
}

look_for_strays() {
  local place at path project unnamed nested
  set +f
  set -- "$state/$sessions_name"/*/
  set -f
  for place in ${1+"$@"}; do
    place=${place%/}
    [ "$place" = "$directory" ] || [ -L "$place" ] || [ ! -d "$place" ] || {
      look_at_stray "$place" 0 '' ''
      look_at_unlisted "$place" 0
    }
  done
  look_at_stray "$state" 1 '' ''
  look_at_unlisted "$state" 0
  case ${toplevel:+$start/} in
    "$toplevel"/*) [ "$toplevel" != "$anchor" ] || look_between ;;
  esac
  set -- ${slots[@]+"${slots[@]}"}
  while [ "$#" -gt 0 ]; do
    at=$1 path=$2 project=$3 unnamed=$4
    shift 4
    # Where the state itself lies under the home directory, that is no other place.
    place=${HOME-}
    place=${place%/}/${path%%/*}
    [ "$at" = base ] || { [ "$place" != "$base" ] && [ ! "$place" -ef "$base" ]; } || continue
    nested=0
    case $path in
      *'{session}'*) nested=1 path=${path%%'{session}'*}$session_id${path#*'{session}'} ;;
    esac
    place=$base
    [ "$at" = base ] || place=${HOME-}
    place=${place%/}${path:+/$path}
    [ "$nested" = 1 ] || looked[${#looked[@]}]=$place
    case $place in
      /*) [ "$place" = "$directory" ] || [ "$place" = "$state" ] || look_at_stray "$place" 1 "$project" "$unnamed" ;;
    esac
  done
}
if [ -n "$session_id" ]; then
  how=${action-}
  name_files
  [ "$there" = 0 ] || look_at_unlisted "$directory" 1
  [ "${#owner_fields[@]}" = 0 ] || look_for_strays
  [ "$idle" = 0 ] || look_at_others
  [ -z "$chosen_mode" ] || { mode_facts "$chosen_mode" && action=$how; }
fi

# Where nothing is active here, state above may make that untrue: what of it is this session's, or cannot be judged, is named, and the
# run refused (facts R19, D13); any other is a line of the report.

own_directory() {
  [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ]
}

# Refuse where a record in `$1` is active for this session or may be; `$2` is the project's directory, and `$3` is 1 for the session's own
# directory, where a record without an owner is its own.
judge_above() {
  local name here
  here="run it from $2, or name that with --workspace"
  for key in "${mode_keys[@]}"; do
    mode_facts "$key"
    for name in "${records[@]}"; do
      file_of "$name"
      [ -e "$1/$file" ] || [ -L "$1/$file" ] || continue
      judged=odd reason='is no regular file that can be read' owner=''
      if [ ! -L "$1/$file" ] && [ -f "$1/$file" ] && [ -r "$1/$file" ]; then
        judge_text "$1/$file"
        # Elsewhere than in its own directory a record is this session's only if it names it.
        case $3:$text in
          1:* | *"\"$session_id\""*) ;;
          *) continue ;;
        esac
      elif [ "$3" = 0 ]; then
        continue
      fi
      case $3:$judged:$owner in
        1:active:* | 0:active:"$session_id") refuse "nothing is active in $state, but $key is active in $1; $here" ;;
        *:odd:"$session_id" | *:odd:) refuse "nothing is active in $state, but $1/$file ${reason:-cannot be judged}; $here" ;;
      esac
    done
  done
}

look_above() {
  local at=$anchor above parent place
  [ "$workspace_given" = 0 ] || return 0
  if [ "$root_kind" = layered ]; then
    # Where git knows of no repository, only what holds a `.git` all the same: a variable may keep git from going up to it.
    [ -z "$toplevel" ] || return 0
    at=$start
    while [ "$at" != / ] && [ ! -e "${at%/*}/.git" ]; do
      at=${at%/*}
      at=${at:-/}
    done
    [ "$at" != / ] && [ ! -e "$start/.git" ] && [ "${at%/*}/$state_directory" != "$base" ] || return 0
  fi
  until [ -e "${at%/}/.git" ] || [ -L "${at%/}/.git" ] || [ "$at" = / ]; do
    at=${at%/*}
    at=${at:-/}
    above=${at%/}/$state_directory
    own_directory "$above" || continue
    above=$above${state_name:+/$state_name}
    own_directory "$above" || continue
    place=$above${session_id:+/$sessions_name/$session_id}
    for parent in "$above" "$above/$sessions_name" "$place"; do
      if [ -L "$parent" ]; then
        warnings[${#warnings[@]}]="state above cannot be judged: $parent is a symlink"
        continue 2
      fi
      [ ! -e "$parent" ] || { [ -d "$parent" ] && [ -x "$parent" ] && [ -r "$parent" ]; } ||
        refuse "nothing is active in $state, but whether anything is above is not known: $parent cannot be looked into; run it from $at, or name that with --workspace"
    done
    judge_above "$place" "$at" 1
    if [ "${#owner_fields[@]}" -gt 0 ]; then
      judge_above "$above" "$at" 0
      set +f
      set -- "$above/$sessions_name"/*/
      set -f
      for parent in ${1+"$@"}; do
        parent=${parent%/}
        [ "$parent" = "$place" ] || [ -L "$parent" ] || judge_above "$parent" "$at" 0
      done
    fi
    warnings[${#warnings[@]}]="other state lies above, in $above; --workspace $at looks there"
  done
}
[ "$idle" = 0 ] || look_above

# Look at the record that goes last, which is only touched where no mode was asked for.

last_file='' own_why='' last_root='' root_why=''

look_at_own() {
  if [ -L "$file" ]; then
    refuse "$directory/$file is a symlink; state is not followed out of its root"
  fi
  [ -e "$file" ] || return 0
  last_file=$file
  if ! [ -f "$file" ]; then
    own_why='is no regular file'
  elif beside "./$file"; then
    own_why='has a lock or journal beside it'
  elif [ "$last_kind" = entries ] && [ "$have_jq" = 0 ]; then
    own_why='may still name this session; without jq its entries cannot be taken out'
  elif [ "$last_kind" = entries ] && ! jq_keeps "./$file"; then
    own_why='holds what this script could not keep as it is'
  fi
}

# The record that all sessions share: only jq can take one session's part out of it.
look_at_shared() {
  [ -f "$1" ] && [ ! -L "$1" ] || return 0
  if ! read_text "$1" "$limit" || ! is_object "$text"; then
    last_root=$1 root_why='is malformed, or more than this script can judge'
    return 0
  fi
  case $text in
    *"\"$session_id\""*) last_root=$1 ;;
    *) return 0 ;;
  esac
  if [ "$have_jq" = 0 ]; then
    root_why='still names this session; without jq its part cannot be taken out'
  elif beside "$1"; then
    root_why='has a lock or journal beside it'
  elif ! jq_keeps "$1"; then
    root_why='still names this session; of other sessions it holds what this script could not keep as it is'
  fi
}

if [ "$last_kind" != none ] && [ "$modes_given" = 0 ] && [ "$there" = 1 ]; then
  file_of "$last_record"
  look_at_own
  [ "$last_kind" = record ] || look_at_shared "$state/$file"
fi

# Take this session's part out of a record; `$2` is 1 for the session's own.
take_out() {
  local changed
  jq_keeps "$1" || return 1
  # shellcheck disable=SC2016
  case $last_kind in
    ledger)
      changed=$(jq "${jq_style[@]}" --arg session "$session_id" --arg field "$last_field" --arg skills "$last_part" \
        --arg support "$last_support" '
        def mine: type == "object" and .[$field] == $session;
        (if (.[$skills] | type) == "object" then .[$skills] |= with_entries(select(.value | mine | not)) else . end)
        | if (.[$support] | mine) then .[$support] = null else . end' "$1" 2>/dev/null) || return 1
      ;;
    *)
      changed=$(jq "${jq_style[@]}" --arg session "$session_id" --arg field "$last_field" --arg entries "$last_part" --arg own "$2" '
        def mine: type == "object" and (.[$field] == $session or ($own == "1" and ((.[$field] // "") == "")));
        (if (.[$entries] | type) == "array" then .[$entries] else [] end) as $all
        | ($all | map(select(mine | not))) as $left
        | (($left | length) < ($all | length)) as $fewer
        | (if $fewer then .[$entries] = $left else . end)
        | if $left == [] and ($fewer or $own == "1") and (.active == true or .active == "true" or .active == 1)
          then .active = false else . end' "$1" 2>/dev/null) || return 1
      ;;
  esac
  [ -n "$changed" ] || return 1
  replace "$1" <<<"$changed"
}

# Do what was decided, each change by a rename or an unlink, and look again after it.

steps=() outcome='' detail='' last_outcome='' last_detail='' json_text=''

step() {
  steps[${#steps[@]}]=$1
}

quote() {
  json_text=${1//\\/\\\\}
  json_text=${json_text//\"/\\\"}
  json_text=${json_text//$'\n'/\\n}
  json_text=\"${json_text//[[:cntrl:]]/?}\"
}

# Start of a process as cancel.py has it in the names of its temporary files; nothing where it cannot be read.
started=''
start_of() {
  local all
  started=''
  if IFS='' read -r all <"/proc/$1/stat"; then
    # Of the third field and the rest, the twentieth.
    read -r _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ started _ <<<"${all##*) }"
  fi 2>/dev/null
}

scratch=''
trap '[ -z "$scratch" ] || rm -f -- "$scratch"' EXIT
start_of "$$"
mine=$$-${started:-0}

# Take away what a killed run left in a directory: temporary files of processes that are gone.
sweep() {
  local found owner
  set +f
  for found in "$1"/.*.cancel-tmp; do
    set -f
    [ -f "$found" ] && [ ! -L "$found" ] || continue
    owner=${found%.cancel-tmp}
    owner=${owner##*.}
    case $owner in
      *[!0-9-]* | -* | *-) continue ;;
      *-*) ;;
      *) continue ;;
    esac
    start_of "${owner%%-*}"
    if [ -n "$started" ]; then
      [ "$started" != "${owner#*-}" ] || continue
    elif kill -0 "${owner%%-*}" 2>/dev/null; then
      continue
    fi
    rm -f -- "$found" 2>/dev/null
  done
  set -f
}
if [ "$dry_run" = 0 ] && [ "$there" = 1 ]; then
  sweep .
  sweep "$state"
fi

# Put standard input in place of a file, keeping the mode of one that exists.
replace() {
  local content name=${1##*/} place=.
  IFS='' read -r -d '' content || :
  case $1 in
    */*) place=${1%/*} ;;
  esac
  scratch=$place/.$name.$mine.cancel-tmp
  if [ -e "$scratch" ] || [ -L "$scratch" ]; then
    scratch=''
    return 1
  fi
  if [ -f "$1" ]; then
    cp -p -- "$1" "$scratch" 2>/dev/null && printf '%s' "$content" 2>/dev/null >"$scratch" || return 1
  else
    (set -C && printf '%s' "$content" >"$scratch") 2>/dev/null || return 1
  fi
  mv -f -- "$scratch" "$1" 2>/dev/null || return 1
  scratch=''
}

remove() {
  rm -f -- "./$1" 2>/dev/null
  [ ! -e "./$1" ] && [ ! -L "./$1" ]
}

now() {
  date -u '+%Y-%m-%dT%H:%M:%SZ'
}

change_in_place() {
  local changed filter stamp=''
  case $action in
    deactivate) filter=".active = false$pause_fields" ;;
    *) filter=".active = false | .current_phase = \"cancelled\" | .completed_at = \$now$end_fields" ;;
  esac
  case $filter in
    *"\$now"*) stamp=$(now) || return 1 ;;
  esac
  jq_keeps "./$1" || return 1
  changed=$(jq "${jq_style[@]}" --arg now "$stamp" "$filter" "./$1" 2>/dev/null) && [ -n "$changed" ] || return 1
  replace "./$1" <<<"$changed" || return 1
  [ "$(jq '.active == false' "./$1" 2>/dev/null)" = true ]
}

# Tell the stop hook, which adds its own 30 seconds to the time of the request (facts C6).
announce() {
  local stamp body
  stamp=$(now) || return 1
  quote "$1"
  body="{\"active\": true, \"requested_at\": \"$stamp\", \"mode\": $json_text, \"source\": "
  quote "$signal_source"
  replace "./$signal_file" <<<"$body$json_text}"
}

signal_name=''
if [ -n "$signal_file" ]; then
  if [ -n "$chosen_mode" ] && [ "$action" = clear ] && [ "${records[0]}" != "$signal_never" ]; then
    signal_name=${records[0]}
  elif [ -n "$last_file" ] && [ -z "$own_why" ] && [ "$last_kind" != entries ]; then
    signal_name=$last_record
  fi
fi
if [ -n "$signal_name" ]; then
  step "signal $directory/$signal_file"
  [ "$dry_run" = 1 ] || announce "$signal_name" || warnings[${#warnings[@]}]="the cancel signal could not be written in $directory"
fi

remove_helpers() {
  local name record
  for name in ${helpers[@]+"${helpers[@]}"}; do
    for record in "${records[@]}"; do
      file=${name%%'{mode}'*}
      [ "$file" = "$name" ] || file=$file$record${name#*'{mode}'}
      [ -f "$file" ] && [ ! -L "$file" ] || continue
      step "helper $directory/$file"
      [ "$dry_run" = 1 ] || remove "$file" || outcome=failed detail="$directory/$file could not be removed"
    done
  done
}

change_record() {
  # It may have changed since it was judged.
  judge "$file"
  if [ "$judged" = absent ]; then
    return 0
  elif [ "$judged" = odd ] || beside "./$file"; then
    outcome=failed detail="$directory/$file ${reason:-has a lock or journal beside it}"
  elif [ "$action" = clear ]; then
    remove "$file" || outcome=failed detail="$directory/$file is still there"
  else
    change_in_place "$file" || outcome=failed detail="$directory/$file could not be changed"
  fi
}

if [ -n "$chosen_mode" ]; then
  outcome='done'
  remove_helpers
  for file in "${chosen_files[@]}"; do
    step "$action $directory/$file"
    [ "$dry_run" = 1 ] || [ "$outcome" != 'done' ] || change_record
  done
  [ -z "$goal" ] || warnings[${#warnings[@]}]="$title: its goal of the host may still be armed, since a script cannot pause it; pause the goal by hand"
elif [ "$modes_given" = 1 ]; then
  outcome=absent detail='not active' chosen_mode=$wanted
  mode_facts "$wanted"
  message=''
fi

if [ -n "$last_file$last_root" ] && [ "$outcome" != failed ]; then
  last_outcome='done'
  if [ -n "$last_file" ] && [ -z "$own_why" ]; then
    if [ "$last_kind" = entries ]; then
      step "last $directory/$last_file"
      [ "$dry_run" = 1 ] || take_out "./$last_file" 1 || own_why='could not be changed'
    else
      step "clear $directory/$last_file"
      [ "$dry_run" = 1 ] || remove "$last_file" || own_why='is still there'
    fi
  fi
  [ -z "$own_why" ] || last_outcome=failed last_detail="$directory/$last_file $own_why"
  if [ -n "$last_root" ] && [ -z "$root_why" ]; then
    step "last $last_root"
    [ "$dry_run" = 1 ] || take_out "$last_root" 0 || root_why='could not be changed'
  fi
  [ -z "$root_why" ] || last_outcome=failed last_detail="$last_detail${last_detail:+; }$last_root $root_why"
fi

# Say what was done, in words or as the JSON object of cancel.py, and end with the exit code.

complete=true
[ "$outcome" != failed ] && [ "$last_outcome" != failed ] || complete=false
if [ "$dry_run" = 1 ]; then
  [ "$outcome" != 'done' ] || outcome=planned
  [ "$last_outcome" != 'done' ] || last_outcome=planned
fi

would=Would of=''
[ "$identity_kind" = none ] || would="Session $session_id: would" of=" (session $session_id)"

said=''
word_message() {
  local half
  said=$message
  case $said in
    *'{phase}'*) said=${said%%'{phase}'*}$chosen_phase${said#*'{phase}'} ;;
  esac
  case $choice:$said in
    :*) ;;
    *'{'*' | '*'}'*)
      half=${said#*'{'}
      if [ -n "$chosen_choice" ]; then
        half=${half%%' | '*}
      else
        half=${half#*' | '}
        half=${half%%'}'*}
      fi
      said=${said%%'{'*}$half${said#*'}'}
      ;;
  esac
  [ -z "$message_more" ] || [ "$action" != deactivate ] || said=$said$'\n'$message_more
  [ -z "$chosen_plan" ] || [ "$action" != clear ] || said=$said$'\n'"Its plan: $chosen_plan"
}
if [ "$outcome" = 'done' ] && [ -n "$message" ]; then
  word_message
fi
closing=''
if [ "$idle" = 1 ] && [ "$complete" = true ]; then
  closing=$none_message
fi

preserved=()
keep() {
  [ ! -e "$1" ] || preserved[${#preserved[@]}]=$1
}
if [ "$outcome" = 'done' ] && [ "$action" = deactivate ]; then
  for file in "${chosen_files[@]}"; do
    keep "$directory/$file"
  done
fi
contract_state=$contract_directory${state_name:+/$state_name}
for path in ${kept_paths[@]+"${kept_paths[@]}"}; do
  case $path in
    *'<session_id>'*) path=${path%%'<session_id>'*}$session_id${path#*'<session_id>'} ;;
  esac
  case $path in
    "$contract_state") keep "$state" ;;
    "$contract_state"/*) keep "$state/${path#"$contract_state/"}" ;;
    "$contract_directory"/*) keep "$base/${path#"$contract_directory/"}" ;;
    *) keep "${anchor%/}/$path" ;;
  esac
done

# All that is printed, at once at the end.
output=''
# What could drive a terminal or turn its text around is shown as a question mark.
line() {
  local words=${1//[[:cntrl:]]/?}
  words=${words//$'\302'[$'\200'-$'\237']/?}
  words=${words//$'\342\200'[$'\216'$'\217'$'\250'-$'\256']/?}
  words=${words//$'\342\201'[$'\246'-$'\251']/?}
  output=$output$words$'\n'
}

list() {
  local item out=''
  for item in ${1+"$@"}; do
    quote "$item"
    out=$out${out:+, }$json_text
  done
  json_text="[$out]"
}

# mode, action, outcome, message, detail, paths…
mode_json() {
  local out='' name
  for name in mode action outcome message detail; do
    quote "$1"
    out="$out\"$name\": $json_text, "
    shift
  done
  list ${1+"$@"}
  json_text="{$out\"paths\": $json_text}"
}

print_json() {
  local modes='' sessions file number=0 paths=()
  if [ -n "$chosen_mode" ]; then
    for file in ${chosen_files[@]+"${chosen_files[@]}"}; do
      paths[${#paths[@]}]=$directory/$file
    done
    mode_json "$chosen_mode" "$action" "$outcome" "$said" "$detail" ${paths[@]+"${paths[@]}"}
    modes=$json_text
  fi
  if [ -n "$last_outcome" ]; then
    paths=()
    [ -z "$last_file" ] || paths[0]=$directory/$last_file
    [ -z "$last_root" ] || paths[${#paths[@]}]=$last_root
    [ "$last_kind" = entries ] && action=deactivate || action=clear
    mode_json "$last_record" "$action" "$last_outcome" '' "$last_detail" ${paths[@]+"${paths[@]}"}
    modes=$modes${modes:+, }$json_text
  fi
  quote "$session_id"
  sessions="{\"session_id\": $json_text, \"complete\": $complete, \"modes\": [$modes]}"
  quote "$flavor"
  output="{
  \"flavor\": $json_text,
  \"scope\": \"current\",
  \"urgency\": \"graceful\","
  [ "$dry_run" = 1 ] && json_text=true || json_text=false
  output="$output
  \"dry_run\": $json_text,
  \"complete\": $complete,"
  quote "$closing"
  output="$output
  \"message\": $json_text,
  \"sessions\": [$sessions],
  \"teams\": [],
  \"global_pass\": null,"
  list ${preserved[@]+"${preserved[@]}"}
  output="$output
  \"preserved\": $json_text,"
  list ${warnings[@]+"${warnings[@]}"}
  output="$output
  \"warnings\": $json_text,
  \"places\": "
  list "${looked[@]}"
  output="$output$json_text,
  \"elsewhere\": ["
  set -- ${elsewhere[@]+"${elsewhere[@]}"} ${others[@]+"${others[@]}"}
  while [ "$#" -gt 0 ] && [ "$number" -lt 10 ]; do
    quote "$1"
    [ "$number" = 0 ] || output="$output, "
    output="$output{\"session_id\": $json_text"
    quote "$2"
    output="$output, \"mode\": $json_text}"
    number=$((number + 1))
    shift 2
  done
  output="$output]
}
"
}

print_words() {
  local rest number=0 item
  if [ "$dry_run" = 1 ] && [ "${#steps[@]}" -gt 0 ]; then
    line "$would"
    for item in "${steps[@]}"; do
      number=$((number + 1))
      line "  $number. $item"
    done
  fi
  rest=$said
  while [ -n "$rest" ]; do
    line "${rest%%$'\n'*}"
    case $rest in
      *$'\n'*) rest=${rest#*$'\n'} ;;
      *) rest='' ;;
    esac
  done
  [ "$outcome" != failed ] || line "$chosen_mode$of: failed: $detail"
  [ "$outcome" != absent ] || line "$chosen_mode$of: nothing to do; $detail"
  [ "$last_outcome" != failed ] || line "$last_record$of: failed: $last_detail"
  if [ "$last_outcome" = 'done' ]; then
    # One that other sessions share stays, without this one's part.
    case $last_kind in
      entries) line "$last_record$of: this session's part is taken out" ;;
      *) line "$last_record$of: cleared" ;;
    esac
  fi
  if [ -n "$closing" ]; then
    line "$closing"
  fi
  rest=''
  for item in "${looked[@]}"; do
    rest=$rest${rest:+, }$item
    [ -e "$item" ] || rest="$rest (there is none)"
  done
  line "Looked in: $rest"
  if [ "${#preserved[@]}" -gt 0 ]; then
    line "Preserved:"
    for item in "${preserved[@]}"; do
      line "  $item"
    done
  fi
  if [ "${#warnings[@]}" -gt 0 ]; then
    line "Warnings:"
    for item in "${warnings[@]}"; do
      line "  $item"
    done
  fi
  [ "$complete" = true ] || line "Something remains unresolved; nothing of it was counted as cancelled."
}

if [ "$json" = 1 ]; then
  print_json
else
  print_words
fi
if ! printf '%s' "$output" 2>/dev/null; then
  printf '%s\n' "cancel: the report could not be printed" >&2
  exit 1
fi
[ "$complete" = true ] || exit 1
exit 0
