/** Flags of `aot run` for long runs that nobody watches. */
import type { FlagSpec } from "../../command/spec.ts";

export const UNATTENDED_FLAGS: readonly FlagSpec[] = [
  {
    name: "max-tokens",
    type: "integer",
    value: "N",
    min: 1,
    summary: "Tokens at most, read and written, of all runs of the loop, as far as agents report them.",
  },
  {
    name: "max-call-tokens",
    type: "integer",
    value: "N",
    min: 1,
    summary: "Tokens of one attempt at most: once its agent reports more, it is not called again.",
  },
  {
    name: "max-wait",
    value: "TIME",
    summary: "How long a rate limit is waited for, per attempt.",
    fallback: "1h",
  },
  {
    name: "breaker",
    type: "integer",
    value: "N",
    min: 0,
    summary: "Stop as agent_unavailable after N attempts in a row whose agent ended without an answer; 0: never.",
    fallback: "5",
  },
  {
    name: "min-free-mb",
    type: "integer",
    value: "MB",
    min: 0,
    summary: "Free space on the disk below which no attempt is started and the loop stops.",
    fallback: "1 % of the disk, at most 256; of a disk below 1 GB nothing",
  },
  {
    name: "max-log-mb",
    type: "integer",
    value: "MB",
    min: 0,
    summary:
      "All logs of agents together: when an attempt starts, the oldest beyond this are removed. The journal stays.",
    fallback: "256",
  },
  {
    name: "notify",
    value: "COMMAND",
    summary:
      "Command to call when the run halts, needs a human, has no agent, or waits long: the event as JSON on stdin, and AOT_EVENT, AOT_MESSAGE, AOT_OUTCOME in its environment.",
    unattended: "absent",
  },
  {
    name: "notify-wait",
    value: "TIME",
    summary: "Notify only about rate limits at least this long.",
    fallback: "10m",
    unattended: "absent",
  },
  {
    name: "report",
    value: "FILE",
    repeatable: true,
    summary: "Write what the run came to, however it ends: NAME.json (as --json) or NAME.html (as `aot report`).",
  },
  {
    name: "detach",
    summary: "Start the run in a session of its own and leave it alone; `aot attach` follows it.",
    unattended: "absent",
  },
];
