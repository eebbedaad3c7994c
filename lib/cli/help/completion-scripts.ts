export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The word after `kerf` with which the scripts ask for proposals. */
export const COMPLETE = '__complete';

/** Each script calls `kerf __complete WORD…`, which prints a proposal and its description on each line. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_kerf() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(kerf ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _kerf kerf
`,
  zsh: `#compdef kerf
_kerf() {
  local -a proposals
  proposals=("\${(@f)$(kerf ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  proposals=("\${(@)proposals//:/\\\\:}")
  proposals=("\${(@)proposals/$'\\t'/:}")
  if [[ -n "\${proposals[1]}" ]]; then
    _describe kerf proposals
  else
    _files
  fi
}
compdef _kerf kerf
`,
  fish: `function __kerf_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (kerf ${COMPLETE} $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c kerf -f -a '(__kerf_complete)'
`,
};
