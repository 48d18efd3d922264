/**
 * A loop played against the world by dice: they choose who answers what, and send stops, redirects, crashes and echoes in
 * between. The state file is also written now and then when it need not be.
 */
import type { Attempt } from "../../src/core/effect.ts";
import type { AdoptedWork, Advice, Event, RunSettings, Usage } from "../../src/core/event.ts";
import type { JournalLine } from "../../src/core/journal-line.ts";
import type { Loop } from "../../src/core/loop.ts";
import type { State } from "../../src/core/state.ts";
import type { ChecklistVerdict, Passed } from "../../src/core/verdict.ts";
import { redirectsFor } from "../../world/redirects.ts";
import {
  atRisk,
  begun,
  commitDone,
  committed,
  ended,
  heard,
  killed,
  landed,
  linesIn,
  saved,
  verdictOf as verdictOn,
  worldAround,
  type Commit,
  type Stepped,
  type World,
} from "../../world/world.ts";
import { NOW } from "./loops.ts";

export const MEMORY = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
export const SETTINGS: RunSettings = { verify_each: false, confirmed: false };

export function verdictOf(passed: Passed, requires_user_confirmation = false): ChecklistVerdict {
  const check = { type: "command", value: "true" } as const;
  return { ...verdictOn({ checklist: [{ item: "it", check }] }, passed), requires_user_confirmation };
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

export interface Taken extends Stepped {
  /** What the workspace has still to do beside what this event answers. */
  readonly queue: readonly Commit[];
}

export interface Walk {
  readonly loop: Loop;
  readonly lines: readonly JournalLine[];
  /** Work in the integration branch. */
  readonly branch: readonly AdoptedWork[];
  /** The base case as it was checked last in the last run. */
  readonly checked: World["checked"];
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
  const now = (): string => new Date((clock += 1_000)).toISOString();
  const settings: RunSettings = {
    verify_each: roll() % 2 === 0,
    confirmed: false,
    ...(hazards.planner === true ? { planner: true } : {}),
  };
  let world = worldAround(start);
  const tally = { attempts: 0, events: 0 };
  let surprises = SURPRISES;
  let resumes = hazards.resumes ?? 0;
  let last: Event | null = null;
  /** The deadline of the run's time was asked for. */
  let isTimed = false;

  const took = ({ world: after, stepped }: ReturnType<typeof begun<World>>, { queue }: World): void => {
    world = after;
    watch({ ...stepped, queue });
    last = stepped.event;
    tally.events++;
    tally.attempts += stepped.effects.filter((effect) => effect.type === "start_attempt").length;
    isTimed ||= stepped.effects.some((effect) => effect.type === "wake_in");
    if (world.phase === "up" && roll() % 4 === 0) world = saved(world);
  };
  const feed = (event: Event, from: World = world): void => took(committed(from, event), from);
  const begin = (): void => {
    isTimed = false;
    took(begun(world, now(), settings), world);
  };

  const answer = (): boolean => {
    const { agents, queue, checking, planning, asking } = world;
    const owed: readonly (() => Event)[] = [
      ...agents.map((attempt) => () => agentSays(world, attempt, roll(), now())),
      ...queue.slice(0, 1).map((effect) => () => workspaceSays(world, effect, roll, now(), hazards.lost === true)),
      ...(checking === null ? [] : [() => checkSays(world, roll(), now())]),
      ...(planning || asking !== null ? [() => plannerSays(world, roll(), now())] : []),
      ...(isTimed ? [(): Event => ({ type: "time_passed", at: now() })] : []),
    ];
    const event = owed[roll() % Math.max(1, owed.length)]?.();
    if (event === undefined) return false;
    if (event.type === "time_passed") isTimed = false;
    feed(event, heard(world, event));
    return true;
  };

  const echo = (): boolean => {
    if (hazards.echoes !== true || last === null || !("attempt" in last) || last.type === "agent_unavailable")
      return false;
    feed(last);
    return true;
  };
  const surprise = (): boolean => {
    const dice = roll() % 40;
    if (dice > 3) return false;
    surprises--;
    if (dice === 0 && hazards.crashes === true) {
      world = killed(landed(world, roll() % 2));
      begin();
      return true;
    }
    if (dice === 1 && hazards.stops === true) {
      feed({ type: "stop_requested", at: now(), reason: "enough" });
      return true;
    }
    if (dice === 2 && hazards.redirects === true) {
      const all = redirectsFor(world.loop.state);
      const redirect = all[roll() % all.length];
      if (redirect !== undefined) feed({ type: "redirect_requested", at: now(), redirect });
      return true;
    }
    return dice === 3 && echo();
  };

  begin();
  while (tally.events < MOST_EVENTS) {
    if (world.phase === "halted") {
      // What comes late finds a loop that has halted.
      if (roll() % 8 === 0) echo();
      world = ended(world, now());
      if (world.file.control.status === "completed" || resumes-- === 0) break;
      begin();
    } else if (surprises > 0 && surprise()) continue;
    else if (!answer()) break;
  }
  const { loop, journal, branch, checked } = world;
  return { loop, lines: linesIn(journal), branch, checked, ...tally, finished: loop.run.halted !== null };
}

function usageOf(roll: number): Usage {
  return { cost_usd: (roll % 10) / 4 };
}

function agentSays({ loop }: World, { id: attempt, role }: Attempt, roll: number, at: string): Event {
  const running = loop.run.attempts.find((one) => one.attempt.id === attempt);
  const usage = usageOf(roll);
  // A killed agent may have answered before it died.
  const isKilled = running === undefined || running.discarded;
  if (isKilled ? roll % 3 !== 0 : roll % 13 === 0) return { type: "attempt_aborted", at, attempt };
  if (role === "probe")
    return roll % 3 === 0
      ? { type: "attempt_failed", at, attempt, kind: "infeasible", reason: "no", usage }
      : { type: "probe_feasible", at, attempt, findings: "yes", usage };
  if (roll % 7 === 0) return { type: "attempt_failed", at, attempt, kind: "failed", reason: "red", usage };
  if (roll % 11 === 0) {
    const children = [{ description: "x" }, { description: "y", depends_on: roll % 2 === 0 ? [] : ["nobody"] }];
    return { type: "work_split", at, attempt, children, reason: "large" };
  }
  if (roll % 97 === 0) return { type: "agent_unavailable", at, attempt, reason: "429" };
  return { type: "work_succeeded", at, attempt, summary: `did ${attempt}`, artifacts: [`${attempt}.txt`], usage };
}

function workspaceSays(world: World, effect: Commit, roll: () => number, at: string, isLossy: boolean): Event {
  const dice = roll();
  if (effect.type === "revert")
    return commitDone(
      world,
      effect,
      at,
      isLossy ? atRisk(world.branch, effect.atoms).filter(() => roll() % 4 === 0) : [],
    );
  if (dice % 5 !== 0) return commitDone(world, effect, at);
  const kind = dice % 3 === 0 ? "protected" : "conflict";
  const files = kind === "conflict" ? { files: ["a/x"] } : {};
  return { type: "attempt_failed", at, attempt: effect.attempt.id, kind, reason: kind, ...files };
}

function checkSays({ loop: { run } }: World, roll: number, at: string): Event {
  if (run.check?.aborting === true && roll % 2 === 0) return { type: "background_aborted", at, call: "check" };
  return { type: "base_case_checked", at, verdict: verdictOf(roll % 3 !== 0), commit: "c", usage: usageOf(roll) };
}

function plannerSays({ loop: { run }, asking }: World, roll: number, at: string): Event {
  const usage = usageOf(roll);
  if (run.planner?.aborting === true && roll % 2 === 0) return { type: "background_aborted", at, call: "planner" };
  if (asking !== null)
    return { type: "advised", at, atom: asking, advice: adviceFor(asking, roll), reason: "stuck", usage };
  return { type: "replanned", at, atoms: roll % 2 === 0 ? [] : [{ description: "fix" }], reason: "red", usage };
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
