# Say what was done, in words or as the JSON object of cancel.py, and end with the exit code.
# shellcheck shell=bash disable=SC2154,SC2034

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
}
if [ "$outcome" = 'done' ] && [ -n "$message" ]; then
  word_message
fi
closing=''
if [ "${#active_modes[@]}" = 0 ] && [ "$complete" = true ]; then
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
  local modes='' sessions file paths=()
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
  \"warnings\": $json_text
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
  [ "$last_outcome" != 'done' ] || line "$last_record$of: cleared"
  if [ -n "$closing" ]; then
    line "$closing"
    [ -z "$none_hint" ] || line "$none_hint"
  fi
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
