/** Rules about going on and ending: judgement, decision, verification, halts. */
import { atomIn } from "../../src/core/event.ts";
import { currentVerdict, memoryOf } from "../../src/core/loop.ts";
import type { Movement } from "../../src/core/progress.ts";
import { EXIT_CODES, type State } from "../../src/core/state.ts";
import { failingLeaves, type ChecklistVerdict } from "../../src/core/verdict.ts";
import { boardOf, hasWayOut, outcomeOf, wrongClaimant } from "../oracle.ts";
import { openedAfter } from "../opened.ts";
import { heard, tipOf, type Stepped } from "../../world/world.ts";
import { isDoubted, isFlakyHere, type Opened, type World, wasFlaky } from "../world.ts";
import { breach, keptUnless, type Finding, type Observed, type Rule } from "./rule.ts";

export const ENDING: readonly Rule[] = [
  {
    id: "WAITS",
    of: "worlds",
    says: "a loop that has not halted always waits for something that is under way, and for nothing else",
    source: "SPEC 3, PERFORM-1",
    check({ after }) {
      if (after.phase !== "up") return "idle";
      return keptUnless(missingAnswer(after));
    },
  },
  {
    id: "JUDGED",
    of: "transitions",
    says: "an iteration is compared with what was known when it opened: M below the low water, or a verdict with fewer failing leaves than every one before, is progress and clears the stall count; an equal M is a stall, a larger one an expansion, and each adds 1, but for what is credited and for failures of atoms that had one attempt, or at most twice as many as a resolved one that took several; one that a redirect ended whole is not judged",
    source: "SPEC 4, PROGRESS-1, PROGRESS-2, PROGRESS-3, BLAME-1, BLAME-2",
    check: (observed) => judgements(observed),
  },
  {
    id: "ASKED",
    of: "transitions",
    says: "where there is a planner it is asked about each atom once, of those that are open; what is asked about is not attempted meanwhile, and advice that is taken leaves room for one more iteration",
    source: "SPEC 4, QUESTION-1 to QUESTION-3",
    check: (observed) => asked(observed),
  },
  {
    id: "BESIDE",
    of: "transitions",
    says: "a check that is due after an iteration and the planner's question about an atom never wait for each other: each begins while the other is under way, at most one of each at a time",
    source: "SPEC 4, ADVANCE-1",
    check: (observed) => beside(observed),
  },
  {
    id: "CLAIM",
    of: "transitions",
    says: "where everything is done, the base case is false and one atom is to blame, that is its failure and no work for a planner before it has failed twice: it is pending without a binding, or its choice gave way to the next; it knows why, and its work is taken out",
    source: "SPEC 6 and 7, WRONG-CLAIM-1 to WRONG-CLAIM-3",
    check: (observed) => claimed(observed),
  },
  {
    id: "PERSON",
    of: "transitions",
    says: "a planner that says what only a person can do ends the loop with that sentence: nothing is planned and nothing more begun",
    source: "SPEC 4 and 6, CONVERGE-3",
    check({ stepped, after: { phase } }) {
      if (stepped === null || phase === "down") return "idle";
      const { event, before, after, facts, effects } = stepped;
      if ((event.type !== "replanned" && event.type !== "advised") || event.needs_person === undefined) return "idle";
      if (before.run.planner === null || before.run.planner.aborting === true) return "idle";
      if (after.run.needs_person !== event.needs_person) return breach("it is not heard");
      if (facts.some(({ fact }) => fact === "atoms_added" || fact === "advice_taken")) return breach("work is planned");
      const message = after.state.control.stop_reason ?? "";
      if (after.run.halted === "needs_confirmation" && !message.includes(event.needs_person))
        return breach(`the person is told "${message}"`);
      const goesOn = effects.some(({ type }) => ["start_attempt", "replan", "ask_planner"].includes(type));
      return keptUnless(goesOn ? "the loop goes on" : null);
    },
  },
  {
    id: "OUTCOME",
    of: "transitions",
    says: "a halted loop has one outcome, the first that matches in the order of SPEC 4, told once, with status and exit code to it",
    source: "SPEC 4 and 9, CONVERGE-1",
    check: (observed) => halts(observed),
  },
  {
    id: "DEADLOCK",
    of: "transitions",
    says: "where nothing can run, nothing runs and M > 0 a deadlock is reported, with each atom that waits",
    source: "SPEC 3",
    check({ after, stepped }) {
      if (after.phase !== "halted" || stepped === null) return "idle";
      const board = boardOf(after.loop.state);
      const stuck = board.measure > 0 && board.executable.length === 0;
      const { halted } = after.loop.run;
      if (halted !== "deadlock") return "idle";
      if (!stuck) return breach(`a deadlock although ${board.executable.join(", ") || "nothing"} may run`);
      const message = after.loop.state.control.stop_reason ?? "";
      const waiting = board.atoms.filter(
        ({ id, status }) => status !== "resolved" && !board.isContainer(id) && board.isLive(id),
      );
      const untold = waiting.find(({ id }) => !new RegExp(`\\b${id} waits for (?!nothing)`).test(message));
      return keptUnless(untold === undefined ? null : `${untold.id} is not named: ${message}`);
    },
  },
  {
    id: "VERIFIED",
    of: "transitions",
    says: "completed means: the commit that stands in the branch was checked for the goal as it is, with a verdict of true, and nothing was added since",
    source: "SPEC 6, CONVERGE-2",
    check({ scene, after }) {
      if (after.phase !== "halted" || after.loop.state.control.status !== "completed") return "idle";
      if (after.checked?.passed !== true) return breach(`completed with a verdict of ${String(after.checked?.passed)}`);
      const { objective } = after.loop.state;
      if (after.checked.goal !== objective.goal) return breach(`checked for "${after.checked.goal}"`);
      const { measure } = boardOf(after.loop.state);
      if (!scene.verify_each && measure > 0) return breach(`completed although ${measure} atoms are open`);
      const tip = tipOf(after.branch);
      return keptUnless(after.checked.tip === tip ? null : `checked on [${after.checked.tip}], handed over [${tip}]`);
    },
  },
  {
    id: "CONFIRMED",
    of: "transitions",
    says: "a loop whose base case is an assertion is completed only on what a person confirmed: nothing was integrated or taken out since",
    source: "SPEC 6 and 8",
    check({ scene, after }) {
      if (scene.leaves !== "judged" || after.phase !== "halted" || after.loop.run.halted !== "verified") return "idle";
      const { confirmedOn, branch } = after;
      if (confirmedOn === null) return breach("nobody confirmed it");
      const tip = tipOf(branch);
      return keptUnless(confirmedOn === tip ? null : `confirmed on [${confirmedOn}], handed over [${tip}]`);
    },
  },
  {
    id: "FLAKY",
    of: "transitions",
    says: "no loop is completed on a tree on which its check answered both ways, in whatever run; and none halts for that where it did not",
    source: "SPEC 6, TREE-ANSWERS-1, TREE-ANSWERS-3",
    check({ after }) {
      if (after.phase !== "halted") return "idle";
      const { halted } = after.loop.run;
      const flaky = isFlakyHere(after) || (isDoubted(after) && wasFlaky(after));
      if (halted === "flaky_check") return keptUnless(flaky ? null : "the check answered the same each time");
      if (!flaky) return "idle";
      return keptUnless(halted === "verified" ? "the check had answered both ways" : null);
    },
  },
  {
    id: "LUCK",
    of: "transitions",
    says: "no loop is completed on a check that passed less often than its reds and flaky trees want, in whatever runs, and none whose bound exceeds the trust",
    source: "SPEC 6, BELIEVED-2, LUCK-3",
    check({ after }) {
      if (after.trust === 0 || after.phase !== "halted" || after.loop.run.halted !== "verified") return "idle";
      const { luck = 0 } = currentVerdict(after.loop.run) ?? {};
      if (luck > after.trust) return breach(`wrong by luck with ${luck}, of ${after.trust}`);
      return keptUnless(isDoubted(after) ? "the check passed too seldom" : null);
    },
  },
  {
    id: "QUIET",
    of: "transitions",
    says: "while the base case is checked nothing is integrated and nothing started; while work is taken out nothing is started",
    source: "SPEC 6, SCHEDULE-5",
    check({ after, stepped }) {
      if (after.phase !== "up") return "idle";
      const reverts = after.queue.some((effect) => effect.type === "revert");
      if (after.checking === null && !reverts) return "idle";
      if (stepped?.effects.some((effect) => effect.type === "start_attempt") === true)
        return breach("an attempt starts");
      return keptUnless(
        after.checking !== null && after.queue.some((effect) => effect.type === "integrate")
          ? "work is integrated"
          : null,
      );
    },
  },
  {
    id: "SETTLED",
    of: "transitions",
    says: "when a loop halts no agent, check, integration or revert is under way and no atom is in progress",
    source: "SPEC 7 and 8",
    check({ after }) {
      if (after.phase !== "halted") return "idle";
      const left =
        after.agents.length +
        after.queue.length +
        (after.checking === null && !after.planning && after.asking === null ? 0 : 1);
      if (left > 0 || after.loop.run.attempts.length > 0) return breach("something is under way");
      const open = boardOf(after.file).atoms.find((atom) => atom.status === "in_progress");
      return keptUnless(open === undefined ? null : `${open.id} is in progress`);
    },
  },
];

/** What the loop waits for and what the world has to do are the same. */
function missingAnswer({ loop: { run }, agents, queue, checking, planning, asking }: World): string | null {
  const working = run.attempts.filter((one) => one.phase === "working").map((one) => one.attempt.id);
  if (
    working.toSorted().join() !==
    agents
      .map((attempt) => attempt.id)
      .toSorted()
      .join()
  )
    return `attempts ${working.join(", ")}, agents ${agents.map((attempt) => attempt.id).join(", ")}`;
  const integrating = run.attempts.filter((one) => one.phase === "integrating").length;
  if (integrating !== queue.filter((effect) => effect.type === "integrate").length) return "integrations";
  if (run.reverting !== queue.filter((effect) => effect.type === "revert").length) return "reverts";
  if ((run.check !== null) !== (checking !== null)) return "the check";
  if ((run.planner?.kind === "replanning") !== planning) return "the planner";
  if ((run.planner?.kind === "asking" ? run.planner.atom : null) !== asking) return "what is asked";
  const background = checking === null && !planning && asking === null ? 0 : 1;
  const open = agents.length + queue.length + background;
  return open === 0 ? "nothing is under way, and the loop has not halted" : null;
}

function judgements({ before: world, stepped }: Observed): Finding {
  if (stepped === null) return "idle";
  const { before, event, facts, after } = stepped;
  const { judging, known } = openedAfter(world.opened, stepped);
  const { control } = after.state;
  if (known.progress !== null && (after.run.checked?.progress === true) !== known.progress)
    return breach(`a verdict is ${known.progress ? "" : "no "}progress, and the contrary is remembered`);
  if ((control.fewest_failing ?? null) !== known.fewest)
    return breach(`${String(control.fewest_failing)} leaves failed at least, not ${String(known.fewest)}`);
  if ((control.low_water ?? control.prev_pending_count) !== known.low)
    return breach(`the low water is ${String(control.low_water)}, not ${known.low}`);
  const judged = facts.filter((fact) => fact.fact === "iteration_judged");
  let stalls = event.type === "run_started" && event.from === "halted" ? 0 : before.state.control.stall_count;
  const started = new Map(world.started);
  // A claim that is taken back stood while the iteration was judged.
  const isTakenBack = facts.some((fact) => fact.fact === "atom_reset" && fact.lessons !== undefined);
  const state = isTakenBack ? before.state : after.state;
  for (const fact of facts) {
    if (fact.fact === "attempt_started") started.set(fact.atom, (started.get(fact.atom) ?? 0) + 1);
    if (fact.fact !== "iteration_judged") continue;
    const open = judging.get(fact.iteration);
    if (open === undefined) return breach(`iteration ${fact.iteration} is judged and was not open`);
    if (open.interrupted.length === open.attempts.length)
      return breach(`iteration ${fact.iteration} is judged although a redirect ended all of it`);
    if (["stall", "expansion"].includes(fact.movement) && after.run.check !== null)
      return breach(`iteration ${fact.iteration} is called a ${fact.movement} before its verdict`);
    if (fact.before !== open.before) return breach(`compared with ${fact.before}, not ${open.before}`);
    const excused = isExcused(open, state, started);
    const movement = expectedMovement({ ...open, credited: open.credited || excused }, fact.measure, known.fewest);
    if (fact.movement !== movement)
      return breach(`${open.before} (low ${open.low}) -> ${fact.measure} is called ${fact.movement}, not ${movement}`);
    stalls = movement === "progress" ? 0 : movement === "stall" || movement === "expansion" ? stalls + 1 : stalls;
    if (fact.stall_count !== stalls) return breach(`stall count ${fact.stall_count}, not ${stalls}`);
  }
  return judged.length === 0 && known.progress === null ? "idle" : "kept";
}

/** What failed in it had one attempt, or no more than twice as many as an atom that was resolved took, if that was not one. */
function isExcused({ attempts }: Opened, state: State, started: ReadonlyMap<string, number>): boolean {
  const board = boardOf(state);
  const spent = (id: string): number => started.get(id) ?? 0;
  const needed = board.atoms.flatMap(({ id, status }) =>
    status === "resolved" && !board.isContainer(id) ? [spent(id)] : [],
  );
  const tried = new Set(attempts.map(atomIn));
  const open = board.atoms.filter(({ id, status }) => tried.has(id) && status !== "resolved");
  const failed = open.filter(({ id }) => board.isContainer(id) || board.isLive(id));
  if (failed.some(({ id }) => board.isContainer(id))) return false;
  const most = Math.max(1, ...needed);
  return failed.length > 0 && failed.every(({ id }) => spent(id) <= (most === 1 ? 1 : 2 * most));
}

/** SPEC section 4 said again. */
function expectedMovement(
  { before, low, failing, credited }: Opened,
  measure: number,
  fewest: number | null,
): Movement {
  if (failing !== null && fewest !== null && fewest < failing) return "progress";
  if (before === -1) return "first";
  if (measure < low) return "progress";
  if (measure < before) return "neutral";
  if (measure > before) return "expansion";
  return credited ? "neutral" : "stall";
}

function claimed({ before: world, after: { phase }, stepped }: Observed): Finding {
  if (stepped === null || phase === "down" || wasRedirectedIn(stepped)) return "idle";
  const { before, after, facts, effects } = stepped;
  const { checked } = after.run;
  const failing = checked === null ? [] : failingLeaves(checked.verdict);
  const isFalse = checked?.verdict.passed === false && failing.every(({ passed }) => passed === false);
  const said = failing.map(({ evidence }) => ("reason" in evidence ? evidence.reason : ""));
  const known = { state: before.state, said, started: world.started, failed: world.failed };
  const suspect = isFalse ? wrongClaimant(known) : undefined;
  const isPlanned = effects.some(({ type }) => type === "replan");
  if (isPlanned && suspect !== undefined) return breach(`a planner is asked, and ${suspect} is to blame`);
  const reset = facts.filter((fact) => fact.fact === "atom_reset" && fact.lessons !== undefined);
  const [fact] = reset;
  if (fact === undefined || fact.fact !== "atom_reset") return isPlanned ? "kept" : "idle";
  const { atom } = fact;
  if (reset.length > 1 || isPlanned || atom !== suspect || before.view.measure > 0)
    return breach(`${atom} is held to have claimed wrongly, not ${String(suspect)}`);
  const now = boardOf(after.state).atoms.find(({ id }) => id === atom);
  if (now?.status !== "pending" || now.binding !== undefined) return breach(`${atom} is ${String(now?.status)}`);
  const most = after.state.objective.constraints.max_attempts_per_atom ?? Infinity;
  const gives = now.or_group !== undefined || (world.started.get(atom) ?? 0) >= most;
  const isGivenUp = !boardOf(after.state).isLive(atom);
  if (isGivenUp !== (gives && hasWayOut(before.state, atom)))
    return breach(`${atom} is ${isGivenUp ? "given up" : "tried again"}`);
  const lesson = memoryOf(after.run, atom).nogoods.at(-1);
  if (lesson?.attempt !== `${atom}.${world.started.get(atom)}` || lesson.evidence === undefined)
    return breach(`${atom} does not know why`);
  if (after.state.control.replans !== (before.state.control.replans ?? 0) + 1)
    return breach("it counts as no new work");
  const out = effects.flatMap((effect) => (effect.type === "revert" ? [effect.atoms] : []));
  return keptUnless(out.length === 1 && out[0]?.includes(atom) === true ? null : `the work of ${atom} stays`);
}

function wasRedirectedIn({ before, after }: Stepped): boolean {
  return before.state.corrections.length !== after.state.corrections.length;
}

function asked({ before: world, stepped }: Observed): Finding {
  if (stepped === null) return "idle";
  const { before, event, after, facts, effects } = stepped;
  const { asked: done = [] } = after.state.control;
  if (new Set(done).size < done.length) return breach(`asked twice: ${done.join(", ")}`);
  const about = effects.flatMap((effect) => (effect.type === "ask_planner" ? [effect.atom] : []));
  if (about.length > 0 && !world.planner) return breach("there is no planner");
  const again = about.find((atom) => done.includes(atom));
  if (again !== undefined) return breach(`${again} is asked about once more`);
  const { planner } = after.run;
  if (planner?.kind === "asking") {
    const atom = boardOf(after.state).atoms.find(({ id }) => id === planner.atom);
    if (atom?.status === "in_progress") return breach(`${planner.atom} is attempted while it is asked about`);
  }
  const isTaken = facts.some((fact) => fact.fact === "advice_taken");
  if (event.type !== "advised" || facts.some((fact) => fact.fact === "iteration_judged"))
    return about.length > 0 ? "kept" : "idle";
  const { stall_count } = before.state.control;
  const most = after.state.objective.constraints.max_stall_count - 1;
  const due = isTaken ? Math.min(stall_count, most) : stall_count;
  return keptUnless(
    after.state.control.stall_count === due ? null : `stall count ${after.state.control.stall_count}, not ${due}`,
  );
}

function beside({ before: world, after, stepped }: Observed): Finding {
  if (stepped === null || after.phase !== "up") return "idle";
  const { run, state } = after.loop;
  const begun = (types: readonly string[]): number =>
    stepped.effects.filter((effect) => types.includes(effect.type)).length;
  const [checks, calls] = [begun(["check_base_case"]), begun(["replan", "ask_planner"])];
  const still = heard(world, stepped.event);
  if (checks + (still.checking === null ? 0 : 1) > 1) return breach("two checks at once");
  if (calls + (still.asking === null && !still.planning ? 0 : 1) > 1) return breach("two planner calls at once");
  if (run.redirects.length > 0 || state.control.stop_requested || run.tampered.length > 0) return "idle";
  if (run.planner === null && run.questions.length > 0 && run.check !== null)
    return breach(`the question about ${run.questions[0]?.atom} waits for the check`);
  const isQuiet = after.queue.length === 0 && currentVerdict(run) === null;
  if (run.planner?.kind === "asking" && run.check === null && run.check_due && isQuiet)
    return breach(`the check waits for the question about ${run.planner.atom}`);
  return run.planner?.kind === "asking" && run.check !== null ? "kept" : "idle";
}

function halts({ after, stepped }: Observed): Finding {
  if (stepped === null || after.phase === "down") return "idle";
  const { state, run } = stepped.after;
  const reported = stepped.facts.filter((fact) => fact.fact === "halted");
  const asked = stepped.effects.filter((effect) => effect.type === "halt");
  const { control } = state;
  if (run.halted === null) {
    if (reported.length + asked.length > 0 || control.status !== "running")
      return breach(`not halted, and ${control.status}`);
    return "idle";
  }
  if (reported.length !== 1 || asked.length !== 1) return breach(`told ${reported.length} times`);
  if (control.outcome !== run.halted || !(run.halted in EXIT_CODES))
    return breach(`outcome ${String(control.outcome)}`);
  if (control.status !== (run.halted === "verified" ? "completed" : "stopped"))
    return breach(`status ${control.status}`);
  const expected = expectedOutcome(after);
  return keptUnless(expected === run.halted ? null : `${run.halted}, where SPEC 4 says ${expected ?? "go on"}`);
}

/** Whatever fails answered both ways. */
function isFlakyAlone(verdict: ChecklistVerdict): boolean {
  return failingLeaves(verdict).every(({ evidence }) => evidence.kind === "flaky");
}

function expectedOutcome(world: World): ReturnType<typeof outcomeOf> {
  const { loop, started, checked } = world;
  const { state, run } = loop;
  const board = boardOf(state);
  const { control, objective } = state;
  const { constraints } = objective;
  const most = constraints.max_attempts_per_atom ?? Infinity;
  const verdict = currentVerdict(run);
  return outcomeOf({
    stop_requested: control.stop_requested,
    tampered: run.tampered.length > 0,
    verdict: verdict?.passed,
    flaky:
      verdict !== null &&
      checked?.passed !== null &&
      (isFlakyHere(world) || (isDoubted(world) && wasFlaky(world))) &&
      isFlakyAlone(verdict),
    unconfirmed: verdict?.requires_user_confirmation === true,
    unavailable: run.unavailable !== null,
    needs_person: run.needs_person !== null,
    board,
    stall_count: control.stall_count,
    max_stall_count: constraints.max_stall_count,
    iteration: control.iteration,
    max_iterations: constraints.max_iterations,
    spent: board.executable.length > 0 && board.executable.every((atom) => (started.get(atom) ?? 0) >= most),
  });
}
