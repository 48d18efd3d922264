/** Rows of `aot completion`. */
import type { CommandSpec } from "../../../command/spec.ts";
import type { Shell } from "./scripts.ts";

const SETUP: Readonly<Record<Shell, string>> = {
  bash: 'Once: `aot completion bash > ~/.local/share/bash-completion/completions/aot`, or in ~/.bashrc: `eval "$(aot completion bash)"`.',
  zsh: 'In ~/.zshrc, behind `compinit`: `eval "$(aot completion zsh)"`; or as a file `_aot` in a folder of $fpath.',
  fish: "Once: `aot completion fish > ~/.config/fish/completions/aot.fish`.",
  powershell: "In $PROFILE: `aot completion powershell | Out-String | Invoke-Expression`.",
};

const NAMES: Readonly<Record<Shell, string>> = { bash: "bash", zsh: "zsh", fish: "fish", powershell: "PowerShell" };

function shellRow(shell: Shell): CommandSpec {
  return {
    name: shell,
    summary: `Print the completion of ${NAMES[shell]}.`,
    description: [SETUP[shell]],
    examples: [{ command: `aot completion ${shell}`, note: "what the shell has to read" }],
    effect: "reads",
    load: async () => (await import("./run-script.ts")).scriptOf(shell),
  };
}

/** @param root the whole command table, made only when it is needed */
export function completionCommand(root: () => CommandSpec): CommandSpec {
  return {
    name: "completion",
    summary: "Complete commands, flags, values and atoms in your shell.",
    commands: [
      shellRow("bash"),
      shellRow("zsh"),
      shellRow("fish"),
      shellRow("powershell"),
      {
        name: "complete",
        summary: "List completions for a command line; shells call this.",
        description: [
          "One word a line, a tab and what it means behind it. `:files` alone: any path. The last word given is the one that is completed; it may be empty.",
        ],
        args: [{ name: "words", summary: "The command line behind `aot`, after `--`.", optional: true, rest: true }],
        examples: [
          { command: "aot completion complete -- atom upd", note: "what a shell asks at `aot atom upd<TAB>`" },
        ],
        effect: "reads",
        load: async () => (await import("./run-complete.ts")).completeIn(root),
      },
    ],
  };
}
