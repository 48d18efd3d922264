/** A journal line in a person's words. Pure; a line of an unknown kind is shown as it is. */
import type { AnyLine } from "../core/journal-line.ts";
import { counted } from "../app/counted.ts";
import { formatDuration } from "../core/fuel.ts";
import { sayRedirected } from "../core/touched.ts";
import type { Style } from "./paint.ts";
import { bothEnds, oneLine } from "./verdict-text.ts";

export interface EventWords {
  readonly text: string;
  readonly style?: Style;
}

type Describe = (line: AnyLine) => EventWords;

const say = (text: string, style?: Style): EventWords => (style === undefined ? { text } : { text, style });

/** Where a run goes on from; a fresh one needs no word. */
const START: Readonly<Record<string, string>> = {
  halted: ", going on after a halt",
  crashed: ", going on after a crash",
};

const EVENTS: Readonly<Record<string, Describe>> = {
  aligned: () => say("goal aligned", "bold"),
  restarted: () => say("restarted from the beginning", "bold"),
  run_started: (line) => say(`run ${word(line, "run")} started${START[word(line, "from")] ?? ""}`, "bold"),
  run_ended: (line) =>
    say(
      `run ended: ${sentence(line, "message")} (${dollars(line["cost_usd"])}, ${formatDuration(number(line["active_ms"]))})`,
      "bold",
    ),
  iteration_opened: (line) => say(`iteration ${number(line["iteration"])}`, "dim"),
  attempt_started: (line) => say(`${word(line, "role")} started (${word(line, "attempt")})`),
  attempt_discarded: (line) => say(`attempt ${word(line, "attempt")} discarded: ${word(line, "reason")}`, "dim"),
  work_succeeded: (line) => say(`worker reports: ${word(line, "summary")}${cost(line)}`),
  work_split: (line) => say(`worker asks for a split: ${word(line, "reason")}${cost(line)}`),
  probe_feasible: (line) => say(`feasible: ${word(line, "findings")}${cost(line)}`),
  attempt_failed: (line) => say(`failed${failureKind(line)}: ${why(line)}${cost(line)}`, "red"),
  attempt_integrated: (line) =>
    say(line["commit"] === null ? "integrated, no file changed" : `integrated as ${word(line, "commit").slice(0, 10)}`),
  attempt_aborted: () => say("attempt aborted", "dim"),
  agent_unavailable: (line) => say(`the agent is not available: ${sentence(line, "reason")}`, "yellow"),
  atom_resolved: (line) => say(`resolved, ${number(line["measure"])} left`, "green"),
  atom_decomposed: (line) => say(`split into ${words(line["children"])}; ${number(line["measure"])} left`),
  atom_reset: (line) => say(`back to pending: ${why(line)}`, "yellow"),
  choice_given_up: (line) => say(`${word(line, "or_group")}: ${word(line, "choice")} given up: ${why(line)}`, "yellow"),
  choice_selected: (line) => say(`${word(line, "or_group")}: goes on with ${word(line, "choice")}`, "yellow"),
  group_exhausted: (line) => say(`OR group exhausted: ${word(line, "or_group")}`, "red"),
  atoms_added: (line) => say(`${counted(list(line["atoms"]).length, "atom")} added: ${word(line, "reason")}`),
  iteration_judged: (line) =>
    say(
      `iteration ${number(line["iteration"])} judged: ${movement(line)}${number(line["measure"])} left${advice(line)}`,
      "dim",
    ),
  base_case_checked: (line) =>
    say(`base case: ${strayedWord(line) ?? flakyWord(line) ?? verdictWord(line["verdict"])}`, "bold"),
  replanned: (line) => say(`planner: ${atomsOf(line)}: ${word(line, "reason")}${cost(line)}`),
  stop_requested: (line) =>
    say(`stop requested${word(line, "reason") === "" ? "" : `: ${word(line, "reason")}`}`, "yellow"),
  redirect_requested: () => say("redirect requested", "yellow"),
  redirected: (line) => {
    const [interrupted, going_on] = [list(line["interrupted"]).map(String), list(line["going_on"]).map(String)];
    return say(`redirected: ${sayRedirected(word(line, "description"), interrupted, going_on)}`, "yellow");
  },
  redirect_refused: (line) => say(`redirect refused: ${sentence(line, "reason")}`, "red"),
  work_reverted: (line) =>
    say(
      line["commit"] === null
        ? "nothing to take out"
        : `what it had integrated is taken out by ${word(line, "commit").slice(0, 10)}`,
    ),
  revert_due: (line) => say(`to be taken out by the next run: ${words(line["atoms"])}`, "yellow"),
  reverts_done: () => say("taken out what was due"),
  tampered: (line) => say(`protected files changed: ${words(line["files"])}`, "red"),
  background_aborted: () => say("check or planning aborted", "dim"),
  time_passed: () => say("the time is up", "yellow"),
  halted: (line) => say(`halted (${word(line, "outcome")}): ${sentence(line, "message")}`, "bold"),
  waiting: (line) =>
    say(
      `${word(line, "who")} waits until ${clockOf({ time: line["until"] })} (${formatDuration(number(line["wait_ms"]))}) for the agent: ${word(line, "reason")}`,
      "yellow",
    ),
  note: (line) => say(sentence(line, "message"), "dim"),

  // of phase loops
  phases_begun: (line) => say(`phase loop begun, ${word(line, "mode")}`, "bold"),
  phases_run: (line) => say(`run ${word(line, "run")} started`, "bold"),
  phases_halted: (line) => say(`halted${kindOf(line, "outcome")}: ${sentence(line, "message")}`, "bold"),
  phase_work: (line) => say(`phase ${word(line, "phase")} gets a loop of its own: ${word(line, "file")}`, "dim"),
  phase_worked: (line) => say(`phase ${word(line, "phase")} is worked by ${word(line, "file")}`),
  start_phase: (line) => say(`phase ${word(line, "phase")} begins`),
  complete_phase: (line) => say(`phase ${word(line, "phase")} is complete${listed(line, "deliverables")}`, "green"),
  fail_phase: (line) => say(`phase ${word(line, "phase")} failed${reason(line)}`, "red"),
  skip_phase: (line) => say(`phase ${word(line, "phase")} is skipped${reason(line)}`, "yellow"),
  gate_looked_at: (line) =>
    say(
      `gate ${word(line, "gate")} looked at: ${line["passed"] === true ? "it holds" : "it does not hold"}${reason(line)}`,
    ),
  pass_gate: (line) => say(`gate ${word(line, "gate")} is passed by ${answerer(line)}`, "green"),
  fail_gate: (line) => say(`gate ${word(line, "gate")} failed by ${answerer(line)}${reason(line)}`, "red"),
  retry_gate: (line) => say(`gate ${word(line, "gate")} is pending again`),
  skip_gate: (line) => say(`gate ${word(line, "gate")} is skipped by ${answerer(line)}${reason(line)}`, "yellow"),
  pause: () => say("paused", "yellow"),
  resume: (line) => say(typeof line["reopen"] === "string" ? `begun again (${line["reopen"]})` : "resumed"),
  fail_loop: (line) => say(`the loop failed${reason(line)}`, "red"),
  count: (line) => say(`${word(line, "metric")}: ${line["by"] === true ? "+" : ""}${number(line["value"])}`, "dim"),
};

export function describeEvent(line: AnyLine): EventWords {
  const name = typeof line["event"] === "string" ? line["event"] : "?";
  const describe = Object.hasOwn(EVENTS, name) ? EVENTS[name] : undefined;
  return describe === undefined ? say(oneLine(`${name} ${JSON.stringify(line)}`)) : describe(line);
}

function atomsOf(line: AnyLine): string {
  const { length } = list(line["atoms"]);
  return length === 0 ? "no atoms" : counted(length, "atom");
}

/** Which atom a line is about; empty: none. */
export function atomOf(line: AnyLine): string {
  if (typeof line["atom"] === "string") return line["atom"];
  return typeof line["attempt"] === "string" ? line["attempt"].replace(/\.\d+$/, "") : "";
}

/** `2026-01-01T10:00:00.000Z` as local `10:00:00`. */
export function clockOf(line: AnyLine): string {
  const time = new Date(String(line["time"]));
  return Number.isNaN(time.getTime()) ? "--:--:--" : time.toTimeString().slice(0, 8);
}

export function dollars(value: unknown): string {
  return `$${number(value).toFixed(2)}`;
}

/** What the loop itself says to a person: the next step stands at the end of it. */
const LONGEST_SENTENCE = 1_000;

function sentence(line: AnyLine, key: string): string {
  const value = line[key];
  return typeof value === "string" ? oneLine(value, LONGEST_SENTENCE) : word(line, key);
}

function word(line: AnyLine, key: string): string {
  const value = line[key];
  return typeof value === "string"
    ? oneLine(value)
    : value === undefined || value === null
      ? ""
      : oneLine(JSON.stringify(value));
}

/** A reason that may hold what a program said. */
function why(line: AnyLine): string {
  const { reason: said } = line;
  return typeof said === "string" ? bothEnds(said) : word(line, "reason");
}

function reason(line: AnyLine): string {
  const said = word(line, "reason");
  return said === "" ? "" : `: ${said}`;
}

function listed(line: AnyLine, key: string): string {
  const said = words(line[key]);
  return said === "" ? "" : `: ${said}`;
}

/** Who answered at a gate: a person by name, or its checks. */
function answerer(line: AnyLine): string {
  return word(line, "who") || (line["run"] === "by hand" && line["by"] !== "check" ? "a person" : "its checks");
}

function kindOf(line: AnyLine, key: string): string {
  const kind = word(line, key);
  return kind === "" ? "" : ` (${kind})`;
}

function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function words(value: unknown): string {
  return oneLine(list(value).map(String).join(", "));
}

/** What the call that a line tells of cost, in US dollars; null: not known. */
export function costOf(line: AnyLine): number | null {
  const usage = line["usage"] as { readonly cost_usd?: unknown } | null | undefined;
  return typeof usage?.cost_usd === "number" ? usage.cost_usd : null;
}

function cost(line: AnyLine): string {
  const usd = costOf(line);
  return usd === null ? "" : ` (${dollars(usd)})`;
}

/** `failed (timeout)`, but not "failed (failed)". */
function failureKind(line: AnyLine): string {
  const kind = word(line, "kind");
  return kind === "failed" || kind === "" ? "" : ` (${kind})`;
}

/** The first iteration has nothing to be compared with. */
function movement(line: AnyLine): string {
  return line["movement"] === "first" ? "" : `${word(line, "movement")}, `;
}

function advice(line: AnyLine): string {
  return typeof line["advice"] === "string" ? `; ${oneLine(line["advice"])}` : "";
}

/** Null: nothing changed in the person's own checkout. */
function strayedWord(line: AnyLine): string | null {
  const strayed = line["strayed"];
  return Array.isArray(strayed) && strayed.length > 0 ? "holds, but your own checkout changed" : null;
}

/** Null: no check answered both ways on the tree of this verdict. */
function flakyWord(line: AnyLine): string | null {
  if ((line["verdict"] as { readonly passed?: unknown } | null | undefined)?.passed !== null) return null;
  const answers = Array.isArray(line["answers"]) ? (line["answers"] as readonly unknown[]) : [];
  const flaky = answers.some((answer) => {
    const { passed, failed } = (answer ?? {}) as { readonly passed?: unknown; readonly failed?: unknown };
    return passed !== undefined && failed !== undefined;
  });
  return flaky ? "not decided, a check answers both ways on the same tree" : null;
}

function verdictWord(verdict: unknown): string {
  const passed = (verdict as { readonly passed?: unknown } | null | undefined)?.passed;
  if (passed !== true) return passed === false ? "not met" : "not decided";
  const asks = (verdict as { readonly requires_user_confirmation?: unknown }).requires_user_confirmation === true;
  return asks ? "met, of assertions by a judge's word" : "verified";
}
