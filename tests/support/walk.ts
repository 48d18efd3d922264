/**
 * A loop played against a made-up world: dice answer its effects, and send stops, redirects, crashes and
 * echoes in between. The world keeps what a real one would: an integration branch, a journal, a state file
 * that lags behind by statuses (never by structure).
 */
import type { Effect } from "../../src/core/effect.ts";
import type { AdoptedWork, Advice, Event, RunSettings, Usage } from "../../src/core/event.ts";
import { isUrgent } from "../../src/core/is-urgent.ts";
import { linesOf } from "../../src/core/journal-line.ts";
import { createRecall, recovered, type JournalLine } from "../../src/core/journal.ts";
import { revertsDue, toAdopt } from "../../src/core/lost-work.ts";
import { createLoop, type Loop } from "../../src/core/loop.ts";
import type { Redirect } from "../../src/core/redirect.ts";
import type { State } from "../../src/core/state.ts";
import { step } from "../../src/core/step.ts";
import type { ChecklistVerdict, Passed } from "../../src/core/verdict.ts";
import { toArray } from "../../src/core/vec.ts";
import { NOW } from "./loops.ts";

export const MEMORY = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
export const SETTINGS: RunSettings = { verify_each: false, confirmed: false };

export function verdictOf(passed: Passed, requires_user_confirmation = false): ChecklistVerdict {
  return {
    passed,
    checklist: [
      {
        item: "it",
        check: { type: "command", value: "true" },
        passed,
        evidence: { kind: "judgement", reason: "" },
      },
    ],
    skipped: passed === null ? ["it"] : [],
    requires_user_confirmation,
  };
}

/** What may happen beside answers; each is drawn now and then while `surprises` lasts. */
export interface Hazards {
  readonly stops?: boolean;
  readonly redirects?: boolean;
  readonly crashes?: boolean;
  readonly echoes?: boolean;
  /** Reverts take other atoms' work with them. */
  readonly lost?: boolean;
  /** A person runs a halted loop again this many times. */
  readonly resumes?: number;
  /** There is a planner, who is asked about atoms that are to blame. */
  readonly planner?: boolean;
}

export interface Taken {
  readonly before: Loop;
  readonly after: Loop;
  readonly event: Event;
  readonly effects: readonly Effect[];
  readonly facts: readonly { readonly fact: string }[];
  /** Effects asked for and not answered before this event. */
  readonly open: readonly Effect[];
}

export interface Walk {
  readonly loop: Loop;
  readonly lines: readonly JournalLine[];
  /** Work in the integration branch. */
  readonly branch: readonly AdoptedWork[];
  /** The branch as it was when the base case was checked last. */
  readonly checkedBranch: readonly AdoptedWork[] | null;
  readonly attempts: number;
  readonly events: number;
  readonly finished: boolean;
}

const MOST_EVENTS = 4_000;
const SURPRISES = 8;

export function walk(
  start: State,
  rolls: readonly number[],
  hazards: Hazards,
  watch: (taken: Taken) => void = () => {},
): Walk {
  let next = 0;
  let clock = Date.parse(NOW);
  const roll = (): number => rolls[next++ % rolls.length] ?? 1;
  const settings: RunSettings = {
    verify_each: roll() % 2 === 0,
    confirmed: false,
    ...(hazards.planner === true ? { planner: true } : {}),
  };
  let loop = createLoop(start);
  let saved = start;
  let open: Effect[] = [];
  let branch: AdoptedWork[] = [];
  let checkedBranch: readonly AdoptedWork[] | null = null;
  const lines: JournalLine[] = [];
  const tally = { attempts: 0, events: 0 };
  let surprises = SURPRISES;
  let resumes = hazards.resumes ?? 0;
  let last: Event | null = null;
  let added = 0;

  const now = (): string => new Date((clock += 1_000)).toISOString();

  const feed = (event: Event): void => {
    const taken = step(loop, event);
    const { run, state } = taken.loop;
    lines.push(...linesOf(loop, event, taken));
    watch({ before: loop, after: taken.loop, event, effects: taken.effects, facts: taken.facts, open });
    if (isUrgent(saved, state) || roll() % 4 === 0) save(state, run.id);
    loop = taken.loop;
    open = [...open, ...taken.effects];
    tally.attempts += taken.effects.filter((effect) => effect.type === "start_attempt").length;
    tally.events++;
    last = event;
  };

  const save = (state: State, run: string): void => {
    saved = state;
    lines.push({ time: new Date(clock).toISOString(), run, iteration: state.control.iteration, event: "state_saved" });
  };

  /** Answers an effect; the workspace's own are answered in the order they were asked for (PORTS-3). */
  const perform = (effect: Effect, loud: boolean): void => {
    open = open.filter((other) => other !== effect);
    if (effect.type === "integrate" && roll() % 5 !== 0)
      branch = [
        ...branch,
        {
          attempt: effect.attempt.id,
          atom: effect.attempt.atom,
          commit: `c${effect.attempt.id}`,
          summary: effect.summary,
          artifacts: effect.artifacts,
        },
      ];
    let lost: readonly string[] = [];
    if (effect.type === "revert") {
      const kept = branch.filter((work) => !effect.atoms.includes(work.atom));
      lost = hazards.lost === true && loud ? kept.filter(() => roll() % 4 === 0).map((work) => work.atom) : [];
      branch = kept.filter((work) => !lost.includes(work.atom));
    }
    if (!loud) return;
    if (effect.type === "abort_background") {
      const background = open.find((other) => other.type === "check_base_case" || other.type === "replan");
      if (background === undefined || roll() % 2 === 0) return;
      open = open.filter((other) => other !== background);
    }
    const landed = effect.type === "integrate" && branch.some((work) => work.attempt === effect.attempt.id);
    const event = answerOf(effect, roll(), now(), landed, lost);
    if (event === null) return;
    if (event.type === "base_case_checked") checkedBranch = branch;
    feed(event);
  };

  const pick = (): Effect => {
    const effect = open[roll() % open.length] as Effect;
    return isWorkspace(effect) ? (open.find(isWorkspace) ?? effect) : effect;
  };

  const crash = (): void => {
    const landing = open.find(isWorkspace);
    if (landing !== undefined && roll() % 2 === 0) perform(landing, false);
    begin("crashed");
  };

  const begin = (from: "pending" | "halted" | "crashed"): void => {
    const recall = createRecall();
    for (const line of lines) recall.read(JSON.parse(JSON.stringify(line)) as JournalLine);
    const known = recall.now();
    const state = recovered(saved, known);
    const due = revertsDue(known, state);
    open = [];
    loop = createLoop(state);
    feed({
      type: "run_started",
      at: now(),
      run: `r${tally.events}`,
      from,
      memory: known.memory,
      settings,
      integrated: toAdopt(state, known, branch),
      ...(due.length > 0 ? { revert: due } : {}),
    });
  };

  const surprise = (): boolean => {
    const dice = roll() % 40;
    if (dice > 3) return false;
    surprises--;
    if (dice === 0 && hazards.crashes === true) return (crash(), true);
    if (dice === 1 && hazards.stops === true)
      return (feed({ type: "stop_requested", at: now(), reason: "enough" }), true);
    if (dice === 2 && hazards.redirects === true)
      return (feed({ type: "redirect_requested", at: now(), redirect: redirectOf(loop, roll, ++added) }), true);
    if (
      dice === 3 &&
      hazards.echoes === true &&
      last !== null &&
      "attempt" in last &&
      last.type !== "agent_unavailable"
    )
      return (feed(last), true);
    return false;
  };

  begin("pending");
  while (tally.events < MOST_EVENTS) {
    if (loop.run.halted !== null && open.every((effect) => isSilent(effect))) {
      const control = loop.state.control;
      save(loop.state, loop.run.id);
      const ended = { message: "", cost_usd: 0, active_ms: 0 };
      lines.push({ time: now(), run: loop.run.id, iteration: control.iteration, event: "run_ended", ...ended });
      if (control.status === "completed" || resumes-- === 0) break;
      begin("halted");
      continue;
    }
    if (loop.run.halted === null && surprises > 0 && surprise()) continue;
    if (open.length === 0) break;
    perform(pick(), true);
  }
  return { loop, lines, branch, checkedBranch, ...tally, finished: loop.run.halted !== null };
}

function isWorkspace(effect: Effect): boolean {
  return effect.type === "integrate" || effect.type === "revert";
}

function isSilent(effect: Effect): boolean {
  return (
    effect.type === "halt" || effect.type === "shelve" || effect.type === "wake_in" || effect.type.startsWith("abort")
  );
}

function answerOf(effect: Effect, roll: number, at: string, landed: boolean, lost: readonly string[]): Event | null {
  const usage = { cost_usd: (roll % 10) / 4 };
  switch (effect.type) {
    case "start_attempt":
      return agentSays(effect, roll, at, usage);
    case "integrate": {
      const attempt = effect.attempt.id;
      if (landed)
        return { type: "attempt_integrated", at, attempt, commit: `c${attempt}`, artifacts: effect.artifacts };
      const kind = roll % 3 === 0 ? "protected" : "conflict";
      return { type: "attempt_failed", at, attempt, kind, reason: kind };
    }
    case "abort_attempt":
      return { type: "attempt_aborted", at, attempt: effect.attempt.id };
    case "abort_background":
      return { type: "background_aborted", at };
    case "revert":
      return { type: "work_reverted", at, commit: "r", lost };
    case "check_base_case":
      return { type: "base_case_checked", at, verdict: verdictOf(roll % 3 !== 0), commit: "c", usage };
    case "replan":
      return { type: "replanned", at, atoms: roll % 2 === 0 ? [] : [{ description: "fix" }], reason: "red", usage };
    case "ask_planner":
      return { type: "advised", at, atom: effect.atom, advice: adviceFor(effect.atom, roll), reason: "stuck", usage };
    case "wake_in":
      return { type: "time_passed", at };
    case "shelve":
    case "halt":
      return null;
  }
}

/** Of each kind, usable or not. */
export function adviceFor(atom: string, roll: number): Advice | null {
  const kinds: readonly (Advice | null)[] = [
    null,
    { kind: "reword", description: `do ${atom} in another way` },
    { kind: "reword", description: `do ${atom}` },
    {
      kind: "split",
      atoms: [
        { id: "u", description: "u" },
        { description: "v", depends_on: ["u"] },
      ],
    },
    { kind: "split", atoms: [{ description: "v", depends_on: ["nobody"] }] },
    { kind: "alternative", atom: { description: `instead of ${atom}` } },
    { kind: "reorder", depends_on: ["A1"] },
    { kind: "reorder", depends_on: ["nobody"] },
    { kind: "hopeless" },
  ];
  return kinds[roll % kinds.length] ?? null;
}

function agentSays(effect: Extract<Effect, { type: "start_attempt" }>, roll: number, at: string, usage: Usage): Event {
  const attempt = effect.attempt.id;
  if (effect.attempt.role === "probe")
    return roll % 3 === 0
      ? { type: "attempt_failed", at, attempt, kind: "infeasible", reason: "no", usage }
      : { type: "probe_feasible", at, attempt, findings: "yes", usage };
  if (roll % 7 === 0) return { type: "attempt_failed", at, attempt, kind: "failed", reason: "red", usage };
  if (roll % 11 === 0) {
    const children = [{ description: "x" }, { description: "y", depends_on: roll % 2 === 0 ? [] : ["nobody"] }];
    return { type: "work_split", at, attempt, children, reason: "large" };
  }
  if (roll % 13 === 0) return { type: "attempt_aborted", at, attempt };
  if (roll % 97 === 0) return { type: "agent_unavailable", at, attempt, reason: "429" };
  return { type: "work_succeeded", at, attempt, summary: `did ${attempt}`, artifacts: [`${attempt}.txt`], usage };
}

function redirectOf(loop: Loop, roll: () => number, number: number): Redirect {
  const atoms = toArray(loop.state.atoms);
  const some = atoms[roll() % atoms.length]?.id ?? "A1";
  const groups = toArray(loop.state.or_groups);
  const group = groups[roll() % Math.max(1, groups.length)];
  const reason = "changed my mind";
  switch (roll() % 8) {
    case 0:
      return { kind: "set", field: "goal", value: "another goal", reason };
    case 1:
      return { kind: "limit", constraint: "max_iterations", value: 1 + (roll() % 8), reason };
    case 2:
      return { kind: "add", id: `R${number}`, description: "more", depends_on: [some], reason };
    case 3: {
      const place = group === undefined ? {} : { or_group: group.name };
      return { kind: "add", id: `R${number}`, description: "another way", depends_on: [], ...place, reason };
    }
    case 4:
      return { kind: "remove", id: some, reason };
    case 5:
      if (group === undefined) return { kind: "remove", id: some, reason };
      return {
        kind: "choose",
        group: group.name,
        atom: group.choices[roll() % group.choices.length] ?? "",
        reason,
      };
    case 6:
      return { kind: "redo", id: some, reason };
    default:
      return { kind: "rebind", id: some, binding: { summary: "by hand", artifacts: [] }, reason };
  }
}
