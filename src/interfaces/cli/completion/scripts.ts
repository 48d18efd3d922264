/**
 * The scripts by which a shell asks `aot` for completions. They hold nothing of the command table, so that they fit every
 * version.
 */

const BASH = `# aot: completion for bash
_aot_complete() {
  local line out
  out=$("\${COMP_WORDS[0]}" completion complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return 0
  COMPREPLY=()
  if [ "$out" = ":files" ]; then
    compopt -o default
    return 0
  fi
  while IFS= read -r line; do
    [ -n "$line" ] && COMPREPLY+=("\${line%%$'\\t'*}")
  done <<< "$out"
}
complete -F _aot_complete aot
`;

const ZSH = `#compdef aot
# aot: completion for zsh
_aot() {
  local out line
  local -a found
  out=$("\${words[1]}" completion complete -- "\${(@)words[2,$CURRENT]}" 2>/dev/null) || return 1
  if [[ "$out" == ":files" ]]; then
    _files
    return
  fi
  for line in "\${(@f)out}"; do
    [[ -n "$line" ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -V 'aot' found
}
if [[ "\${funcstack[1]}" == "_aot" ]]; then
  _aot "$@"
else
  compdef _aot aot
fi
`;

const FISH = `# aot: completion for fish
function __aot_complete
    set -l before (commandline -opc)
    set -l out ($before[1] completion complete -- $before[2..-1] (commandline -ct) 2>/dev/null)
    if test "$out" = ":files"
        __fish_complete_path (commandline -ct)
    else
        string join \\n -- $out
    end
end
complete -c aot -f -a '(__aot_complete)'
`;

const POWERSHELL = `# aot: completion for PowerShell
Register-ArgumentCompleter -Native -CommandName aot -ScriptBlock {
    param($word, $ast, $cursor)
    $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursor } | ForEach-Object { $_.ToString() })
    $before = @($words | Select-Object -Skip 1)
    if ($word -eq '') { $before += '""' }
    $out = @(& $words[0] completion complete -- @before 2>$null)
    if ($out.Count -eq 1 -and $out[0] -eq ':files') { return }
    foreach ($line in $out) {
        $value, $summary = $line -split "\`t", 2
        if (-not $summary) { $summary = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $summary)
    }
}
`;

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };
