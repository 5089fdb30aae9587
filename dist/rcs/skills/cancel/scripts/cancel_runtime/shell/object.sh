# Read a file's text, tell whether it is one JSON object, and find a key in it, with nothing but the shell.
# shellcheck shell=bash

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

count=0 value=''
# Count a key in `text` at any depth and put what stands behind its last colon into `value`.
find_key() {
  local rest=$text head
  count=0 value=''
  while :; do
    head=${rest%%\""$1"\"*}
    [ "${#head}" -lt "${#rest}" ] || break
    rest=${rest:${#head}+${#1}+2}
    head=${rest#"${rest%%[!$' \t\n\r']*}"}
    case $head in
      :*)
        count=$((count + 1)) value=${head#:}
        value=${value#"${value%%[!$' \t\n\r']*}"}
        ;;
    esac
  done
}

# Put the value of a key that occurs once as a plain string into `string`, else nothing.
string_of() {
  string=''
  find_key "$1"
  [ "$count" = 1 ] || return 0
  case $value in
    '"'*'"'*) string=${value#\"} string=${string%%\"*} ;;
  esac
  case $string in
    *\\*) string='' ;;
  esac
}
