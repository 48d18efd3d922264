/** A journal line in a person's words. Pure; a line of an unknown kind is shown as it is. */
import { counted } from "../core/counted.ts";
import { luckWords, verdictWords } from "../view/standing.ts";
import { costWords, dollars } from "../view/words.ts";
import { isKnown } from "../core/decode-line.ts";
import { usageIn } from "../core/fold-journal.ts";
import { formatDuration } from "../core/fuel.ts";
import type { AnyLine, CheckRunReason, JournalLine, KnownEvent, LineOf } from "../core/journal-line.ts";
import type { Movement } from "../core/progress.ts";
import { sayRedirected } from "../core/touched.ts";
import type { Style } from "./paint.ts";
import { bothEnds, oneLine } from "./verdict-text.ts";

export interface EventWords {
  readonly text: string;
  readonly style?: Style;
}

export const say = (text: string, style?: Style): EventWords => (style === undefined ? { text } : { text, style });

/** Where a run goes on from; a fresh one needs no word. */
const START = { pending: "", halted: ", going on after a halt", crashed: ", going on after a crash" } as const;

const MOVEMENTS: Readonly<Record<Movement, string>> = {
  // The first iteration has nothing to be compared with.
  first: "",
  progress: "progress, ",
  neutral: "neutral, ",
  stall: "no progress, ",
  expansion: "expansion, ",
};

export function describeEvent(line: AnyLine): EventWords {
  return isKnown(line) ? ofLoop(line.event, line) : say(oneLine(`${name(line)} ${JSON.stringify(line)}`));
}

function name({ event }: Readonly<Record<string, unknown>>): string {
  return typeof event === "string" ? event : "?";
}

const OF_LOOP: { readonly [E in KnownEvent]: (line: LineOf<E>) => EventWords } = {
  aligned: () => say("goal aligned", "bold"),
  restarted: () => say("restarted from the beginning", "bold"),
  run_started: (line) => say(`run ${oneLine(line.run)} started${START[line.from]}`, "bold"),
  run_ended: ({ message, cost_usd, active_ms }) =>
    say(`run ended: ${sentence(message)} (${costWords(cost_usd)}, ${formatDuration(active_ms)})`, "bold"),
  state_saved: () => say("state file saved", "dim"),
  iteration_opened: (line) => say(`iteration ${line.iteration}`, "dim"),
  attempt_started: (line) => say(`${line.role} started (${oneLine(line.attempt)})`),
  attempt_discarded: (line) => say(`attempt ${oneLine(line.attempt)} discarded: ${oneLine(line.reason)}`, "dim"),
  work_succeeded: (line) => say(`worker reports: ${oneLine(line.summary)}${cost(line)}`),
  work_split: (line) => say(`worker asks for a split: ${oneLine(line.reason)}${cost(line)}`),
  split_refused: (line) => say(`split refused: ${bothEnds(line.reason)}`, "red"),
  probe_feasible: (line) => say(`feasible: ${oneLine(line.findings)}${cost(line)}`),
  // `failed (timeout)`, but not "failed (failed)".
  attempt_failed: (line) =>
    say(`failed${line.kind === "failed" ? "" : ` (${line.kind})`}: ${bothEnds(line.reason)}${cost(line)}`, "red"),
  attempt_integrated: (line) =>
    say(line.commit === null ? "integrated, no file changed" : `integrated as ${short(line.commit)}`),
  attempt_aborted: () => say("attempt aborted", "dim"),
  agent_unavailable: (line) => say(`the agent is not available: ${sentence(line.reason)}`, "yellow"),
  atom_resolved: (line) => say(`resolved, ${line.measure} left`, "green"),
  atom_decomposed: (line) => say(`split into ${listed(line.children)}; ${line.measure} left`),
  atom_reset: (line) => say(`back to pending: ${bothEnds(line.reason)}`, "yellow"),
  choice_given_up: (line) =>
    say(`${oneLine(line.or_group)}: ${oneLine(line.choice)} given up: ${bothEnds(line.reason)}`, "yellow"),
  choice_selected: (line) => say(`${oneLine(line.or_group)}: goes on with ${oneLine(line.choice)}`, "yellow"),
  group_exhausted: (line) => say(`OR group exhausted: ${oneLine(line.or_group)}`, "red"),
  atoms_added: (line) => say(`${counted(line.atoms.length, "atom")} added: ${oneLine(line.reason)}`),
  iteration_judged: (line) => {
    const advice = line.advice === undefined ? "" : `; ${oneLine(line.advice)}`;
    return say(`iteration ${line.iteration}: ${MOVEMENTS[line.movement]}${line.measure} left${advice}`, "dim");
  },
  base_case_checked: (line) => say(`base case: ${checkedWords(line)}`, "bold"),
  replanned: (line) => {
    const atoms = line.atoms.length === 0 ? "no atoms" : counted(line.atoms.length, "atom");
    return say(`planner: ${atoms}: ${oneLine(line.reason)}${cost(line)}`);
  },
  planner_asked: (line) => say(`planner asked about ${oneLine(line.atom ?? "")}: ${oneLine(line.why)}`),
  advised: (line) => say(`planner on ${oneLine(line.atom ?? "")}: ${adviceWords(line)}${cost(line)}`),
  advice_taken: (line) => {
    const added = line.added.length === 0 ? "" : `, new ${listed(line.added)}`;
    return say(`advice on ${oneLine(line.atom ?? "")} taken: ${line.advice}${added}`, "yellow");
  },
  advice_refused: (line) => say(`advice on ${oneLine(line.atom ?? "")} not taken: ${sentence(line.reason)}`, "yellow"),
  stop_requested: (line) => say(`stop requested${because(line.reason)}`, "yellow"),
  hold_changed: (line) =>
    say(line.held ? "held while a person edits the loop: nothing new starts" : "no longer held", "yellow"),
  redirect_requested: () => say("redirect requested", "yellow"),
  redirected: (line) =>
    say(`redirected: ${sayRedirected(oneLine(line.description), line.interrupted, line.going_on)}`, "yellow"),
  redirect_refused: (line) => say(`redirect refused: ${sentence(line.reason)}`, "red"),
  work_reverted: (line) =>
    say(line.commit === null ? "nothing to take out" : `what it had integrated is taken out at ${short(line.commit)}`),
  revert_due: (line) => say(`to be taken out by the next run: ${listed(line.atoms)}`, "yellow"),
  reverts_done: () => say("taken out what was due"),
  tampered: (line) => say(`protected files changed: ${listed(line.files)}`, "red"),
  background_aborted: ({ call }) => say(call === "check" ? "check aborted" : "planning aborted", "dim"),
  time_passed: () => say("the time is up", "yellow"),
  halted: (line) => say(`halted (${line.outcome}): ${sentence(line.message)}`, "bold"),
  check_started: (line) => say(`runs ${checkRunWords(line)}${lastTime(line)}`, "dim"),
  check_ended: (line) =>
    say(`${verdictWords(line.passed).words}: ${checkRunWords(line)} (${formatDuration(line.duration_ms)})`, "dim"),
  waiting: (line) => {
    const until = `${clockOf(line.until)} (${formatDuration(line.wait_ms)})`;
    return say(`${oneLine(line.who)} waits until ${until} for the agent: ${oneLine(line.reason)}`, "yellow");
  },
  note: (line) => say(sentence(line.message), "dim"),
};

const CHECK_RUNS: Readonly<Record<CheckRunReason, string>> = {
  first: "",
  again: ", once more",
  as_agreed: ", with the tests as agreed",
  canary: ", with wrong expectations, to see it fail",
  before_work: ", before the work, to see it fail",
};

export function checkRunWords({ item, why }: { readonly item: string; readonly why: CheckRunReason }): string {
  return `${oneLine(item)}${CHECK_RUNS[why]}`;
}

export function lastTime({ last_ms }: { readonly last_ms?: number | undefined }): string {
  return last_ms === undefined ? "" : ` (${formatDuration(last_ms)} last time)`;
}

function adviceWords({ advice, reason }: LineOf<"advised">): string {
  return advice === null ? sentence(reason) : `${advice.kind}: ${oneLine(reason)}`;
}

function ofLoop<E extends KnownEvent>(event: E, line: LineOf<E>): EventWords {
  return OF_LOOP[event](line);
}

/** `2026-01-01T10:00:00.000Z` as local `10:00:00`. */
export function clockOf(time: unknown): string {
  const at = new Date(String(time));
  return Number.isNaN(at.getTime()) ? "--:--:--" : at.toTimeString().slice(0, 8);
}

/** What the loop itself says to a person: the next step is at the end of it. */
const LONGEST_SENTENCE = 1_000;

export function sentence(text: string): string {
  return oneLine(text, LONGEST_SENTENCE);
}

export function because(reason: string | null): string {
  return reason === null || reason === "" ? "" : `: ${oneLine(reason)}`;
}

function short(commit: string): string {
  return oneLine(commit).slice(0, 10);
}

export function listed(names: readonly string[]): string {
  return oneLine(names.join(", "));
}

function cost(line: JournalLine): string {
  const usd = usageIn(line).cost_usd;
  return usd === null ? "" : ` (${dollars(usd)})`;
}

function checkedWords({ strayed = [], verdict, answers = [] }: LineOf<"base_case_checked">): string {
  const luck = luckWords(verdict);
  const passed = verdictWords(verdict.passed).words;
  const words = luck === null ? passed : luck.startsWith(passed) ? luck : `${passed}; ${luck}`;
  if (strayed.length > 0) return `${words}, but your own checkout changed`;
  if (verdict.requires_user_confirmation) return `${words}; assertions still need your confirmation`;
  const isFlaky = answers.some(({ passed, failed }) => passed !== undefined && failed !== undefined);
  return isFlaky && verdict.passed === null ? `${words}, a check answers both ways on the same tree` : words;
}
