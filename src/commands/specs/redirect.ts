/** `aot redirect` and `aot stop`: what reaches a running loop (SPEC section 8). */
import { REDIRECT_KINDS, REDIRECTS } from "../../core/redirect.ts";
import type { CommandSpec, FlagSpec } from "../spec.ts";
import { flagsOfRedirect, REASON } from "./flags.ts";

/** A loop of an engine, wherever its project is; a program redirects that of its own project. */
const ELSEWHERE: readonly FlagSpec[] = [
  {
    name: "loop",
    type: "text",
    value: "LOOP",
    summary: "A loop of an engine, by its name there (aot loops).",
    fallback: "the loop of this project",
    unattended: "absent",
  },
  {
    name: "engine",
    type: "text",
    value: "URL",
    env: "AOT_ENGINE",
    summary: "The engine of --loop.",
    fallback: "the one that works the loop of this project",
    unattended: "absent",
  },
];

export const REDIRECT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "redirect",
    summary: "Change the course of a loop, running or stopped; recorded in its corrections.",
    description: [
      "A running loop kills its agents, discards what they had not finished, applies the change and goes on. A stopped one is changed in its file; the next run goes on from there.",
    ],
    commands: REDIRECT_KINDS.map((kind): CommandSpec => ({
      name: kind,
      summary: REDIRECTS[kind].summary,
      args: REDIRECTS[kind].fields.flatMap(({ name, flag, summary, choices }) =>
        flag === undefined ? [{ name, summary, ...(choices === undefined ? {} : { choices }) }] : [],
      ),
      flags: [...flagsOfRedirect(kind), REASON, ...ELSEWHERE],
      examples: REDIRECTS[kind].examples,
      effect: "discards",
      load: async () => ({ run: (await import("../run/redirect.ts")).redirectBy(kind) }),
    })),
  },
  {
    name: "stop",
    summary: "Ask the loop to stop: attempts in flight are finished, the state is kept.",
    args: [{ name: "reason", summary: "Why.", optional: true }],
    examples: [{ command: 'aot stop "need the machine"', note: "stop, and say why" }],
    effect: "changes",
    settles: true,
    load: () => import("../run/stop.ts"),
  },
];
