export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** Returns a script with which a shell asks `holdfast complete` for the possible next words. */
export function completionScript(shell: Shell): string {
  return scripts[shell];
}

// `holdfast complete` prints one suggestion per line: a word, a tab and its description. If the first line is `:files`
// or `:directories`, the shell suggests paths instead.

const bash = `_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" line lines
  COMPREPLY=()
  [ "$current" = "=" ] && current=""
  mapfile -t lines < <(holdfast complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case "\${lines[0]-}" in
    :files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    :directories) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
  esac
  for line in "\${lines[@]}"; do COMPREPLY+=("\${line%%$'\\t'*}"); done
}
complete -F _holdfast holdfast`;

const zsh = `#compdef holdfast
_holdfast() {
  local -a lines found
  local line
  lines=("\${(@f)$(holdfast complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case "\${lines[1]}" in
    :files) _files; return ;;
    :directories) _files -/; return ;;
  esac
  for line in $lines; do found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}"); done
  _describe holdfast found
}
if [ "$funcstack[1]" = _holdfast ]; then _holdfast; else compdef _holdfast holdfast; fi`;

const fish = `function __holdfast_complete
  set -l lines (holdfast complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  switch "$lines[1]"
    case :files
      __fish_complete_path (commandline -ct)
    case :directories
      __fish_complete_directories (commandline -ct)
    case '*'
      printf '%s\\n' $lines
  end
end
complete -c holdfast -f -a '(__holdfast_complete)'`;

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
