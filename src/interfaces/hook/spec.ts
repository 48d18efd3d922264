/** The commands that the plugin calls: `aot hook` and `aot session` (SPEC section 10). */
import type { CommandSpec, FlagSpec } from "../../command/spec.ts";

const SESSION_FLAG: FlagSpec = {
  name: "session",
  value: "ID",
  summary: "The client's session.",
  env: "CLAUDE_CODE_SESSION_ID",
  fallback: "the session that this runs in",
};

const HOOK: CommandSpec = {
  name: "hook",
  summary: "Answer an event of an agent client: JSON on stdin, JSON on stdout.",
  description: [
    "Events of the loop: SessionStart, SubagentStart, SubagentStop, Stop, StopFailure, SessionEnd, PreToolUse, PostToolUse, UserPromptSubmit, PermissionRequest; only the session that works the loop is touched. Of guard rules: PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure, UserPromptSubmit, Stop, SessionStart. It exits with 0 whatever happens, so that a broken loop never stops a session.",
  ],
  args: [{ name: "event", summary: "Name of the event, where the input does not say it.", optional: true }],
  examples: [{ command: "aot hook SubagentStop < event.json", note: "as a client's hooks call it" }],
  effect: "changes",
  load: () => import("./run-hook.ts"),
};

const SESSION: CommandSpec = {
  name: "session",
  summary: "Work the loop in a client's session instead of `aot run`: what the plugin's commands and agents call.",
  commands: [
    {
      name: "enter",
      summary: "Take the loop up in this session: opens the next iteration and says what to work.",
      description: ["A halted loop is resumed. Refused while `aot run` or another session works it."],
      flags: [
        {
          name: "as",
          value: "WHO",
          choices: ["agent", "main"],
          summary: "Who coordinates: a sub-agent, or the session's main thread.",
          fallback: "agent",
        },
        {
          name: "take-over",
          summary: "Even from a session that is still working; what its agents are doing is discarded.",
          // A person's decision.
          unattended: "absent",
        },
        SESSION_FLAG,
      ],
      exits: [
        [1, "refused: a run, another session, or agents of this one in the background work it"],
        [3, "gate not ready: align first"],
        [10, "it halted at once; 10 to 19 as for `aot run`"],
      ],
      examples: [{ command: "aot session enter", note: "in Claude Code: what /aot-loop:run does" }],
      effect: "changes",
      programs: "aligned",
      load: async () => ({ run: (await import("./session-commands.ts")).enter }),
    },
    {
      name: "work",
      summary: "Say what this iteration has handed out and nobody has started.",
      flags: [SESSION_FLAG],
      examples: [{ command: "aot session work", note: "what is left to start" }],
      effect: "reads",
      load: async () => ({ run: (await import("./session-commands.ts")).work }),
    },
    {
      name: "judge",
      summary: "Keep a judge's words for the verification at the end of the iteration.",
      flags: [
        { name: "scores", value: "FILE", required: true, summary: "As for `aot verify --scores`; - is stdin." },
        SESSION_FLAG,
      ],
      exits: [[1, "refused: they do not fit the base case"]],
      examples: [{ command: "aot session judge --scores - < scores.json", note: "what the verifier does" }],
      effect: "changes",
      load: async () => ({ run: (await import("./session-commands.ts")).judge }),
    },
    {
      name: "interrupt",
      summary: "Begin a redirect: the session's agents are to end, what they found is discarded.",
      flags: [SESSION_FLAG],
      exits: [[1, "refused: this session works no loop"]],
      examples: [{ command: "aot session interrupt", note: "before `aot redirect`" }],
      effect: "discards",
      load: async () => ({ run: (await import("./session-commands.ts")).interrupt }),
    },
  ],
};

export const SESSION_COMMANDS: readonly CommandSpec[] = [HOOK, SESSION];
