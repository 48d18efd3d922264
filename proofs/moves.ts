/**
 * Everything that can happen next in a world: each answer to each thing that the loop asked for, and each hazard
 * that is left. The order is always the same, so that a history is a list of numbers.
 */
import type { Advice, Event } from "../src/core/event.ts";
import type { Attempt } from "../src/core/effect.ts";
import type { RunningAttempt } from "../src/core/loop.ts";
import { confirmedItems } from "../src/core/persons-word.ts";
import type { Redirect } from "../src/core/redirect.ts";
import { failingLeaves, isMechanical, judge, leavesOf, type ChecklistVerdict } from "../src/core/verdict.ts";
import { inWords, redirectsFor } from "../world/redirects.ts";
import { atRisk, commitDone, verdictOf } from "../world/world.ts";
import { FOR_EACH_WASTED, PASSES, RED_AGAIN, type World } from "./world.ts";

export const NOW = "2026-01-01T00:00:00.000Z";

export type Move =
  /** Somebody answers, or a person speaks: the event is journaled, then the state file is written where it must be. */
  | { readonly kind: "event"; readonly event: Event; readonly spends?: "stops" | "redirects" | "growths" | "losses" }
  /** As `event`, but the process dies when the event is journaled and the state file is not written. */
  | { readonly kind: "torn"; readonly event: Event }
  /** The state file is written although it need not be yet: the timer of the saver. */
  | { readonly kind: "flush" }
  /** The process dies. The first `landed` things that the workspace has to do are done, and nobody wrote so; `lost`: a revert took it along. */
  | { readonly kind: "crash"; readonly landed: number; readonly lost?: string }
  /** The run that halted says so, and ends. */
  | { readonly kind: "end" }
  /** `aot run`; `lost`: work that a revert left to this run takes with it. */
  | { readonly kind: "run"; readonly torn?: true }
  /** `aot redirect` on a loop that nobody works. */
  | { readonly kind: "edit"; readonly redirect: Redirect };

export function movesOf(world: World): readonly Move[] {
  switch (world.phase) {
    case "up":
      return movesAtWork(world);
    case "halted":
      return [{ kind: "end" }, ...crashes(world)];
    case "down":
      return runs(world);
    case "ended":
      return movesAtRest(world);
  }
}

function movesAtWork(world: World): readonly Move[] {
  const events = [...answersOf(world), ...requestsOf(world)];
  if (world.hazards.crashes === 0) return events;
  const torn = events.flatMap((move): Move[] => (move.kind === "event" ? [{ kind: "torn", event: move.event }] : []));
  const flush: readonly Move[] = world.flushed || world.file === world.loop.state ? [] : [{ kind: "flush" }];
  return [...events, ...flush, ...crashes(world), ...torn];
}

function movesAtRest(world: World): readonly Move[] {
  if (world.file.control.status === "completed") return [];
  const edits: readonly Move[] =
    world.hazards.redirects === 0 ? [] : redirectsFor(world.file).map((redirect) => ({ kind: "edit", redirect }));
  return [...(world.hazards.resumes === 0 ? [] : runs(world)), ...edits];
}

function runs({ hazards }: World): readonly Move[] {
  const torn: readonly Move[] = hazards.crashes === 0 ? [] : [{ kind: "run", torn: true }];
  return [{ kind: "run" }, ...torn];
}

function crashes({ hazards, queue, branch }: World): readonly Move[] {
  if (hazards.crashes === 0) return [];
  return Array.from({ length: queue.length + 1 }, (_, landed): readonly Move[] => {
    const last = landed === 0 ? undefined : queue[landed - 1];
    // What landed before it may be what is taken out.
    const landing = queue.slice(0, landed).flatMap((effect) => (effect.type === "integrate" ? [effect.attempt] : []));
    const there = [...branch, ...landing];
    const lost = last?.type !== "revert" || hazards.losses === 0 ? [] : atRisk(there, last.atoms);
    return [{ kind: "crash", landed }, ...lost.map((atom): Move => ({ kind: "crash", landed, lost: atom }))];
  }).flat();
}

/** What a person may say. */
function requestsOf({ hazards, loop }: World): readonly Move[] {
  const { stop_requested } = loop.state.control;
  const stop: Move = { kind: "event", event: { type: "stop_requested", at: NOW, reason: "enough" }, spends: "stops" };
  const redirects = hazards.redirects === 0 ? [] : redirectsFor(loop.state);
  return [
    ...(hazards.stops === 0 || stop_requested ? [] : [stop]),
    ...redirects.map((redirect): Move => ({
      kind: "event",
      event: { type: "redirect_requested", at: NOW, redirect },
      spends: "redirects",
    })),
  ];
}

/** What the world may answer. */
function answersOf(world: World): readonly Move[] {
  return [
    ...world.agents.flatMap((attempt) => agentMoves(world, attempt)),
    ...workspaceMoves(world),
    ...checkMoves(world),
    ...plannerMoves(world),
    ...adviceMoves(world),
  ];
}

function agentMoves(world: World, { id: attempt, role, atom }: Attempt): readonly Move[] {
  const running = world.loop.run.attempts.find((one) => one.attempt.id === attempt);
  const artifacts = world.files ? [fileOf(atom)] : [];
  const worked: Event = { type: "work_succeeded", at: NOW, attempt, summary: `did ${atom}`, artifacts };
  const failed: Event = { type: "attempt_failed", at: NOW, attempt, kind: "failed", reason: "red" };
  const aborted: Event = { type: "attempt_aborted", at: NOW, attempt };
  const found: Event = { type: "probe_feasible", at: NOW, attempt, findings: "it can be done" };
  const good = role === "probe" ? found : worked;
  if (running === undefined || running.discarded) return [aborted, good, failed].map(answer);
  return [
    ...[good, failed, { type: "agent_unavailable", at: NOW, attempt, reason: "429" } as const].map(answer),
    // A second Ctrl-C kills the agents behind a stop.
    ...(world.loop.state.control.stop_requested ? [answer(aborted)] : []),
    ...(role === "probe" ? [] : splits(world, running)),
  ];
}

/** Two children in a row, two side by side, and a split that names nobody. */
function splits({ hazards }: World, { attempt }: RunningAttempt): readonly Move[] {
  if (hazards.growths === 0) return [];
  const x = { id: "x", description: "x" };
  const kinds = [
    [x, { description: "y", depends_on: ["x"] }],
    [x, { description: "y" }],
    [{ description: "z", depends_on: ["nobody"] }],
  ];
  return kinds.map((children): Move => ({
    kind: "event",
    event: { type: "work_split", at: NOW, attempt: attempt.id, children, reason: "large" },
    spends: "growths",
  }));
}

function answer(event: Event): Move {
  return { kind: "event", event };
}

/** Only the first thing in the queue can end (PORTS-3 of the workspace). */
function workspaceMoves(world: World): readonly Move[] {
  const { queue, hazards, branch } = world;
  const first = queue[0];
  if (first === undefined) return [];
  const done = (lost?: readonly string[]): Event => commitDone(world, first, NOW, lost);
  if (first.type === "integrate") {
    const failed = { type: "attempt_failed", at: NOW, attempt: first.attempt.id } as const;
    // Where atoms touch one file that is where others conflict, too.
    const files = world.loop.state.atoms.find(({ touches }) => touches !== undefined)?.touches;
    return [
      answer(done()),
      answer({ ...failed, kind: "conflict", reason: "conflict", ...(files === undefined ? {} : { files }) }),
      answer({ ...failed, kind: "protected", reason: "protected" }),
    ];
  }
  const left = hazards.losses === 0 ? [] : atRisk(branch, first.atoms);
  return [answer(done()), ...left.map((atom): Move => ({ kind: "event", event: done([atom]), spends: "losses" }))];
}

function checkMoves(world: World): readonly Move[] {
  const { checking, loop } = world;
  if (checking === null) return [];
  const aborted: readonly Move[] =
    loop.run.check?.aborting === true ? [answer({ type: "background_aborted", at: NOW, call: "check" })] : [];
  const { base_case } = loop.state.objective;
  // Of an assertion a judge's yes wants a person's.
  const isYes = leavesOf(base_case).every(
    ({ item, check }) => isMechanical(check) || confirmedItems(loop.state).has(item),
  );
  const verdicts = [...(isYes ? [true] : []), false, null].map((passed) => verdictOf(base_case, passed));
  const unconfirmed = { ...verdictOf(base_case, true), requires_user_confirmation: true };
  return [
    ...[...verdicts, unconfirmed, ...partly(loop), ...oftener(world), ...naming(world)].map((verdict) =>
      answer({ type: "base_case_checked", at: NOW, verdict, commit: checking, tree: checking }),
    ),
    answer({
      type: "base_case_checked",
      at: NOW,
      verdict: verdictOf(base_case, null),
      commit: checking,
      unavailable: "no judge",
    }),
    answer({ type: "tampered", at: NOW, files: ["check.sh"] }),
    ...aborted,
  ];
}

function fileOf(atom: string): string {
  return `${atom}.txt`;
}

/** Verdicts whose evidence names the file of one atom, or of all. */
function naming({ files, loop }: World): readonly ChecklistVerdict[] {
  if (!files) return [];
  const { atoms, objective } = loop.state;
  const all = atoms.map(({ id }) => `${fileOf(id)} is wrong`);
  return [...all, all.join(" ")].map((reason) =>
    judge(objective.base_case, () => ({ passed: false, evidence: { kind: "judgement", reason } })),
  );
}

/** Where runs are counted: as many passes as a check that was red wants, and as one that was flaky, too; as many reds as that one. */
function oftener({ loop, trust }: World): readonly ChecklistVerdict[] {
  if (trust === 0) return [];
  const said = (passed: boolean, runs: number): ChecklistVerdict =>
    judge(loop.state.objective.base_case, () => ({ passed, evidence: { kind: "judgement", reason: "" }, runs }));
  return [said(true, PASSES), said(true, PASSES + FOR_EACH_WASTED), said(false, RED_AGAIN)];
}

/** With several leaves: the first of them pass. */
function partly({ state }: World["loop"]): readonly ChecklistVerdict[] {
  const leaves = leavesOf(state.objective.base_case);
  return leaves.slice(1).map((_, green) => {
    let leaf = 0;
    return judge(state.objective.base_case, () => ({
      passed: leaf++ <= green,
      evidence: { kind: "judgement", reason: "" },
    }));
  });
}

const ASKS = "pay the bill";

function plannerMoves({ planning, loop, hazards }: World): readonly Move[] {
  if (!planning) return [];
  const x = { id: "x", description: "x" };
  const two: Move = {
    kind: "event",
    event: { type: "replanned", at: NOW, atoms: [x, { description: "y", depends_on: ["x"] }], reason: "red" },
    spends: "growths",
  };
  return [
    answer({ type: "replanned", at: NOW, atoms: [], reason: "red" }),
    answer({ type: "replanned", at: NOW, atoms: [{ description: "z", depends_on: ["nobody"] }], reason: "red" }),
    answer({ type: "replanned", at: NOW, atoms: [], reason: "red", unavailable: "no planner" }),
    answer({ type: "replanned", at: NOW, atoms: [], reason: "", needs_person: ASKS }),
    ...(hazards.growths === 0 ? [] : [two]),
    ...plannerAborted(loop),
  ];
}

function plannerAborted({ run: { planner } }: World["loop"]): readonly Move[] {
  return planner?.aborting === true ? [answer({ type: "background_aborted", at: NOW, call: "planner" })] : [];
}

/** Advice of every kind, usable or not; what makes the work grow spends. */
function adviceMoves({ asking, loop, hazards }: World): readonly Move[] {
  if (asking === null) return [];
  const says = (advice: Advice | null): Event => ({ type: "advised", at: NOW, atom: asking, advice, reason: "stuck" });
  const x = { id: "x", description: "x" };
  const growing: readonly Advice[] = [
    { kind: "split", atoms: [x, { description: "y", depends_on: ["x"] }] },
    { kind: "alternative", atom: x },
  ];
  const others = loop.state.atoms.flatMap(({ id }) => (id === asking ? [] : [id]));
  return [
    ...[null, { kind: "reword", description: "otherwise" } as const, { kind: "hopeless" } as const].map((advice) =>
      answer(says(advice)),
    ),
    ...others.map((id) => answer(says({ kind: "reorder", depends_on: [id] }))),
    answer({ type: "advised", at: NOW, atom: asking, advice: null, reason: "429", unavailable: "no planner" }),
    answer({ type: "advised", at: NOW, atom: asking, advice: null, reason: "", needs_person: ASKS }),
    ...(hazards.growths === 0
      ? []
      : growing.map((advice): Move => ({ kind: "event", event: says(advice), spends: "growths" }))),
    ...plannerAborted(loop),
  ];
}

/** Whether the world owes this: a loop whose every such move is made halts (the others need not happen). */
export function isOwed(world: World, move: Move): boolean {
  if (move.kind === "end") return true;
  if (move.kind === "run") return world.phase === "down" && move.torn === undefined;
  return move.kind === "event" && move.spends === undefined;
}

/** A move in words; two moves of one world never have the same. */
export function labelOf(move: Move): string {
  switch (move.kind) {
    case "event":
      return eventInWords(move.event);
    case "torn":
      return `${eventInWords(move.event)}, then killed before the state file is written`;
    case "flush":
      return "the state file is written";
    case "crash":
      return move.landed === 0
        ? "killed"
        : `killed, with ${move.landed} done in git and not journaled${move.lost === undefined ? "" : `, ${move.lost} lost`}`;
    case "end":
      return "the run ends";
    case "run":
      return `aot run${move.torn === true ? ", killed before the state file is written" : ""}`;
    case "edit":
      return `aot redirect ${inWords(move.redirect)}`;
  }
}

function adviceInWords(advice: Advice | null): string {
  if (advice === null) return "nothing";
  return advice.kind === "reorder" ? `reorder behind ${advice.depends_on.join()}` : advice.kind;
}

function namedIn(verdict: ChecklistVerdict): string {
  const [first] = failingLeaves(verdict);
  return first?.evidence.kind === "judgement" && first.evidence.reason !== "" ? `: ${first.evidence.reason}` : "";
}

function eventInWords(event: Event): string {
  switch (event.type) {
    case "attempt_failed":
      return `${event.attempt}: ${event.kind}`;
    case "work_split":
      return `${event.attempt}: split into ${event.children.map((child) => `${child.description}${child.depends_on === undefined ? "" : ` after ${child.depends_on.join()}`}`).join(" and ")}`;
    case "base_case_checked":
      return `base case: ${event.unavailable ?? String(event.verdict.passed)}, ${failingLeaves(event.verdict).length} failing${namedIn(event.verdict)}${event.verdict.requires_user_confirmation ? ", to be confirmed" : ""}`;
    case "replanned":
      return `planner: ${event.unavailable ?? event.needs_person ?? (event.atoms.map((atom) => atom.description).join(" and ") || "nothing")}`;
    case "advised":
      return `planner on ${event.atom}: ${event.unavailable ?? event.needs_person ?? adviceInWords(event.advice)}`;
    case "work_reverted":
      return `reverted${event.lost.length === 0 ? "" : `, ${event.lost.join()} lost`}`;
    case "redirect_requested":
      return `redirect: ${inWords(event.redirect)}`;
    case "stop_requested":
      return "stop";
    case "run_started":
      return "run_started";
    case "background_aborted":
      return `${event.call} aborted`;
    case "tampered":
    case "time_passed":
    case "hold_changed":
      return event.type;
    case "work_succeeded":
    case "probe_feasible":
    case "attempt_integrated":
    case "attempt_aborted":
    case "agent_unavailable":
      return `${event.attempt}: ${event.type}`;
  }
}
