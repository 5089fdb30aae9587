# Find the session's directory and go there; no link is followed out of the state root.
# shellcheck shell=bash disable=SC2154,SC2034

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

toplevel=''
find_toplevel() {
  local at=$start
  if command -v git >/dev/null 2>&1; then
    toplevel=$(git rev-parse --show-toplevel 2>/dev/null) || toplevel=''
    return
  fi
  while :; do
    [ ! -e "${at%/}/.git" ] || refuse "${at%/}/.git exists, but git, which says where the state is, is not on PATH"
    [ "$at" != / ] || return 0
    at=${at%/*}
    at=${at:-/}
  done
}

find_layered() {
  local at count above
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
      above=$(git -C "$anchor" rev-parse --show-superproject-working-tree 2>/dev/null) || above=''
      [ -n "$above" ] || return 0
      anchor=$above
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
