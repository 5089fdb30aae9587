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
if [ "$#" = 1 ] && [ "$1" = --help ]; then
  printf '%s\n' "usage: cancel.sh, with the arguments of cancel.py --help" "But $why nothing is done: state is "'rows of a database'"."
  exit 0
fi
refuse "$why the state, which is "'rows of a database'", is left alone"
