/**
 * The oracle of the command runs. It learns what the commands do, reads the journal line by line, and says of each
 * line whether it may be there; after each command the loop that a crash would leave has to be the ledger's.
 */
import { entranceOf, inheritedBy } from "../../src/core/entrance.ts";
import { createLoop } from "../../src/core/loop.ts";
import type { AnyLine } from "../../src/core/journal-line.ts";
import { changesOf, isPatient, type Redirect } from "../../src/core/redirect.ts";
import type { State } from "../../src/core/state.ts";
import { step } from "../../src/core/step.ts";
import {
  doneLeaves,
  endedBy,
  fail,
  isExecutable,
  ledgerOf,
  redirected,
  resolve,
  split,
  takeBack,
  unresolved,
  wouldRefuse,
  type Ledger,
} from "./ledger.ts";
import { recallOf, type Disk } from "./disk.ts";
import type { World } from "./world.ts";
import { fieldsOf } from "../support/lines.ts";

interface Work {
  readonly atom: string;
  phase: "working" | "delivered" | "integrating";
  /** Its result does not count any more. */
  void: boolean;
}

export interface Model {
  readonly ledger: Ledger;
  /** `idle`: nobody runs it, after a halt or before the first run. `crashed`: nobody runs it, and nobody may touch it. */
  phase: "idle" | "live" | "crashed" | "over";
  /** Fuel: the highest iteration that was opened, and how many attempts it has. */
  opened: number;
  issued: number;
  /** Whose attempts they are. */
  readonly tried: Set<string>;
  limits: { max_iterations: number; max_parallel_agents: number };
  goal: string;
  /** A person added work while the base case was checked or planned for. */
  grown: boolean;
  readonly attempts: Map<string, number>;
  /** How many of them failed, by atom. */
  readonly failed: Map<string, number>;
  /** Atoms whose result is a person's word; and whether the goal is not the one that attempts were made for. */
  readonly worded: Set<string>;
  goal_set: boolean;
  readonly work: Map<string, Work>;
  stopping: boolean;
  /** A stop was written into the state file, and not seen yet. */
  stopWritten: boolean;
  readonly redirects: Redirect[];
  /** Lines that have to come, `event:attempt`. */
  readonly expected: string[];
  /** Milliseconds waited for a rate limit, by attempt. */
  readonly waited: Map<string, number>;
  verdict: boolean | null | undefined;
  checking: boolean;
  reverting: number;
  halted: string | null;
  /** The active run is in the journal. */
  begun: boolean;
  /** It only comes to rest: the agent is not available, or a protected file changed. */
  ending: boolean;
  /** Journal lines that were read. */
  read: number;
  readonly problems: string[];
}

export function modelOf(state: State): Model {
  const { max_iterations, max_parallel_agents } = state.objective.constraints;
  return {
    ledger: ledgerOf(state),
    phase: "idle",
    opened: 0,
    issued: 0,
    tried: new Set(),
    limits: { max_iterations, max_parallel_agents },
    goal: state.objective.goal,
    grown: false,
    attempts: new Map(),
    failed: new Map(),
    worded: new Set(),
    goal_set: false,
    work: new Map(),
    stopping: false,
    stopWritten: false,
    redirects: [],
    expected: [],
    waited: new Map(),
    verdict: undefined,
    checking: false,
    reverting: 0,
    halted: null,
    begun: false,
    ending: false,
    read: 0,
    problems: [],
  };
}

// ── what commands promise ───────────────────────────────────────────────────

export function promise(model: Model, event: string, attempt = ""): void {
  model.expected.push(`${event}:${attempt}`);
}

export function promiseRedirect(model: Model, redirect: Redirect): void {
  promise(model, "redirect_requested");
  if (model.halted !== null) return;
  if (model.redirects.length === 0 && isRefused(model, redirect)) return promise(model, "redirect_refused");
  model.redirects.push(redirect);
}

/** A limit is not below what is spent of it. */
function isTooLow({ opened }: Model, redirect: Redirect): boolean {
  return changesOf(redirect).some(
    (change) => change.kind === "limit" && change.constraint === "max_iterations" && Number(change.value) < opened,
  );
}

function isRefused(model: Model, redirect: Redirect): boolean {
  return isTooLow(model, redirect) || wouldRefuse(model.ledger, redirect);
}

/** Whether it is accepted; then it is done. */
export function accepts(model: Model, redirect: Redirect): boolean {
  return !isTooLow(model, redirect) && redirected(model.ledger, redirect);
}

/** Whose work a redirect ends; one that is refused, or a goal that is what it was, ends nobody's. */
function isEnded(model: Model, redirect: Redirect): (atom: string) => boolean {
  if (isRefused(model, redirect)) return () => false;
  if (redirect.kind === "set") return () => redirect.value !== model.goal;
  return endedBy(model.ledger, redirect);
}

export function forgetLife(model: Model): void {
  model.work.clear();
  model.expected.length = 0;
  model.redirects.length = 0;
  model.waited.clear();
  model.begun = false;
  model.halted = null;
  model.ending = false;
  model.verdict = undefined;
  model.checking = false;
  model.reverting = 0;
  model.issued = model.limits.max_parallel_agents;
}

// ── what the journal says ───────────────────────────────────────────────────

const AWAITED = new Set(
  (
    "work_succeeded work_split attempt_failed attempt_aborted agent_unavailable attempt_integrated " +
    "work_reverted base_case_checked background_aborted tampered redirect_requested stop_requested"
  ).split(" "),
);

function text(line: AnyLine, key: string): string {
  const value = fieldsOf(line)[key];
  return typeof value === "string" ? value : "";
}

/** Reads what the journal says since the last time. */
export function readOn(model: Model, disk: Disk): void {
  const lines = disk.lines();
  for (const line of lines.slice(model.read)) if (line["run"] !== "by hand") readLine(model, line);
  model.read = lines.length;
}

/** Nobody waits for a rate limit any more once nothing new is started, or its result does not count. */
function mayGiveUpWaiting(model: Model, attempt: string): boolean {
  if (!model.waited.has(attempt)) return false;
  return model.stopping || model.ending || model.work.get(attempt)?.void === true;
}

function readLine(model: Model, line: AnyLine): void {
  const event = text(line, "event");
  const attempt = text(line, "attempt");
  const wrong = (what: string): void => void model.problems.push(`${event} ${attempt}: ${what}`);
  if (AWAITED.has(event)) {
    const place = model.expected.indexOf(`${event}:${attempt}`);
    if (place >= 0) model.expected.splice(place, 1);
    else if (event === "stop_requested" && model.stopWritten) model.stopWritten = false;
    else if (event === "attempt_aborted" && mayGiveUpWaiting(model, attempt)) model.waited.delete(attempt);
    else wrong("nobody asked for it");
  }
  const work = model.work.get(attempt);
  switch (event) {
    case "run_started":
      model.halted = null;
      model.begun = true;
      // What a redirect of the stopped loop left is taken out first.
      model.reverting = fieldsOf(line)["revert"] === undefined ? 0 : 1;
      return;
    case "iteration_opened": {
      const number = Number(line["iteration"]);
      if (number !== model.opened + 1) wrong(`${number} after ${model.opened}`);
      if (number > model.limits.max_iterations) wrong(`${number} of ${model.limits.max_iterations}`);
      model.opened = number;
      model.issued = 0;
      model.tried.clear();
      return;
    }
    case "attempt_started":
      return readStart(model, attempt, text(line, "atom"), wrong);
    case "attempt_discarded":
      if (work === undefined) return wrong("nobody works at it");
      if (!work.void && model.verdict !== true && !isAskedToEnd(model, work)) wrong("its result still counts");
      work.void = true;
      if (work.phase === "delivered") model.work.delete(attempt);
      return;
    case "work_succeeded":
      if (work === undefined) return wrong("nobody works at it");
      if (work.void) model.work.delete(attempt);
      else work.phase = "delivered";
      return;
    case "attempt_failed":
      model.work.delete(attempt);
      if (work !== undefined && !work.void) readFailure(model, work.atom, line);
      return;
    case "agent_unavailable":
      if (work !== undefined && !work.void) model.ending = true;
      model.work.delete(attempt);
      return;
    case "attempt_aborted":
    case "work_split":
      model.work.delete(attempt);
      return;
    case "attempt_integrated":
      model.work.delete(attempt);
      if (work !== undefined && !work.void) resolve(model.ledger, work.atom);
      model.verdict = undefined;
      return;
    case "atom_reset":
      if (fieldsOf(line)["lessons"] !== undefined) readClaim(model, text(line, "atom"), wrong);
      return;
    case "atom_decomposed": {
      const ids = (fieldsOf(line)["children"] as readonly string[] | undefined) ?? [];
      const [first = "", second = ""] = ids;
      if (ids.length !== 2) wrong(`into ${ids.join()}`);
      split(model.ledger, text(line, "atom"), [
        { id: first, depends_on: [] },
        { id: second, depends_on: [first] },
      ]);
      return;
    }
    case "atoms_added": {
      const [added] = fieldsOf(line)["atoms"] as readonly { id: string }[];
      if (model.verdict !== false || (unresolved(model.ledger).length > 0 && !model.grown)) wrong("nothing failed");
      if (!model.grown && suspectOf(model) !== undefined) wrong(`${suspectOf(model)} is to blame`);
      model.grown = false;
      if (added !== undefined) model.ledger.atoms.set(added.id, { depends_on: [], resolved: false });
      return;
    }
    case "base_case_checked":
      model.checking = false;
      model.grown = false;
      return;
    case "background_aborted":
    case "tampered":
      if (event === "tampered") model.ending = true;
      model.checking = false;
      model.verdict = undefined;
      return;
    case "work_reverted":
      model.reverting--;
      return;
    case "stop_requested":
      if (model.halted === null) model.stopping = true;
      return;
    case "redirected":
    case "redirect_refused":
      return readRedirect(model, event, wrong);
    case "halted":
      return readHalt(model, text(line, "outcome"), wrong);
  }
}

type Wrong = (what: string) => void;

function readStart(model: Model, attempt: string, atom: string, wrong: Wrong): void {
  const number = (model.attempts.get(atom) ?? 0) + 1;
  const busy = [...model.work.values()];
  if (attempt !== `${atom}.${number}`) wrong(`it is attempt ${number}`);
  if (!isExecutable(model.ledger, atom)) wrong("not executable");
  if (busy.some((work) => work.atom === atom)) wrong("somebody works at it");
  if (busy.filter((work) => work.phase === "working").length >= model.limits.max_parallel_agents) wrong("no slot");
  if (model.stopping) wrong("a stop was asked for");
  if (model.redirects.length > 0) wrong("a redirect waits");
  if (model.checking) wrong("the base case is being checked");
  if (model.reverting > 0) wrong("work is being taken out");
  if (model.tried.has(atom)) wrong("its second attempt in one iteration");
  model.tried.add(atom);
  if (++model.issued > model.limits.max_parallel_agents) wrong("the batch is spent");
  model.attempts.set(atom, number);
  model.work.set(attempt, { atom, phase: "working", void: false });
}

/** Who claimed success, where only one atom did anything: while it has not failed twice nobody plans. */
function suspectOf({ ledger, attempts, failed, worded, goal_set }: Model): string | undefined {
  const [only, ...others] = doneLeaves(ledger);
  if (only === undefined || others.length > 0 || worded.has(only) || goal_set) return undefined;
  return (attempts.get(only) ?? 0) > 0 && (failed.get(only) ?? 0) < 1 ? only : undefined;
}

function readClaim(model: Model, atom: string, wrong: Wrong): void {
  if (model.verdict !== false || unresolved(model.ledger).length > 0) wrong("nothing failed");
  if (suspectOf(model) !== atom) wrong(`${atom} is held to have claimed wrongly, not ${suspectOf(model)}`);
  countFailure(model, atom);
  takeBack(model.ledger, atom);
  model.verdict = undefined;
}

function countFailure({ failed }: Model, atom: string): void {
  failed.set(atom, (failed.get(atom) ?? 0) + 1);
}

function readFailure(model: Model, atom: string, line: AnyLine): void {
  countFailure(model, atom);
  if (fieldsOf(line)["kind"] === "conflict") return;
  const gone = fail(model.ledger, atom);
  for (const work of model.work.values()) if (gone.includes(work.atom)) work.void = true;
}

function readRedirect(model: Model, event: string, wrong: Wrong): void {
  const place = model.expected.indexOf("redirect_refused:");
  if (event === "redirect_refused" && place >= 0) return void model.expected.splice(place, 1);
  const redirect = model.redirects.shift();
  if (redirect === undefined) return wrong("nobody asked for it");
  const ended = isEnded(model, redirect);
  const spared = [...model.work].filter(([, work]) => !work.void && ended(work.atom));
  const isAccepted = accepts(model, redirect);
  if (isAccepted !== (event === "redirected")) wrong(`${isAccepted ? "nothing" : "much"} speaks against it`);
  if (!isAccepted) return;
  if (spared.length > 0) wrong(`${spared.map(([attempt]) => attempt).join()} goes on`);
  if (redirect.kind === "set" && redirect.value !== model.goal) model.verdict = undefined;
  if (changesOf(redirect).some(({ kind }) => kind === "add")) model.grown = true;
  setLimits(model, redirect);
}

/** By the redirect that is applied next; what is landing is waited for. */
function isAskedToEnd(model: Model, work: Work): boolean {
  const [next] = model.redirects;
  return next !== undefined && !isPatient(next) && work.phase !== "integrating" && isEnded(model, next)(work.atom);
}

export function setLimits(model: Model, redirect: Redirect): void {
  if (redirect.kind === "set" && redirect.field === "goal" && typeof redirect.value === "string")
    model.goal = redirect.value;
  if (redirect.kind === "transaction") return redirect.changes.forEach((change) => setLimits(model, change));
  if (redirect.kind === "rebind") model.worded.add(redirect.id);
  if (redirect.kind === "set") model.goal_set = true;
  if (redirect.kind !== "limit" || typeof redirect.value !== "number") return;
  if (redirect.constraint === "max_iterations" || redirect.constraint === "max_parallel_agents")
    model.limits[redirect.constraint] = redirect.value;
}

function readHalt(model: Model, outcome: string, wrong: Wrong): void {
  const left = unresolved(model.ledger);
  const exhausted = [...model.ledger.groups.values()].some((group) =>
    group.choices.every((choice) => group.failed.has(choice)),
  );
  const may: Record<string, boolean> = {
    verified: model.verdict === true,
    stop_requested: model.stopping,
    or_group_exhausted: exhausted,
    deadlock: left.length > 0 && !left.some((id) => isExecutable(model.ledger, id)),
    max_iterations: model.opened >= model.limits.max_iterations,
    needs_confirmation: model.verdict === null && left.length === 0,
    stalled: true,
    agent_unavailable: true,
    tampered: true,
  };
  if (may[outcome] !== true) wrong(`it may not end ${outcome}`);
  if (model.work.size > 0) wrong(`${[...model.work.keys()].join()} at work`);
  if (model.redirects.length > 0) wrong("a redirect was lost");
  if (model.stopping && outcome !== "stop_requested") wrong("a stop was asked for");
  model.halted = outcome;
}

// ── what holds after every command ──────────────────────────────────────────

/** @throws Error with all that is wrong */
export function agree(model: Model, world: World, disk: Disk, breaches: readonly string[]): void {
  const problems = [...model.problems, ...breaches];
  // A halted run is active until everything came to rest.
  if (model.halted !== null && !world.isLive()) model.phase = model.halted === "verified" ? "over" : "idle";
  if (world.isLive() !== (model.phase === "live")) problems.push(`the run is ${world.isLive() ? "" : "not "}at work`);
  const isResting = model.phase === "live" && model.halted !== null;
  if (model.expected.length > 0 && !isResting) problems.push(`promised and not told: ${model.expected.join()}`);
  problems.push(...differences(model.ledger, ledgerOf(afterCrash(world, disk))));
  if (model.phase === "live" && !isResting) problems.push(...idleness(model, world));
  const open = world.calls();
  model.checking = open.some((call) => ["checkout", "verify"].includes(call.port));
  model.reverting = open.filter((call) => call.port === "revert").length;
  for (const { port, attempt } of open) {
    const work = model.work.get(attempt ?? "");
    if (port === "integrate" && work !== undefined) work.phase = "integrating";
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/** The loop that would be gone on with if the run died now. */
function afterCrash(world: World, disk: Disk): State {
  const known = recallOf(disk);
  const { state, from, missing } = entranceOf(disk.state(), known);
  if (missing.length > 0) return state;
  return step(createLoop(state), {
    type: "run_started",
    at: world.now(),
    run: "what if",
    from,
    settings: { verify_each: false, confirmed: false },
    ...inheritedBy(state, known, { integrated: world.branch(), reverts: world.reverts() }).start,
  }).loop.state;
}

function differences(model: Ledger, real: Ledger): readonly string[] {
  const shown = (ledger: Ledger): readonly string[] => [
    ...[...ledger.atoms].map(([id, { resolved, parent }]) => `${id} in ${parent}: ${resolved ? "resolved" : "open"}`),
    ...[...ledger.groups].map(
      ([name, g]) => `${name}: ${g.selected} of ${g.choices.join()}, not ${[...g.failed].join()}`,
    ),
  ];
  const [left, right] = [shown(model), shown(real)];
  const lost = left.filter((line) => !right.includes(line));
  const extra = right.filter((line) => !left.includes(line));
  return lost.length + extra.length === 0 ? [] : [`model: ${lost.join("; ")}\nloop: ${extra.join("; ")}`];
}

/** Somebody has to be running, and no slot stays idle while an atom is executable and fuel is left (SCHEDULE-3). */
function idleness(model: Model, world: World): readonly string[] {
  const open = world.calls().filter((call) => call.port !== "shelve" && call.port !== "release");
  const [redirect] = model.redirects;
  const isFinishing = redirect !== undefined && isPatient(redirect);
  const landing = [...model.work.values()]
    .filter(({ phase, void: isVoid }) => phase === "integrating" || (isFinishing && !isVoid))
    .map(({ atom }) => atom);
  // Also one that the last step asked for.
  const isReverting = model.reverting > 0 || open.some(({ port }) => port === "revert");
  if (redirect !== undefined && !isReverting && !landing.some(isEnded(model, redirect)))
    return [`a redirect waits for nothing: ${redirect.kind}`];
  const waits = [...model.work.keys()].filter((attempt) => model.waited.has(attempt));
  const idle = waits.filter((attempt) => !open.some((call) => call.attempt === attempt));
  if (model.stopping && idle.length > 0) return [`waits although a stop was asked for: ${idle.join()}`];
  if (open.length === 0 && waits.length === 0) return ["nothing is at work, and the run does not end"];
  const isExhausted = [...model.ledger.groups.values()].some((g) => g.choices.every((choice) => g.failed.has(choice)));
  if (
    isExhausted ||
    model.ending ||
    model.stopping ||
    model.redirects.length > 0 ||
    model.checking ||
    model.reverting > 0
  )
    return [];
  const busy = [...model.work.values()];
  if (busy.some((work) => work.void)) return [];
  if (open.some((call) => ["look", "checkout", "verify", "revert"].includes(call.port))) return [];
  const slots = model.limits.max_parallel_agents - busy.filter((work) => work.phase === "working").length;
  const { max_iterations, max_parallel_agents } = model.limits;
  const mayOpen = model.opened < max_iterations;
  const fuel = mayOpen || (model.opened === max_iterations && model.issued < max_parallel_agents);
  const free = [...model.ledger.atoms.keys()].filter(
    (id) =>
      isExecutable(model.ledger, id) && !busy.some((work) => work.atom === id) && (mayOpen || !model.tried.has(id)),
  );
  return slots > 0 && fuel && free.length > 0
    ? [`SCHEDULE-3: ${slots} slots are idle, and ${free.join()} could be worked`]
    : [];
}
