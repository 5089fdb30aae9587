# Do what was decided, each change by a rename or an unlink, and look again after it.
# shellcheck shell=bash disable=SC2154,SC2034

steps=() outcome='' detail='' last_outcome='' last_detail='' json_text=''
[ "$adopt_owned" = 0 ] || warnings[${#warnings[@]}]="records of this session in other directories were not looked for, since that needs python3"

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
  # shellcheck disable=SC2016
  case $action in
    deactivate) filter='.active = false' ;;
    *)
      filter='.active = false | .current_phase = "cancelled" | .completed_at = $now'
      stamp=$(now) || return 1
      ;;
  esac
  changed=$(jq --arg now "$stamp" "$filter" "./$1" 2>/dev/null) && [ -n "$changed" ] || return 1
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
