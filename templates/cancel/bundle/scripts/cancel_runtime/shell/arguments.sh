# Read the arguments and the session's identity; everything that only python3 can do is refused here.
# shellcheck shell=bash disable=SC2154,SC2034

# From here on there is no python3. Characters are bytes, so that no locale widens a pattern.
LC_ALL=C
export LC_ALL
umask 077
shopt -s extglob

session_id='' workspace='' wanted='' modes_given=0 several=0 session_given=0 workspace_given=0
force=0 every=0 confirmed=0 dry_run=0 json=0 help=0

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
  esac
}

[ "${1-}" != status ] || refuse "$why there is no status"
while [ "$#" -gt 0 ]; do
  word=$1
  shift
  case $word in
    --session-id | --workspace | --mode)
      case $#:${1-} in
        0:* | *:--*) refuse "$word needs a value" ;;
      esac
      take "$word" "$1"
      shift
      ;;
    --session-id=* | --workspace=* | --mode=*) take "${word%%=*}" "${word#*=}" ;;
    --force) force=1 ;;
    --all) every=1 ;;
    --team-confirmed) confirmed=1 ;;
    --dry-run) dry_run=1 ;;
    --json) json=1 ;;
    --help) help=1 ;;
    --force=* | --all=* | --team-confirmed=* | --dry-run=* | --json=* | --help=*) refuse "${word%%=*} takes no value" ;;
    *) shown "$word" && refuse "unknown argument $quoted; see --help" ;;
  esac
done
if [ "$confirmed" = 1 ]; then
  case $team_kind in
    native | message) refuse "$why no team is cleared" ;;
    *) refuse "--team-confirmed is for teams that the agent stops; here the script stops them itself" ;;
  esac
fi
if [ "$help" = 1 ]; then
  one='[--session-id ID] '
  [ "$identity_kind" != none ] || one=''
  printf '%s\n' "usage: cancel.sh ${one}[--mode MODE] [--workspace DIR] [--dry-run] [--json]" \
    "Without python3 only this; cancel.py --help tells the rest. Modes: ${mode_keys[*]}"
  exit 0
fi
[ "$force" = 0 ] && [ "$every" = 0 ] || refuse "$why --force and --all are not carried out"
[ "$several" = 0 ] || refuse "$why only one --mode is carried out at a time"
for needed in date mv rm cp; do
  command -v "$needed" >/dev/null 2>&1 || refuse "$why this script needs $needed, which is not on PATH"
done
have_jq=0
if command -v jq >/dev/null 2>&1 && [ "$(jq -c . <<<'{"a":1}' 2>/dev/null)" = '{"a":1}' ]; then
  have_jq=1
fi

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
