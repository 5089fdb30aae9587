# Look at the record that goes last, which is only touched where no mode was asked for.
# shellcheck shell=bash disable=SC2154,SC2034

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
  fi
}

# The record that all sessions share: only jq can take one session's part out of it.
look_at_shared() {
  [ -f "$1" ] && [ ! -L "$1" ] || return 0
  if ! read_text "$1"; then
    last_root=$1 root_why='is more than this script can judge'
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
  # shellcheck disable=SC2016
  case $last_kind in
    ledger)
      changed=$(jq --arg session "$session_id" --arg field "$last_field" --arg skills "$last_part" \
        --arg support "$last_support" '
        def mine: type == "object" and .[$field] == $session;
        (if (.[$skills] | type) == "object" then .[$skills] |= with_entries(select(.value | mine | not)) else . end)
        | if (.[$support] | mine) then .[$support] = null else . end' "$1" 2>/dev/null) || return 1
      ;;
    *)
      changed=$(jq --arg session "$session_id" --arg field "$last_field" --arg entries "$last_part" --arg own "$2" '
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
