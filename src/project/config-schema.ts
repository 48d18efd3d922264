/**
 * Every setting of a project or a person: the one declaration that reading, environment variables, the published JSON
 * Schema, the page and `aot doctor` are read from.
 */
import { TRUST } from "../core/luck.ts";
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

interface Setting<T extends Type = Type> {
  readonly type: T;
  /** One sentence for the page and for editors. */
  readonly doc: string;
  /** What holds when nobody set it, in words. */
  readonly fallback: string;
}

function setting<T extends Type>(type: T, doc: string, fallback: string): Setting<T> {
  return { type, doc, fallback };
}

const NO_MORE = "Only narrows what the goal allows.";
const DOLLARS = { kind: "number", min: 0 } as const;
const LIST = { kind: "list", of: FILLED } as const;

const ROWS = {
  agent: setting(FILLED, "The agent that works, as for `--agent`.", "the first that is installed"),
  worker: setting(FILLED, "Another agent (or model) for the work.", "the agent"),
  probe: setting(FILLED, "Another agent for probes.", "the agent"),
  planner: setting(
    FILLED,
    "Another agent that plans what is still to do; `none`: each failing check becomes an atom.",
    "the agent",
  ),
  judge: setting(FILLED, "Who decides what needs a judge, as for `--judge`; `none`: nobody.", "the agent"),
  escalate: setting(
    FILLED,
    "Stronger agents for the work, with commas: after an atom's first failure, its second and so on.",
    "the worker",
  ),
  replay_speed: setting(
    { kind: "number", min: 0 },
    "Play a recording back so many times as fast as it was made; 0: without pauses.",
    "0",
  ),
  parallel: setting(AT_LEAST_ONE, `Attempts at a time. ${NO_MORE}`, "the goal's"),
  max_iterations: setting(AT_LEAST_ONE, `Iterations at most. ${NO_MORE}`, "the goal's"),
  max_cost_usd: setting(DOLLARS, `Cost at most. ${NO_MORE}`, "the goal's"),
  max_duration: setting(LASTING, `Working time at most. ${NO_MORE}`, "the goal's"),
  max_tokens: setting(AT_LEAST_ONE, `Tokens at most, read and written together. ${NO_MORE}`, "the goal's"),
  attempt_timeout: setting(LASTING, "Time limit of one agent call.", "30m"),
  idle_timeout: setting(LASTING, "Time limit without any output of an agent.", "none"),
  max_call_usd: setting(DOLLARS, "Cost of one call at most.", "none"),
  max_call_tokens: setting(AT_LEAST_ONE, "Tokens of one attempt at most.", "none"),
  max_wait: setting(LASTING, "How long a rate limit is waited for, per attempt.", "1h"),
  breaker: setting(COUNT, "Stop after so many attempts in a row whose agent ended without an answer; 0: never.", "5"),
  notify: setting(FILLED, "Command to call when the run halts, needs a human, has no agent, or waits long.", "none"),
  notify_wait: setting(LASTING, "Notify only about rate limits at least this long.", "10m"),
  min_free_mb: setting(
    COUNT,
    "Free space on the disk below which no attempt is started, confined ones end, and the loop stops.",
    "1 % of the disk, at most 256",
  ),
  max_log_mb: setting(COUNT, "All logs of agents together; the oldest beyond this are removed.", "256"),
  verify_each: setting(BOOL, "Check the base case after every iteration.", "false"),
  trust: setting(
    { kind: "number", min: 0, max: TRUST },
    "Accepted chance of a verdict by luck, over all verdicts of a loop; 1 accepts any, 0 runs each check once.",
    `what the goal was aligned with, else ${TRUST}`,
  ),
  merge: setting(BOOL, "Fast-forward your branch to a verified result.", "true"),
  squash: setting(BOOL, "Hand over one commit of all work; else one for each atom.", "false"),
  signoff: setting(BOOL, "Sign off each commit that is handed over (`Signed-off-by`).", "false"),
  hooks: setting(BOOL, "Run your `pre-commit` and `commit-msg` once before the work is handed over.", "true"),
  commit_subject: setting(FILLED, "Subject of each commit, with `{atom}` and `{what}`.", "as its worker words it"),
  remote: setting(
    FILLED,
    "The shared repository of a loop on an engine: any URL that git reads and writes here and on the workers.",
    "that of `git remote get-url origin`",
  ),
  setup: setting(
    LIST,
    "Commands that make a fresh slot usable, run in this order in each: `npm ci`.",
    "of the lock file",
  ),
  setup_timeout: setting(LASTING, "Time limit of each set-up command.", "10m"),
  port_base: setting(
    { kind: "int", min: 1024, max: 65_000 },
    "`AOT_PORT` of the first slot; each further one has it ten higher.",
    "4100",
  ),
  gate_checks: setting(
    LIST,
    "Further checks of the gates of phase loops, `GATE: command` each, beside those of `aot phases run --check`.",
    "none",
  ),
  sandbox: setting(
    { kind: "text", pattern: /^(?:auto|require|off)$/, format: "auto, require or off" },
    "Confine attempts, checks and set-up: `auto` where this machine can, `require` or not at all, `off`: they have all your rights ([sandbox.md](sandbox.md)).",
    "auto",
  ),
  max_memory: setting(
    { kind: "text", pattern: /^\d+(?:M|G)$/, format: "a number with M or G" },
    "Memory of each confined attempt, check or set-up at most, all its processes together: `512M`, `4G`.",
    "none",
  ),
  allow_write: setting(LIST, "Further paths that confined programs may write and read: `~/.config/tool`.", "none"),
  allow_domains: setting(
    LIST,
    "Further hosts that confined agents and set-up commands may reach: `example.com`, `*.example.com`, `localhost:8080`.",
    "none",
  ),
  allow_env: setting(LIST, "Further variables that confined programs get, by name.", "none"),
  hide: setting(LIST, "Further paths that no confined program may read, beside the list of secrets.", "none"),
  sandbox_image: setting(FILLED, "Image to confine by podman or docker where Linux namespaces are refused.", "none"),
};

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

export const SETTING_NAMES = Object.keys(ROWS) as readonly SettingName[];

export const SETTINGS: Readonly<Record<SettingName, Setting>> = ROWS;

/** The environment variable that wins over the files. */
export function variableOf(name: SettingName): string {
  return `AOT_${name.toUpperCase()}`;
}

/** What a configuration file holds, as a type of the state file's schema. */
export const CONFIG = record(
  Object.fromEntries(
    SETTING_NAMES.map((name) => {
      const { type, doc, fallback } = SETTINGS[name];
      return [name, { type, doc: `${doc} Default: ${fallback}.` }];
    }),
  ),
);
