# Judge one record: whether it is active, whose it is, and at what phase.
# shellcheck shell=bash disable=SC2154,SC2034

judged='' reason='' phase='' chosen=''
# `judged` becomes absent, active, inactive or odd, with the `reason` for odd.
judge() {
  judged=odd reason='' phase=unknown chosen=''
  if [ -L "$1" ]; then
    refuse "$directory/$1 is a symlink; state is not followed out of its root"
  elif [ ! -e "$1" ]; then
    judged=absent
  elif ! [ -f "$1" ] || ! [ -r "$1" ]; then
    reason='is no regular file that can be read'
  elif [ "$have_jq" = 1 ]; then
    judge_by_jq "$1"
  else
    judge_by_text "$1"
  fi
  # Another cancel may have taken it away while it was read.
  if [ "$judged" = odd ] && [ ! -e "$1" ] && [ ! -L "$1" ]; then
    judged=absent reason=''
  fi
}

judge_by_jq() {
  local found
  # jq takes more than JSON: numbers such as 01, a NUL, and bytes that are no text.
  if ! read_text "$1" 1048576; then
    reason='is malformed, or larger than this script judges'
    return 0
  fi
  if [ "${#text}" -le 65536 ] && ! is_object "$text"; then
    reason='is malformed'
    return 0
  fi
  # shellcheck disable=SC2016
  found=$(jq -r -s --argjson owners "$owner_fields" --arg choice "$choice" '
    def flag: if . == true or . == "true" or . == 1 then "active"
      elif . == false or . == "false" or . == 0 or . == null then "inactive" else "odd" end;
    def word: if type == "string" then (explode | map(if . < 32 or . == 127 then 32 else . end) | implode) else "" end;
    if length != 1 or (.[0] | type) != "object" then "odd", "", "", "" else .[0] as $body
      | ($body.active | flag),
        ([$owners[] as $path | (try ($body | getpath($path | split("/"))) catch null) | word | select(. != "")] | .[0] // ""),
        ([$body.current_phase, $body.phase] | map(word | select(. != "")) | .[0] // "unknown"),
        (if $choice == "" then "" else ($body[$choice] | word) end),
        "the end, so that no empty line is lost"
    end' "./$1" 2>/dev/null) || found=odd
  judged=${found%%$'\n'*}
  if [ "$judged" != active ] && [ "$judged" != inactive ]; then
    judged=odd reason='is malformed'
    return 0
  fi
  [ "$judged" = active ] || return 0
  found=${found#*$'\n'}
  if [ -n "${found%%$'\n'*}" ] && [ "${found%%$'\n'*}" != "$session_id" ]; then
    judged=odd reason='belongs to another session'
    return 0
  fi
  found=${found#*$'\n'}
  trim "${found%%$'\n'*}"
  phase=${trimmed:0:200}
  phase=${phase:-unknown}
  found=${found#*$'\n'}
  trim "${found%%$'\n'*}"
  chosen=$trimmed
}

judge_by_text() {
  local name
  reason='cannot be judged without python3 or jq'
  read_text "$1" || return 0
  if ! is_object "$text"; then
    reason='is malformed, or more than can be judged without python3 or jq'
    return 0
  fi
  # A key could be spelled in another way.
  case $text in
    *\\u00[2-7]*) return 0 ;;
  esac
  find_key active
  case $count:$value in
    0:* | 1:false* | 1:null*)
      judged=inactive reason=''
      return 0
      ;;
    1:true*) ;;
    *) return 0 ;;
  esac
  for name in "${owner_names[@]}"; do
    [ "$identity_kind" != none ] || break
    find_key "${name##*/}"
    [ "$count" -le 1 ] || return 0
    [ "$count" = 1 ] || continue
    case $value in
      "\"$session_id\""* | null* | '""'*) ;;
      *)
        reason='names another session'
        return 0
        ;;
    esac
  done
  find_key linked_team
  [ "$count" = 0 ] || return 0
  judged=active reason=''
  string_of phase
  phase=${string:-unknown}
  string_of current_phase
  phase=${string:-$phase}
  if [ -n "$choice" ]; then
    string_of "$choice"
    chosen=$string
  fi
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
