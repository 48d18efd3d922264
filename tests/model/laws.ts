/**
 * What may be seen of a runner from outside, whatever the order of things: its journal, its state file and the
 * calls of its ports, held against the invariants of `src/core` and `src/loop`. It knows nothing of how a runner
 * decides. Breaches are collected: what is thrown inside a port would be taken for the port's own failure.
 */
import { isDeepStrictEqual } from "node:util";
import type { Attempt } from "../../src/core/effect.ts";
import type { AdoptedWork } from "../../src/core/event.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import type { Entrance } from "../../src/core/entrance.ts";
import type { JournalLine, Recollection } from "../../src/core/journal.ts";
import type { Loop } from "../../src/core/loop.ts";
import type { Redirect } from "../../src/core/redirect.ts";
import type { State } from "../../src/core/state.ts";
import type { AgentAnswer } from "../../src/loop/ports.ts";
import { shown, type Disk } from "./disk.ts";
import { checkBranch, checkOutcome, newLife, type Seen } from "./life.ts";
import type { Call, Port } from "../../world/ports.ts";

export interface Rest {
  readonly calls: readonly Call[];
  readonly timers: number;
}

export interface Laws {
  readonly breaches: readonly string[];
  breach(rule: string, what: string): void;
  /** The clock is about to go on. */
  passing(from: number, to: number): void;
  appended(lines: readonly JournalLine[], disk: Disk): void;
  reported(line: JournalLine): void;
  saved(state: State, disk: Disk): void;
  starting(attempt: Attempt): void;
  called(call: Call): void;
  settled(call: Call, result: unknown): void;
  /** The integrated tree of this version was checked out. */
  lookedAt(version: number): void;
  began(entry: Omit<Entrance, "missing"> & { readonly known: Recollection }, disk: Disk): void;
  crashed(): void;
  /** A human resolved it, whether or not there is work of it. */
  resolvedByHand(atom: string): void;
  /** A run ended by failing. */
  ended(rest: Rest): void;
  halted(loop: Loop, world: Rest & { readonly branch: readonly AdoptedWork[]; readonly version: number }): void;
}

export interface LawOptions {
  /** Timers go off when they are due: then what the state file lags by can be reported. */
  readonly punctual: boolean;
  readonly planner: boolean;
}

const STRUCTURAL = new Set(
  "run_started choice_selected choice_given_up atom_decomposed atoms_added redirected halted".split(" "),
);
const STATUSES = new Set(["attempt_started", "atom_resolved", "iteration_judged", "atom_reset"]);
const AGENT_ENDS = new Set(["work_succeeded", "work_split", "probe_feasible", "attempt_aborted", "agent_unavailable"]);
const LAG_MS = 250;

export function createLaws(options: LawOptions): Laws {
  const breaches: string[] = [];
  const breach = (rule: string, what: string): void => {
    if (breaches.length < 20) breaches.push(`${rule}: ${what}`);
  };
  const hold = (isTrue: boolean, rule: string, what: () => string): void => {
    if (!isTrue) breach(rule, what());
  };

  // Over all lives.
  const attempts = new Set<string>();
  const atomOf = new Map<string, string>();
  /** Attempts whose work a person had done again, and when. */
  const rejected: { readonly at: string; readonly attempts: ReadonlySet<string> }[] = [];
  /** Attempts that claimed success, and the base case was false. */
  const refuted = new Set<string>();
  const perIteration = new Map<number, number>();
  /** Atoms that are resolved by what was integrated, if they are. */
  const worked = new Set<string>();
  const durable = new Set<JournalLine>();
  let opened = 0;
  let cost = 0;
  let savedIteration = 0;
  let lastSaved: State | null = null;
  let dirtySince: number | null = null;
  let ms = 0;
  let file: Disk | null = null;

  let life = newLife();

  const checkLine = (line: JournalLine): void => {
    const spent = "usage" in line ? (line.usage?.cost_usd ?? 0) : 0;
    cost += spent;
    life.reported += spent;
    if (options.punctual && STATUSES.has(line.event)) dirtySince ??= ms;
    switch (line.event) {
      case "run_started":
        life.running = true;
        return;
      case "iteration_opened":
        hold(line.iteration > opened, "SPEC 4 fuel", () => `iteration ${line.iteration} opened after ${opened}`);
        opened = line.iteration;
        return;
      case "attempt_started":
        hold(!attempts.has(line.attempt), "SPEC 8", () => `${line.attempt} is started twice`);
        hold(!life.stopped, "SPEC 8 stop", () => `${line.attempt} is started after a stop`);
        hold(life.redirects.length === 0, "SPEC 8 redirect", () => `${line.attempt} is started before the redirect`);
        hold(line.iteration === opened, "SCHEDULE-2", () => `${line.attempt} starts outside the open iteration`);
        attempts.add(line.attempt);
        atomOf.set(line.attempt, line.atom ?? "");
        perIteration.set(line.iteration, (perIteration.get(line.iteration) ?? 0) + 1);
        life.seen.set(line.attempt, {
          atom: line.atom ?? "",
          iteration: line.iteration,
          ends: [],
          calls: [],
          discarded: false,
          repairs: 0,
        });
        return;
      case "atom_reset":
        for (const { attempt } of line.lessons ?? []) {
          hold(life.verdict?.passed === false, "WRONG-CLAIM-1", () => `${attempt} is taken back, and nothing is false`);
          refuted.add(attempt);
        }
        return;
      case "attempt_discarded": {
        const seen = life.seen.get(line.attempt);
        if (seen !== undefined) seen.discarded = true;
        return;
      }
      case "stop_requested":
        if (!life.halted) life.stopped = true;
        return;
      case "redirect_requested":
        if (!life.halted) life.redirects.push(line.redirect);
        return;
      case "redirected":
      case "redirect_refused": {
        const redirect = life.redirects.shift();
        hold(redirect !== undefined, "SPEC 8 redirect", () => "one redirect is applied twice");
        if (line.event === "redirected" && redirect !== undefined) checkRedirected(line, redirect);
        return;
      }
      case "tampered":
      case "base_case_checked":
      case "background_aborted":
      case "replanned":
        if (line.event !== "replanned" || options.planner) life.answers++;
        if (line.event === "tampered") life.tampered = true;
        if (line.event === "base_case_checked") life.verdict = { passed: line.verdict.passed, version: life.looked };
        return;
      case "work_reverted":
        life.reverted++;
        return;
      case "halted":
        hold(!life.halted, "SPEC 9", () => "the run halts twice");
        life.halted = true;
        return;
    }
    if (AGENT_ENDS.has(line.event) || line.event === "attempt_failed" || line.event === "attempt_integrated")
      life.seen.get("attempt" in line && typeof line.attempt === "string" ? line.attempt : "")?.ends.push(line.event);
    if (line.event === "attempt_integrated" && line.atom !== undefined) worked.add(line.atom);
    // From here on the work of its children resolves it.
    if (line.event === "atom_decomposed" && line.atom !== undefined) worked.delete(line.atom);
    if (line.event === "agent_unavailable") life.unavailable = true;
  };

  /** Who is ended is discarded, who goes on is not; and nobody is ended for a limit or for new work. */
  const checkRedirected = (line: Extract<JournalLine, { event: "redirected" }>, redirect: Redirect): void => {
    const { interrupted = [], going_on = [] } = line;
    const { kind } = redirect;
    if (kind === "redo") {
      const before = [...atomOf].flatMap(([attempt, atom]) => (atom === redirect.id ? [attempt] : []));
      rejected.push({ at: line.time, attempts: new Set(before) });
    }
    for (const [id, seen] of life.seen) {
      const isOver = seen.ends.length > 0 && seen.ends.at(-1) !== "work_succeeded";
      if (interrupted.includes(id)) hold(seen.discarded, "SPEC 8 redirect", () => `${id} is ended and counts`);
      else if (going_on.includes(id))
        hold(!seen.discarded, "SPEC 8 redirect", () => `${id} goes on and does not count`);
      else hold(isOver || seen.discarded, "SPEC 8 redirect", () => `a redirect says nothing of ${id}`);
    }
    const isHarmless = kind === "limit" || kind === "add";
    hold(!isHarmless || interrupted.length === 0, "SPEC 8 redirect", () => `${kind} ends ${interrupted.join()}`);
  };

  const checkStart = (call: Call, seen: Seen): void => {
    const others = [...life.open].filter((other) => other.port === "start" || other.port === "agent");
    const atWork = new Set(others.map((other) => other.attempt));
    const constraints = file?.state().objective.constraints;
    const parallel = constraints?.max_parallel_agents ?? 0;
    hold(atWork.size < parallel, "SCHEDULE-1", () => `${call.label} beside ${labels(others)} with ${parallel} slots`);
    hold(
      (perIteration.get(seen.iteration) ?? 0) <= parallel,
      "SCHEDULE-2",
      () => `too many in iteration ${seen.iteration}`,
    );
    hold(
      seen.iteration <= (constraints?.max_iterations ?? 0),
      "SPEC 4 fuel",
      () => `${call.label} in iteration ${seen.iteration} of ${constraints?.max_iterations}`,
    );
    hold(!isOpen("revert"), "SCHEDULE-5", () => `${call.label} while work is being taken out`);
    for (const other of atWork) {
      const beside = life.seen.get(other ?? "");
      hold(beside?.atom !== seen.atom, "SCHEDULE-4", () => `${call.label} beside ${other}`);
      if (beside !== undefined)
        hold(
          !touchTheSame(file, seen.atom, beside.atom),
          "SCHEDULE-4",
          () => `${call.label} touches what ${other} touches`,
        );
    }
  };
  const isOpen = (...ports: readonly Port[]): boolean => [...life.open].some((call) => ports.includes(call.port));

  const checkAttempt = (call: Call, id: string): void => {
    const seen = life.seen.get(id);
    if (seen === undefined) return breach("COORDINATOR-1", `${call.label} before its attempt is in the journal`);
    const first = seen.calls.filter((port) => port === call.port).length === 0;
    hold(first || call.port === "agent", "SPEC 8", () => `${call.label} is done twice`);
    if (call.port === "start") checkStart(call, seen);
    if (call.port === "agent" && call.request !== undefined) {
      if (call.request.repair === undefined) seen.repairs = 0;
      else seen.repairs++;
      hold(seen.repairs <= 1, "ASK-1", () => `${call.label} for the ${seen.repairs + 1}. time`);
      hold(seen.ends.length === 0, "PERFORM-1", () => `${call.label} after its end: ${seen.ends.join()}`);
    }
    if (call.port === "integrate") {
      hold(
        seen.ends.join() === "work_succeeded",
        "COORDINATOR-1",
        () => `${call.label} after ${seen.ends.join() || "nothing"}`,
      );
      hold(!seen.discarded, "SPEC 8", () => `${call.label} although it was discarded`);
      hold(!isOpen("checkout", "verify"), "SCHEDULE-5", () => `${call.label} while the base case is checked`);
    }
    if (call.port === "shelve") {
      hold(seen.ends.length > 0, "COORDINATOR-1", () => `${call.label} before its end is in the journal`);
      hold(seen.ends.at(-1) !== "attempt_integrated", "PORTS-1", () => `${call.label} although it was integrated`);
    }
    seen.calls.push(call.port);
  };

  const atRest = ({ calls, timers }: Rest): void => {
    hold(calls.length === 0, "COORDINATOR-3", () => `left at the end: ${labels(calls)}`);
    hold(timers === 0, "COORDINATOR-3", () => `${timers} timers are left`);
  };

  return {
    breaches,
    breach,

    passing: (_from, to) => {
      if (dirtySince !== null && to - dirtySince > LAG_MS)
        breach("COORDINATOR-2", `the state file lags behind by ${to - dirtySince} ms`);
      ms = Math.max(ms, to);
    },

    appended: (lines, disk) => {
      file = disk;
      for (const line of lines) {
        durable.add(line);
        // A halted loop takes notes only.
        if (!life.halted && isStructural(line, lastSaved)) life.unsaved.push(line.event);
        checkLine(line);
      }
      // Asked and refused at once: nothing has changed.
      if (life.redirects.length === 0) life.unsaved = life.unsaved.filter((event) => event !== "redirect_requested");
    },

    reported: (line) => hold(durable.has(line), "COORDINATOR-1", () => `${line.event} is told before it is on disk`),

    saved: (state, disk) => {
      life.unsaved = [];
      dirtySince = null;
      lastSaved = state;
      hold(isSame(disk.state(), state), "SPEC 2", () => "what was saved reads differently");
      const problems = checkInvariants(state);
      hold(problems.length === 0, "SPEC 2", () => `an invalid state is saved: ${problems[0]?.message}`);
      const { iteration } = state.control;
      hold(iteration >= savedIteration, "SPEC 4 fuel", () => `iteration ${iteration} saved over ${savedIteration}`);
      savedIteration = iteration;
    },

    starting: (attempt) => {
      const line = life.seen.get(attempt.id);
      hold(line?.iteration === attempt.iteration, "SCHEDULE-2", () => `${attempt.id} starts in ${attempt.iteration}`);
    },

    called: (call) => {
      hold(
        life.unsaved.length === 0,
        "COORDINATOR-2",
        () => `${call.label} before the state file has ${life.unsaved.join()}`,
      );
      if (call.attempt !== undefined) checkAttempt(call, call.attempt);
      if (call.port === "checkout") {
        hold(!isOpen("integrate", "revert"), "SCHEDULE-5", () => "checked while the branch moves");
        hold(!isOpen("checkout", "verify", "planner"), "SPEC 6", () => "two checks at once");
      }
      if (call.port === "checkout" || call.port === "look") life.checkouts++;
      if (call.port === "revert" && life.running) life.reverts++;
      life.open.add(call);
    },

    settled: (call, result) => {
      life.open.delete(call);
      const isDiscarded = life.seen.get(call.attempt ?? "")?.discarded === true;
      if (isDiscarded && call.signal !== undefined)
        hold(call.signal.aborted, "SPEC 8", () => `${call.label} was discarded and not killed`);
      if (call.port !== "agent" && call.port !== "planner" && call.port !== "verify") return;
      const { usage, kind } = result as Pick<AgentAnswer, "usage"> & { readonly kind?: string };
      life.spent += usage?.cost_usd ?? 0;
      if (kind === "unavailable") life.unavailable = true;
    },

    lookedAt: (version) => (life.looked = version),

    began: (entry, disk) => {
      file = disk;
      life = newLife();
      lastSaved = disk.state();
      savedIteration = Math.max(savedIteration, lastSaved.control.iteration);
      life.stopped = entry.from === "crashed" && entry.state.control.stop_requested;
      hold(entry.state.control.iteration >= opened, "SPEC 4 fuel", () => "a run begins with fuel given back");
      const { cost_usd } = entry.known.memory;
      hold(Math.abs(cost_usd - cost) < 1e-6, "SPEC 4 fuel", () => `a run begins with ${cost_usd} of ${cost} USD spent`);
    },

    crashed: () => {
      life.open.clear();
      dirtySince = null;
    },

    resolvedByHand: (atom) => void worked.delete(atom),

    ended: atRest,

    halted: (loop, world) => {
      atRest(world);
      dirtySince = null;
      const { state, run } = loop;
      hold(life.halted, "SPEC 9", () => "the run ended, and its journal does not say so");
      hold(life.unsaved.length === 0, "COORDINATOR-2", () => `never saved: ${life.unsaved.join()}`);
      hold(lastSaved !== null && isSame(lastSaved, state), "COORDINATOR-2", () => "the final state is not in the file");
      hold(life.redirects.length === 0, "SPEC 8 redirect", () => "a redirect was lost");
      for (const [id, seen] of life.seen) {
        const [first, second, ...more] = seen.ends;
        const isWhole = first === "work_succeeded" || second === undefined;
        hold(
          first !== undefined && more.length === 0 && isWhole,
          "PERFORM-1",
          () => `${id} ended with ${seen.ends.join()}`,
        );
        const landing = seen.calls.includes("integrate");
        hold(!landing || second !== undefined, "PERFORM-1", () => `the integration of ${id} got no event`);
        const kept = seen.calls.includes("shelve") || seen.ends.at(-1) === "attempt_integrated";
        hold(kept, "PORTS-1", () => `the work of ${id} is neither integrated nor kept`);
      }
      hold(life.reverts === life.reverted, "PERFORM-1", () => `${life.reverts} reverts, ${life.reverted} events`);
      hold(
        life.checkouts === life.answers,
        "PERFORM-1",
        () => `${life.checkouts} checks and plans, ${life.answers} events`,
      );
      hold(
        Math.abs(life.spent - life.reported) < 1e-6,
        "ASK-2",
        () => `${life.spent} USD spent, ${life.reported} told`,
      );
      checkOutcome(loop, life, world.version, hold);
      hold(run.halted === state.control.outcome, "SPEC 9", () => "outcome");
      checkBranch(state, world.branch, worked, hold);
      // Of a run that died before its state was saved the redirect was not made.
      const made = new Set(state.corrections.map(({ timestamp }) => timestamp));
      const stays = rejected
        .filter(({ at }) => made.has(at))
        .flatMap((one) => world.branch.filter(({ attempt }) => one.attempts.has(attempt)));
      hold(stays.length === 0, "SPEC 8 redo", () => `${stays[0]?.attempt} is in the branch and was to be done again`);
      const claimed = world.branch.find(({ attempt }) => refuted.has(attempt));
      hold(
        claimed === undefined,
        "WRONG-CLAIM-2",
        () => `${claimed?.attempt} is in the branch, and its claim was wrong`,
      );
    },
  };
}

/** Asking again for what is asked for already changes nothing. */
function isStructural(line: JournalLine, state: State | null): boolean {
  if (line.event === "stop_requested") return state?.control.stop_requested !== true;
  if (line.event === "redirect_requested") return state?.control.redirect_requested !== true;
  // A claim that was wrong is new work, which the journal alone could not bring back.
  if (line.event === "atom_reset") return line.lessons !== undefined;
  return STRUCTURAL.has(line.event);
}

function isSame(left: State, right: State): boolean {
  return isDeepStrictEqual(JSON.parse(shown(left)), JSON.parse(shown(right)));
}

/** In these tests `touches` are paths, not patterns. */
function touchTheSame(disk: Disk | null, left: string, right: string): boolean {
  const atoms = disk === null ? [] : disk.state().atoms;
  const touched = (id: string): readonly string[] => atoms.find((atom) => atom.id === id)?.touches ?? [];
  return touched(left).some((path) => touched(right).includes(path));
}

function labels(calls: readonly Call[]): string {
  return calls.map((call) => call.label).join(", ");
}
