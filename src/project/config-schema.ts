/**
 * Every setting of a project or a person: the one declaration that reading, environment variables, the published JSON
 * Schema, the page and `aot doctor` are read from.
 */
import { MOST_TRUST, TRUST } from "../core/luck.ts";
import {
  AT_LEAST_ONE,
  BOOL,
  COUNT,
  FILLED,
  LASTING,
  record,
  type BoolType,
  type ListType,
  type NumberType,
  type Type,
} from "../statefile/field-types.ts";

interface Setting {
  readonly type: Type;
  /** One sentence for the page and for editors. */
  readonly doc: string;
  /** What holds when nobody set it, in words. */
  readonly fallback: string;
  /** The flag of `aot run` that wins over it. */
  readonly flag?: string;
  /** The flag says the opposite. */
  readonly inverse?: true;
}

const NO_MORE = "Only narrows what the goal allows.";
const DOLLARS = { kind: "number", min: 0 } as const;

const ROWS = {
  agent: {
    type: FILLED,
    doc: "The agent that works, as for `--agent`.",
    fallback: "the first that is installed",
    flag: "agent",
  },
  worker: { type: FILLED, doc: "Another agent (or model) for the work.", fallback: "the agent", flag: "worker" },
  probe: { type: FILLED, doc: "Another agent for probes.", fallback: "the agent", flag: "probe" },
  planner: {
    type: FILLED,
    doc: "Another agent that plans what is still to do; `none`: each failing check becomes an atom.",
    fallback: "the agent",
    flag: "planner",
  },
  judge: {
    type: FILLED,
    doc: "Who decides what needs a judge, as for `--judge`; `none`: nobody.",
    fallback: "the agent",
    flag: "judge",
  },
  escalate: {
    type: FILLED,
    doc: "Stronger agents for the work, with commas: after an atom's first failure, its second and so on.",
    fallback: "the worker",
    flag: "escalate",
  },
  parallel: { type: AT_LEAST_ONE, doc: `Attempts at a time. ${NO_MORE}`, fallback: "the goal's", flag: "parallel" },
  max_iterations: {
    type: AT_LEAST_ONE,
    doc: `Iterations at most. ${NO_MORE}`,
    fallback: "the goal's",
    flag: "max-iterations",
  },
  max_cost_usd: { type: DOLLARS, doc: `Cost at most. ${NO_MORE}`, fallback: "the goal's", flag: "max-cost-usd" },
  max_duration: {
    type: LASTING,
    doc: `Working time at most. ${NO_MORE}`,
    fallback: "the goal's",
    flag: "max-duration",
  },
  max_tokens: {
    type: AT_LEAST_ONE,
    doc: `Tokens at most, read and written together. ${NO_MORE}`,
    fallback: "the goal's",
    flag: "max-tokens",
  },
  attempt_timeout: { type: LASTING, doc: "Time limit of one agent call.", fallback: "30m", flag: "attempt-timeout" },
  idle_timeout: {
    type: LASTING,
    doc: "Time limit without any output of an agent.",
    fallback: "none",
    flag: "idle-timeout",
  },
  max_call_usd: { type: DOLLARS, doc: "Cost of one call at most.", fallback: "none", flag: "max-call-usd" },
  max_call_tokens: {
    type: AT_LEAST_ONE,
    doc: "Tokens of one attempt at most.",
    fallback: "none",
    flag: "max-call-tokens",
  },
  max_wait: {
    type: LASTING,
    doc: "How long a rate limit is waited for, per attempt.",
    fallback: "1h",
    flag: "max-wait",
  },
  breaker: {
    type: COUNT,
    doc: "Stop after so many attempts in a row whose agent ended without an answer; 0: never.",
    fallback: "5",
    flag: "breaker",
  },
  notify: {
    type: FILLED,
    doc: "Command to call when the run halts, needs a human, has no agent, or waits long.",
    fallback: "none",
    flag: "notify",
  },
  notify_wait: {
    type: LASTING,
    doc: "Notify only about rate limits at least this long.",
    fallback: "10m",
    flag: "notify-wait",
  },
  min_free_mb: {
    type: COUNT,
    doc: "Free space on the disk below which no attempt is started and the loop stops.",
    fallback: "1 % of the disk, at most 256",
    flag: "min-free-mb",
  },
  max_log_mb: {
    type: COUNT,
    doc: "All logs of agents together; the oldest beyond this are removed.",
    fallback: "256",
    flag: "max-log-mb",
  },
  verify_each: {
    type: BOOL,
    doc: "Check the base case after every iteration.",
    fallback: "false",
    flag: "verify-each",
  },
  trust: {
    type: { kind: "number", min: 0, max: MOST_TRUST },
    doc: "Accepted chance of a verdict by luck, over all verdicts of a loop; 0 runs each check once.",
    fallback: `what the goal was aligned with, else ${TRUST}`,
    flag: "trust",
  },
  merge: {
    type: BOOL,
    doc: "Fast-forward your branch to a verified result.",
    fallback: "true",
    flag: "no-merge",
    inverse: true,
  },
  squash: {
    type: BOOL,
    doc: "Hand over one commit of all work; else one for each atom.",
    fallback: "false",
    flag: "squash",
  },
  signoff: {
    type: BOOL,
    doc: "Sign off each commit that is handed over (`Signed-off-by`).",
    fallback: "false",
    flag: "signoff",
  },
  hooks: {
    type: BOOL,
    doc: "Run the hooks `pre-commit` and `commit-msg` of your repository once before the work is handed over.",
    fallback: "true",
    flag: "no-hooks",
    inverse: true,
  },
  commit_subject: {
    type: FILLED,
    doc: "Subject of each commit that is handed over, with `{atom}` and `{what}`: `feat: {what}`.",
    fallback: "`{atom}: {what}`; of a squashed one the goal",
  },
  in_place: {
    type: BOOL,
    doc: "Work in the folder itself, one attempt at a time.",
    fallback: "false",
    flag: "in-place",
  },
  setup: {
    type: { kind: "list", of: FILLED },
    doc: "Commands that make a fresh worktree usable, run in this order in each: `npm ci`.",
    fallback: "of the lock file",
  },
  setup_timeout: { type: LASTING, doc: "Time limit of each set-up command.", fallback: "10m" },
  port_base: {
    type: { kind: "int", min: 1024, max: 65_000 },
    doc: "`AOT_PORT` of the first worktree; each further one has it ten higher.",
    fallback: "4100",
  },
  gate_checks: {
    type: { kind: "list", of: FILLED },
    doc: "Further checks of the gates of phase loops, `GATE: command` each, beside those of `aot phases run --check`.",
    fallback: "none",
  },
  sandbox: {
    type: { kind: "text", pattern: /^(?:auto|require|off)$/, format: "auto, require or off" },
    doc: "Confine attempts, checks and set-up: `auto` where this machine can, `require` or not at all, `off`: they have all your rights ([sandbox.md](sandbox.md)).",
    fallback: "auto",
    flag: "sandbox",
  },
  max_memory: {
    type: { kind: "text", pattern: /^\d+(?:M|G)$/, format: "a number with M or G" },
    doc: "Memory of each confined process at most: `512M`, `4G`.",
    fallback: "none",
    flag: "max-memory",
  },
  allow_write: {
    type: { kind: "list", of: FILLED },
    doc: "Further paths that confined programs may write and read: `~/.config/tool`.",
    fallback: "none",
  },
  allow_domains: {
    type: { kind: "list", of: FILLED },
    doc: "Further hosts that confined agents and set-up commands may reach: `example.com`, `*.example.com`, `localhost:8080`.",
    fallback: "none",
  },
  allow_env: {
    type: { kind: "list", of: FILLED },
    doc: "Further variables that confined programs get, by name.",
    fallback: "none",
  },
  hide: {
    type: { kind: "list", of: FILLED },
    doc: "Further paths that no confined program may read, beside the list of secrets.",
    fallback: "none",
  },
  sandbox_image: {
    type: FILLED,
    doc: "Image to confine by podman or docker where Linux namespaces are refused.",
    fallback: "none",
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof ROWS;
type ValueOf<T extends Type> = T extends ListType
  ? readonly string[]
  : T extends NumberType
    ? number
    : T extends BoolType
      ? boolean
      : string;
/** What settings hold; absent: nobody set it, and what holds then is the command's own affair. */
export type Settings = { readonly [N in SettingName]?: ValueOf<(typeof ROWS)[N]["type"]> };

export const SETTINGS: Readonly<Record<SettingName, Setting>> = ROWS;

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** The environment variable that wins over the files. */
export function variableOf(name: SettingName): string {
  return `AOT_${name.toUpperCase()}`;
}

/** What a configuration file holds, as a type of the state file's schema. */
export const CONFIG = record(
  Object.fromEntries(SETTING_NAMES.map((name) => [name, { type: SETTINGS[name].type, doc: docOf(name) }])),
);

function docOf(name: SettingName): string {
  const { doc, fallback } = SETTINGS[name];
  return `${doc} Default: ${fallback}.`;
}
