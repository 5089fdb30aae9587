# Find out which mode is active, and whether it may be cancelled here.
# shellcheck shell=bash disable=SC2154,SC2034

# Look at a mode's records: `state_of` is absent, inactive, active or odd; `files` are those to work on.
look() {
  local record worst=0
  mode_facts "$1" || return 1
  state_of=absent files=() mode_phase=unknown mode_choice=''
  for record in "${records[@]}"; do
    file_of "$record"
    judge "$file"
    case $judged in
      absent) ;;
      inactive)
        [ -z "$retired" ] || [ "$have_jq" = 0 ] || files[${#files[@]}]=$file
        [ "$worst" -ge 1 ] || worst=1 state_of=inactive
        ;;
      active)
        files[${#files[@]}]=$file
        [ "$worst" -ge 2 ] || worst=2 state_of=active mode_phase=$phase mode_choice=$chosen
        ;;
      *) worst=3 state_of=odd odd_file=$file odd_reason=$reason ;;
    esac
  done
  # A retired record goes whatever it says.
  [ "${#files[@]}" = 0 ] || [ "$state_of" = odd ] || state_of=active
}

state_of='' files=() mode_phase='' mode_choice='' odd_file='' odd_reason=''
chosen_mode='' chosen_files=() chosen_phase='' chosen_choice='' active_modes=() warnings=()

# A team that its manifest gives to this session counts even without a record.
if [ -n "$team_directory" ]; then
  file=$state/${team_directory%%'{team}'*}
  [ ! -e "$file" ] || { [ -x "$file" ] && [ -r "$file" ]; } || refuse "$file cannot be looked into, and $why no worker is stopped"
  set +f
  for file in "$file"*/"$team_manifest"; do
    set -f
    [ -e "$file" ] || continue
    read_text "$file" || refuse "$file cannot be judged, and $why no worker is stopped"
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
    chosen_mode=$key chosen_files=("${files[@]}") chosen_phase=$mode_phase chosen_choice=$mode_choice
  done
fi
if [ "$modes_given" = 0 ] && [ "$((${#active_modes[@]} - shared))" -gt 1 ]; then
  refuse "$why only one mode is cancelled at a time; active are ${active_modes[*]}, so name one with --mode"
fi

permit() {
  local other key
  mode_facts "$chosen_mode"
  [ -z "$never" ] || refuse "$why $chosen_mode stays as it is: it $never"
  case $action in
    clear) ;;
    deactivate | terminalize)
      [ "$have_jq" = 1 ] || refuse "$why $chosen_mode stays as it is: its record is changed in place, for which jq is needed"
      ;;
    *) refuse "$why $chosen_mode stays as it is" ;;
  esac
  for other in ${related[@]+"${related[@]}"}; do
    for key in "${active_modes[@]}"; do
      [ "$other" != "$key" ] || refuse "$why $chosen_mode stays as it is: $other is active too and may be linked to it"
    done
  done
  for file in "${chosen_files[@]}"; do
    ! beside "./$file" || refuse "$directory/$file has a lock or journal beside it; $chosen_mode stays as it is"
    [ "$action" != clear ] || continue
    # jq would round what a double cannot hold.
    [ "$(jq '[.. | numbers | select(. >= 9007199254740992 or . <= -9007199254740992)] | length' "./$file" 2>/dev/null)" = 0 ] ||
      refuse "$directory/$file holds a number that jq would change"
  done
}
[ -z "$chosen_mode" ] || permit
