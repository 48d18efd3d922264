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

interface Row<T extends Type> extends Pick<Setting, "doc" | "fallback"> {
  readonly type: T;
  /** Before the setting's own name, in the flag's; null: it has no flag. */
  readonly prefix: "" | "no-" | null;
}

/** Without a flag. */
function setting<T extends Type>(type: T, doc: string, fallback: string, prefix: Row<T>["prefix"] = null): Row<T> {
  return { type, doc, fallback, prefix };
}
function flagged<T extends Type>(type: T, doc: string, fallback: string): Row<T> {
  return setting(type, doc, fallback, "");
}
/** Its flag says the opposite. */
function inverse<T extends Type>(type: T, doc: string, fallback: string): Row<T> {
  return setting(type, doc, fallback, "no-");
}

const NO_MORE = "Only narrows what the goal allows.";
const DOLLARS = { kind: "number", min: 0 } as const;
const LIST = { kind: "list", of: FILLED } as const;

const ROWS = {
  agent: flagged(FILLED, "The agent that works, as for `--agent`.", "the first that is installed"),
  worker: flagged(FILLED, "Another agent (or model) for the work.", "the agent"),
  probe: flagged(FILLED, "Another agent for probes.", "the agent"),
  planner: flagged(
    FILLED,
    "Another agent that plans what is still to do; `none`: each failing check becomes an atom.",
    "the agent",
  ),
  judge: flagged(FILLED, "Who decides what needs a judge, as for `--judge`; `none`: nobody.", "the agent"),
  escalate: flagged(
    FILLED,
    "Stronger agents for the work, with commas: after an atom's first failure, its second and so on.",
    "the worker",
  ),
  parallel: flagged(AT_LEAST_ONE, `Attempts at a time. ${NO_MORE}`, "the goal's"),
  max_iterations: flagged(AT_LEAST_ONE, `Iterations at most. ${NO_MORE}`, "the goal's"),
  max_cost_usd: flagged(DOLLARS, `Cost at most. ${NO_MORE}`, "the goal's"),
  max_duration: flagged(LASTING, `Working time at most. ${NO_MORE}`, "the goal's"),
  max_tokens: flagged(AT_LEAST_ONE, `Tokens at most, read and written together. ${NO_MORE}`, "the goal's"),
  attempt_timeout: flagged(LASTING, "Time limit of one agent call.", "30m"),
  idle_timeout: flagged(LASTING, "Time limit without any output of an agent.", "none"),
  max_call_usd: flagged(DOLLARS, "Cost of one call at most.", "none"),
  max_call_tokens: flagged(AT_LEAST_ONE, "Tokens of one attempt at most.", "none"),
  max_wait: flagged(LASTING, "How long a rate limit is waited for, per attempt.", "1h"),
  breaker: flagged(COUNT, "Stop after so many attempts in a row whose agent ended without an answer; 0: never.", "5"),
  notify: flagged(FILLED, "Command to call when the run halts, needs a human, has no agent, or waits long.", "none"),
  notify_wait: flagged(LASTING, "Notify only about rate limits at least this long.", "10m"),
  min_free_mb: flagged(
    COUNT,
    "Free space on the disk below which no attempt is started, confined ones end, and the loop stops.",
    "1 % of the disk, at most 256",
  ),
  max_log_mb: flagged(COUNT, "All logs of agents together; the oldest beyond this are removed.", "256"),
  verify_each: flagged(BOOL, "Check the base case after every iteration.", "false"),
  trust: flagged(
    { kind: "number", min: 0, max: MOST_TRUST },
    "Accepted chance of a verdict by luck, over all verdicts of a loop; 0 runs each check once.",
    `what the goal was aligned with, else ${TRUST}`,
  ),
  merge: inverse(BOOL, "Fast-forward your branch to a verified result.", "true"),
  squash: flagged(BOOL, "Hand over one commit of all work; else one for each atom.", "false"),
  signoff: flagged(BOOL, "Sign off each commit that is handed over (`Signed-off-by`).", "false"),
  hooks: inverse(
    BOOL,
    "Run the hooks `pre-commit` and `commit-msg` of your repository once before the work is handed over.",
    "true",
  ),
  commit_subject: setting(
    FILLED,
    "Subject of each commit that is handed over, with `{atom}` and `{what}`: `feat: {what}`.",
    "`{atom}: {what}`; of a squashed one the goal",
  ),
  in_place: flagged(BOOL, "Work in the folder itself, one attempt at a time.", "false"),
  setup: setting(
    LIST,
    "Commands that make a fresh worktree usable, run in this order in each: `npm ci`.",
    "of the lock file",
  ),
  setup_timeout: setting(LASTING, "Time limit of each set-up command.", "10m"),
  port_base: setting(
    { kind: "int", min: 1024, max: 65_000 },
    "`AOT_PORT` of the first worktree; each further one has it ten higher.",
    "4100",
  ),
  gate_checks: setting(
    LIST,
    "Further checks of the gates of phase loops, `GATE: command` each, beside those of `aot phases run --check`.",
    "none",
  ),
  sandbox: flagged(
    { kind: "text", pattern: /^(?:auto|require|off)$/, format: "auto, require or off" },
    "Confine attempts, checks and set-up: `auto` where this machine can, `require` or not at all, `off`: they have all your rights ([sandbox.md](sandbox.md)).",
    "auto",
  ),
  max_memory: flagged(
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

export const SETTINGS = Object.fromEntries(
  Object.entries(ROWS).map(([name, { prefix, ...row }]) => [name, { ...row, ...flagOf(name, prefix) }]),
) as Readonly<Record<SettingName, Setting>>;

function flagOf(name: string, prefix: Row<Type>["prefix"]): Pick<Setting, "flag" | "inverse"> {
  if (prefix === null) return {};
  return { flag: `${prefix}${name.replaceAll("_", "-")}`, ...(prefix === "" ? {} : { inverse: true }) };
}

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
