# SPDX-License-Identifier: BSD-3-Clause
# Completion of parhelion for bash. It asks the program itself, so that it is always up to date.

_parhelion() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local help inner word i
  COMPREPLY=()
  help=$("$program" --help 2> /dev/null) || return
  inner=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p' <<< "$help")
  local path=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [ "$i" -eq 1 ] && [ "$word" = help ]; then continue; fi
    if [ -z "$inner" ] || ! grep -qxF -e "$word" <<< "$inner"; then break; fi
    path+=("$word")
    help=$("$program" "${path[@]}" --help 2> /dev/null) || return
    inner=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p' <<< "$help")
  done
  [ "${#path[@]}" -gt 0 ] || inner+=$'\nhelp'

  if [ "$current" = = ]; then current=; elif [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
  case $current in
    -*) word=$(sed -n 's/^  \(-[a-zA-Z],\)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' <<< "$help") ;;
    *)
      # The values in braces, as in --real TEXT:{float,double}; otherwise a subcommand, or a file where there is none.
      word=
      case $previous in
        --*) word=$(sed -n "s/^  \(-[a-zA-Z],\)\{0,1\}$previous [^ ]*{\([^}]*\)}.*/\2/p" <<< "$help" | tr , '\n') ;;
        *) word=$inner ;;
      esac
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$word" -- "$current")
}
complete -o default -F _parhelion parhelion
