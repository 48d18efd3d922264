/**
 * A journal line as it is read, from a disk or from an engine (SPEC section 8). What a phase loop writes has a table of its
 * own (phases/core/phase-line.ts).
 *
 * DECODE-LINE-1 total: whatever comes, nothing is thrown, and what comes out is of the type that it says;
 * DECODE-LINE-2 a line of another kind is kept as it is; so are fields that are not known;
 * DECODE-LINE-3 a field that is absent or not as expected is empty: a text "", a number 0, a list []; an optional one
 *    is absent. A line that says nothing without it is no line.
 */
import type { AdoptedWork, Advice, Memory, Nogood, Plan, ProposedAtom, RunSettings, Usage } from "./event.ts";
import { CHECK_RUN_REASONS, type AnyLine, type EntryOf, type JournalLine, type KnownEvent } from "./journal-line.ts";
import type { Problem } from "./problem.ts";
import { keysOf, CHANGE_KINDS, REDIRECTS, type Change, type Redirect, type RedirectField } from "./redirect.ts";
import { EXIT_CODES, type Outcome } from "./state.ts";
import type { Answered, CheckAnswers } from "./tree-answers.ts";
import type { Judged } from "./judged.ts";
import type { ChecklistVerdict, Evidence, NodeVerdict, Passed, TreeAnswer } from "./verdict.ts";

/** Undefined: the field is absent. */
type Read<T> = (value: unknown) => T;
/** How each field of a line is read, but those that every line may have. */
export type Fields<L> = { readonly [K in Exclude<keyof L, "event" | "run" | "iteration">]-?: Read<L[K] | Unfit> };

const UNFIT: unique symbol = Symbol("the line says nothing without it");
type Unfit = typeof UNFIT;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// ── fields: what fits is handed on as it is ─────────────────────────────────

export const text: Read<string> = (value) => (typeof value === "string" ? value : "");
export const amount: Read<number> = (value) => (typeof value === "number" && Number.isFinite(value) ? value : 0);
/** What may be a counter of a state. */
const count: Read<number> = (value) => (Number.isSafeInteger(value) && amount(value) >= 0 ? amount(value) : 0);
export const flag: Read<boolean> = (value) => value === true;
export const yes: Read<true | undefined> = (value) => (value === true ? true : undefined);
export const textIfAny: Read<string | undefined> = (value) => (typeof value === "string" ? value : undefined);
const amountIfAny: Read<number | undefined> = (value) => (value === undefined ? undefined : positive(value));
export const textOrNull: Read<string | null> = (value) => (typeof value === "string" && value !== "" ? value : null);

function positive(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function oneOf<const T extends string>(values: readonly T[], otherwise: NoInfer<T>): Read<T> {
  return (value) => values.find((one) => one === value) ?? otherwise;
}

function listOf<T>(read: (value: unknown) => T | Unfit): Read<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return [];
    const items = value.map(read);
    if (items.every((item, at) => item === value[at])) return value as readonly T[];
    return items.filter((item): item is Exclude<typeof item, Unfit> => item !== UNFIT) as readonly T[];
  };
}

function mapOf<T>(read: Read<T>): Read<Readonly<Record<string, T>>> {
  return (value) => {
    if (!isObject(value)) return {};
    const entries = Object.entries(value).map(([name, item]) => [name, read(item)] as const);
    const fits = entries.every(([name, item]) => item === value[name]);
    return fits ? (value as Readonly<Record<string, T>>) : Object.fromEntries(entries);
  };
}

/** An object of these fields; what is not one is `otherwise`. */
function objectOf<T extends object>(
  fields: { readonly [K in keyof T]-?: Read<T[K] | Unfit> },
  otherwise: (value: unknown) => T | Unfit = () => UNFIT,
): (value: unknown) => T | Unfit {
  const entries = Object.entries<Read<unknown>>(fields);
  return (value) => (isObject(value) ? (fitted(value, entries) as T | Unfit) : otherwise(value));
}

type Entries = readonly (readonly [string, Read<unknown>])[];

/** The object itself, if every field fits. */
function fitted(value: Readonly<Record<string, unknown>>, fields: Entries): object | Unfit {
  let copy: Record<string, unknown> | null = null;
  for (const [name, read] of fields) {
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    const fit = read(found);
    if (fit === UNFIT) return UNFIT;
    if (fit === found) continue;
    copy ??= { ...value };
    if (fit === undefined) delete copy[name];
    else copy[name] = fit;
  }
  return copy ?? value;
}

const name = (value: unknown): string | Unfit => (typeof value === "string" ? value : UNFIT);
export const texts = listOf(name);
const usage: Read<Usage | undefined> = (value) => {
  const figures = { calls: amountIfAny, cost_usd: amountIfAny, input_tokens: amountIfAny, output_tokens: amountIfAny };
  const read = objectOf<Usage>(figures)(value);
  return read === UNFIT ? undefined : read;
};
const proposed = listOf(
  objectOf<ProposedAtom>({
    id: textIfAny,
    description: text,
    depends_on: (value) => (value === undefined ? undefined : texts(value)),
    touches: (value) => (value === undefined ? undefined : texts(value)),
    or_group: textIfAny,
    probe: (value) => (typeof value === "boolean" ? value : undefined),
    criteria: textIfAny,
  }),
);
const adopted = listOf(
  objectOf<AdoptedWork>({ attempt: text, atom: text, commit: textOrNull, summary: text, artifacts: texts, stale: yes }),
);
const ANSWER = { passed: textIfAny, failed: textIfAny, passes: amountIfAny, fails: amountIfAny };
const answers = listOf(objectOf<Answered>({ check: name, ...ANSWER }));
const trees = listOf(objectOf<TreeAnswer>({ tree: text, ...ANSWER }));
const nogood = { atom: text, attempt: text, reason: text, evidence: textIfAny, files: ifAny(texts) };
const nogoods = listOf(objectOf<Nogood>(nogood));
const plans = listOf(objectOf<Plan>({ atoms: texts, reason: text, failing: texts }));
const judged = listOf(
  objectOf<Judged>({
    tree: name,
    leaf: name,
    passed: (value) => passed(value),
    evidence: (value) => (isObject(value) ? (value as unknown as Evidence) : UNFIT),
    requires_user_confirmation: yes,
    runs: amountIfAny,
    reds: amountIfAny,
  }),
);
const memory = objectOf<Memory>(
  {
    cost_usd: amount,
    tokens: amountIfAny,
    active_ms: amount,
    attempts: mapOf(count),
    nogoods,
    probed: mapOf(text),
    answers: ifAny(listOf(objectOf<CheckAnswers>({ check: name, trees, green: yes }))),
    trust: amountIfAny,
    judged: ifAny(judged),
    plans: ifAny(plans),
  },
  () => ({ cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} }),
);
const settings = objectOf<RunSettings>(
  {
    parallel: amountIfAny,
    max_iterations: amountIfAny,
    max_cost_usd: amountIfAny,
    max_tokens: amountIfAny,
    max_duration_ms: amountIfAny,
    max_deaths: amountIfAny,
    trust: amountIfAny,
    planner: yes,
    verify_each: flag,
    confirmed: flag,
  },
  () => ({ verify_each: false, confirmed: false }),
);
const problems = listOf((one) =>
  isObject(one) && typeof one["message"] === "string" ? (one as unknown as Problem) : UNFIT,
);

const outcome = (value: unknown): Outcome | Unfit =>
  typeof value === "string" && Object.hasOwn(EXIT_CODES, value) ? (value as Outcome) : UNFIT;

const decided: Read<Passed> = (value) => (typeof value === "boolean" ? value : null);
const passed = (value: unknown): Passed | Unfit =>
  value === true || value === false || value === null ? value : UNFIT;

function isNode(node: unknown): node is NodeVerdict {
  if (!isObject(node) || typeof node["item"] !== "string" || passed(node["passed"]) === UNFIT) return false;
  const children = node["group"] ?? node["any_of"];
  if (Array.isArray(children)) return children.every(isNode);
  return isObject(node["check"]) && isObject(node["evidence"]);
}

const verdict = objectOf<ChecklistVerdict>({
  passed,
  checklist: (value) => (Array.isArray(value) && value.every(isNode) ? value : UNFIT),
  skipped: texts,
  requires_user_confirmation: flag,
  luck: amountIfAny,
  tests_changed: ifAny(texts),
});

const redirect = (value: unknown): Redirect | Unfit => {
  if (!isObject(value) || value["kind"] !== "transaction") return change(value);
  const { changes, reason, finish } = value;
  if (!Array.isArray(changes) || typeof reason !== "string") return UNFIT;
  const known = changes.map(change);
  const whole = known.flatMap((one) => (one === UNFIT ? [] : [one]));
  if (whole.length < known.length) return UNFIT;
  return { kind: "transaction", changes: whole, reason, ...(finish === true ? { finish } : {}) };
};

const change = (value: unknown): Change | Unfit => {
  if (!isObject(value) || typeof value["reason"] !== "string") return UNFIT;
  const kind = CHANGE_KINDS.find((one) => one === value["kind"]);
  if (kind === undefined) return UNFIT;
  const isWhole = REDIRECTS[kind].fields.every((field) => {
    const [key, inner] = keysOf(field);
    const isText = inner === undefined && field.optional === undefined && IN_TEXT.has(field.type);
    return !isText || typeof value[key] === "string";
  });
  return isWhole ? (value as unknown as Change) : UNFIT;
};

/** Advice that is not whole is none. */
const advice = (value: unknown): Advice | null => {
  if (!isObject(value)) return null;
  const { kind, description, depends_on } = value;
  if (kind === "hopeless") return { kind };
  if (kind === "reword") return typeof description === "string" ? { kind, description } : null;
  if (kind === "reorder") return { kind, depends_on: texts(depends_on) };
  if (kind === "split") return { kind, atoms: proposed(value["atoms"]) };
  const [atom] = proposed([value["atom"]]);
  return kind === "alternative" && atom !== undefined ? { kind, atom } : null;
};

const IN_TEXT: ReadonlySet<RedirectField["type"]> = new Set(["word", "text"]);

// ── kinds ───────────────────────────────────────────────────────────────────

const ATTEMPT = { attempt: text, usage, agent: textIfAny };
const ABOUT = { attempt: text, atom: text };

const KINDS: { readonly [E in KnownEvent]: Fields<EntryOf<E>> } = {
  run_started: {
    from: oneOf(["pending", "halted", "crashed"], "pending"),
    memory,
    settings,
    forget_answers: yes,
    integrated: ifAny(adopted),
    lost: ifAny(texts),
    revert: ifAny(texts),
  },
  work_succeeded: { ...ATTEMPT, summary: text, artifacts: texts, subject: textIfAny },
  work_split: { ...ATTEMPT, children: proposed, reason: text },
  probe_feasible: { ...ATTEMPT, findings: text },
  attempt_failed: {
    ...ATTEMPT,
    kind: oneOf(["failed", "unreadable", "timeout", "infeasible", "conflict", "protected"], "failed"),
    reason: text,
    files: ifAny(texts),
    evidence: textIfAny,
    died: yes,
  },
  attempt_integrated: { ...ATTEMPT, commit: textOrNull, artifacts: texts },
  attempt_aborted: ATTEMPT,
  agent_unavailable: { ...ATTEMPT, reason: text },
  work_reverted: { commit: textOrNull, lost: texts, gone: ifAny(texts) },
  base_case_checked: {
    verdict,
    commit: textOrNull,
    tree: textIfAny,
    before: ifAny(objectOf({ tree: text, answers })),
    strayed: ifAny(texts),
    asked: yes,
    usage,
    unavailable: textIfAny,
  },
  replanned: { atoms: proposed, reason: text, needs_person: textIfAny, usage, unavailable: textIfAny },
  advised: { atom: text, advice, reason: text, needs_person: textIfAny, usage, unavailable: textIfAny },
  stop_requested: { reason: text },
  redirect_requested: { redirect },
  hold_changed: { held: flag },
  tampered: { files: texts },
  background_aborted: { call: oneOf(["check", "planner"], "check"), usage },
  time_passed: {},

  iteration_opened: {},
  attempt_started: { ...ABOUT, role: oneOf(["worker", "probe"], "worker") },
  attempt_discarded: { ...ABOUT, reason: text },
  split_refused: { ...ABOUT, reason: text },
  atom_resolved: { atom: text, measure: count },
  atom_decomposed: { atom: text, children: texts, measure: count },
  atom_reset: { atom: text, reason: text, lessons: ifAny(nogoods) },
  choice_given_up: { or_group: text, choice: text, reason: text, measure: count },
  choice_selected: { or_group: text, choice: text, reason: text },
  group_exhausted: { or_group: text },
  atoms_added: { atoms: proposed, reason: text, measure: count, failing: ifAny(texts), lessons: ifAny(nogoods) },
  planner_asked: { atom: text, why: text },
  advice_taken: {
    atom: text,
    advice: oneOf(["reword", "split", "alternative", "reorder", "hopeless"], "reword"),
    added: texts,
    group: textIfAny,
    was: (value) => {
      if (!isObject(value)) return undefined;
      const { description, depends_on } = value;
      return {
        ...(typeof description === "string" ? { description } : {}),
        ...(depends_on === undefined ? {} : { depends_on: texts(depends_on) }),
      };
    },
    reason: text,
    measure: count,
  },
  advice_refused: { atom: text, reason: text },
  iteration_judged: {
    measure: count,
    before: amount,
    movement: oneOf(["first", "progress", "neutral", "stall", "expansion"], "progress"),
    stall_count: count,
    blamed: textIfAny,
    advice: textIfAny,
  },
  redirected: {
    description: text,
    measure: count,
    interrupted: ifAny(texts),
    going_on: ifAny(texts),
    lessons: ifAny(nogoods),
    revert: ifAny(texts),
  },
  redirect_refused: { reason: text, problems },
  halted: { outcome, message: text },

  aligned: { usage, tree: textIfAny, trust: amountIfAny, lessons: ifAny(nogoods), doubts: ifAny(texts) },
  restarted: {},
  state_saved: {},
  revert_due: { atoms: texts },
  reverts_done: { commits: texts },
  note: { message: text },
  check_started: { item: text, why: oneOf(CHECK_RUN_REASONS, "first"), last_ms: amountIfAny },
  check_ended: { item: text, why: oneOf(CHECK_RUN_REASONS, "first"), passed: decided, duration_ms: amount },
  waiting: { who: text, attempt: textIfAny, until: text, wait_ms: amount, reason: text },
  run_ended: { message: text, cost_usd: amount, active_ms: amount, handed_over: textIfAny },
};

function ifAny<T>(read: Read<T>): Read<T | undefined> {
  return (value) => (value === undefined ? undefined : read(value));
}

/** What a line of any kind may say, whether its kind does or not. */
const HEAD = {
  time: text,
  run: text,
  iteration: count,
  atom: textIfAny,
  attempt: textIfAny,
  agent: textIfAny,
  usage,
  commit: ifAny(textOrNull),
  measure: amountIfAny,
  answers: ifAny(answers),
  objective: textIfAny,
};

/** How lines are read, by their kind. */
export type LineTable = ReadonlyMap<unknown, Entries>;

export function tableOf(kinds: Readonly<Record<string, object>>): LineTable {
  return new Map(
    Object.entries(kinds).map(([kind, fields]) => [kind, Object.entries<Read<unknown>>({ ...HEAD, ...fields })]),
  );
}

const TABLE = tableOf(KINDS);

export const KNOWN_EVENTS = Object.keys(KINDS);

/** DECODE-LINE-1, DECODE-LINE-3. Null: it is no line; undefined: none of these kinds. */
export function fitLine(table: LineTable, line: Readonly<Record<string, unknown>>): object | null | undefined {
  const fields = table.get(line["event"]);
  if (fields === undefined) return undefined;
  const fit = fitted(line, fields);
  return fit === UNFIT ? null : fit;
}

/** DECODE-LINE-1 to 3. Null: it is no line. */
export function decodeLine(value: unknown): AnyLine | null {
  if (!isObject(value)) return null;
  const line = fitLine(TABLE, value);
  return line === undefined ? value : (line as JournalLine | null);
}

/** Those that are lines. */
export function decodeLines(values: readonly unknown[]): readonly AnyLine[] {
  return values.map(decodeLine).filter((line) => line !== null);
}

/** Whether a line that was decoded is of a kind that is known. */
export function isKnown(line: AnyLine): line is JournalLine {
  return TABLE.has(line.event);
}
