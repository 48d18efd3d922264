/** Laws of whole loops, under stops, redirects, crashes and echoes (SPEC sections 4, 5, 7 and 8). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "../../src/core/converge.ts";
import { areRivals, isLive } from "../../src/core/fate.ts";
import { isContainer } from "../../src/core/graph.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import { createRecall, type JournalLine } from "../../src/core/journal.ts";
import { activeMs, createLoop, isAskedAbout, limitsIn, remembered, type Loop } from "../../src/core/loop.ts";
import { isSpent, standingOf } from "../../src/core/schedule.ts";
import { step } from "../../src/core/step.ts";
import { overlap } from "../../src/core/touches.ts";
import { executableOf, viewOf } from "../../src/core/view.ts";
import { at } from "../../src/core/vec.ts";
import { anyState } from "../support/loops.ts";
import { walk, type Hazards, type Taken } from "../support/walk.ts";
import { tipOf } from "../../world/world.ts";

const rolls = fc.array(fc.nat(10_000), { minLength: 20, maxLength: 200 });
const EVERYTHING: Hazards = {
  stops: true,
  redirects: true,
  crashes: true,
  echoes: true,
  lost: true,
  resumes: 2,
  planner: true,
};

/** Loops with probes, touches and an attempt limit here and there. */
const loops = fc
  .tuple(
    anyState(7, { max_iterations: 6 }),
    fc.array(fc.constantFrom({}, {}, { probe: true }, { touches: ["a/**"] }, { touches: ["a/x", "b"] }), {
      minLength: 1,
      maxLength: 7,
    }),
    fc.constantFrom({}, {}, { max_attempts_per_atom: 1 }, { max_attempts_per_atom: 2 }),
  )
  .map(([state, marks, limit]) => ({
    ...state,
    atoms: state.atoms.map((atom, i) => ({ ...atom, ...marks[i % marks.length] })),
    objective: { ...state.objective, constraints: { ...state.objective.constraints, ...limit } },
  }));

function indicesAtWork(loop: Loop): number[] {
  return loop.run.attempts.flatMap((running) => loop.view.graph.indexOf.get(running.attempt.atom) ?? []);
}

test("SPEC 4, 8: a loop halts within its fuel across crashes, resumes and redirects, once per run", () => {
  fc.assert(
    fc.property(loops, rolls, (state, dice) => {
      let runs = 0;
      let halts = 0;
      let most = 0;
      const end = walk(state, dice, EVERYTHING, ({ event, facts, before, after }) => {
        most = Math.max(most, after.state.objective.constraints.max_iterations);
        if (event.type === "run_started") runs++;
        const halted = facts.filter((fact) => fact.fact === "halted").length;
        halts += halted;
        expect(halted).toBeLessThanOrEqual(1);
        if (before.run.halted !== null && event.type !== "run_started") expect(facts).toEqual([]);
      });
      const { loop } = end;
      expect(end.finished).toBe(true);
      expect(halts).toBeLessThanOrEqual(runs);
      expect(end.attempts).toBeLessThanOrEqual(most * 3);
      expect(loop.state.control.outcome).toBe(loop.run.halted);
      expect(loop.state.control.status).toBe(loop.run.halted === "verified" ? "completed" : "stopped");
      expect(loop.state.atoms.filter((atom) => atom.status === "in_progress")).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test("SPEC 6, 7: what is called verified was checked as it is; the branch holds live work only, and all that is resolved", () => {
  fc.assert(
    fc.property(loops, rolls, (state, dice) => {
      const { loop, branch, checked } = walk(state, dice, EVERYTHING);
      const { graph } = loop.view;
      if (loop.run.halted === "verified") expect(tipOf(branch)).toBe(checked?.tip);
      for (const work of branch) {
        const index = graph.indexOf.get(work.atom);
        if (index !== undefined) expect([work, isLive(loop.state, graph, index)]).toEqual([work, true]);
      }
      const held = new Set(branch.map((work) => work.atom));
      loop.state.atoms.forEach((atom, index) => {
        if (atom.status === "resolved" && !isContainer(graph, index)) expect(held).toContain(atom.id);
      });
    }),
    { numRuns: 2_000 },
  );
});

test("SPEC 2, 3: no step leaves an invalid state or a stale view; the trail only grows unless a person clears it", () => {
  fc.assert(
    fc.property(loops, rolls, (state, dice) => {
      walk(state, dice, EVERYTHING, ({ before, after, event }) => {
        expect(checkInvariants(after.state)).toEqual([]);
        const fresh = viewOf(after.state, after.view.graph);
        expect(after.view.measure).toBe(fresh.measure);
        expect(after.view.exhausted).toEqual(fresh.exhausted);
        if (event.type !== "run_started")
          expect(after.state.control.iteration).toBeGreaterThanOrEqual(before.state.control.iteration);
        if (after.state.corrections.length === before.state.corrections.length)
          expect(after.state.trail.slice(0, before.state.trail.length)).toEqual(before.state.trail);
      });
    }),
    { numRuns: 1_000 },
  );
});

test("SPEC 1, 7: what the trail says last of a group is what is selected in it", () => {
  fc.assert(
    fc.property(loops, rolls, (state, dice) => {
      walk(state, dice, EVERYTHING, ({ after }) => {
        const said = new Map(
          after.state.trail.flatMap((one) => ("or_group" in one ? [[one.or_group, one.selected]] : [])),
        );
        for (const { name, selected } of after.state.or_groups)
          expect([name, said.get(name) ?? selected]).toEqual([name, selected]);
      });
    }),
    { numRuns: 1_000 },
  );
});

test("SPEC 8: a redirect is refused at once and interrupts nothing, or it is applied or refused exactly once", () => {
  fc.assert(
    fc.property(loops, rolls, (state, dice) => {
      let waiting = 0;
      walk(state, dice, { redirects: true }, ({ before, after, event, effects, facts }) => {
        const answered = facts.filter(({ fact }) => fact === "redirected" || fact === "redirect_refused").length;
        if (before.run.halted === null && event.type === "redirect_requested") waiting++;
        waiting -= answered;
        expect(waiting).toBe(after.run.redirects.length);
        expect(after.state.control.redirect_requested).toBe(waiting > 0);
        if (event.type !== "redirect_requested" || waiting > 0) return;
        if (facts.every(({ fact }) => fact !== "redirected")) {
          expect(effects.filter((effect) => effect.type.startsWith("abort"))).toEqual([]);
          expect(after.state.corrections).toBe(before.state.corrections);
        }
      });
    }),
    { numRuns: 1_000 },
  );
});

test("SPEC 5: SCHEDULE-1 to 5 hold after every step", () => {
  fc.assert(
    fc.property(loops, rolls, (state, dice) => {
      walk(state, dice, EVERYTHING, (taken) => {
        const { after } = taken;
        const working = after.run.attempts.filter((running) => running.phase === "working");
        for (const effect of taken.effects)
          if (effect.type === "start_attempt") {
            // A person may lower the limit below what is under way, which goes on.
            expect(working.length, "SCHEDULE-1").toBeLessThanOrEqual(limitsIn(after).parallel);
            expect(after.run.reverting, "SCHEDULE-5").toBe(0);
            expect(effect.attempt.iteration).toBeLessThanOrEqual(after.state.control.iteration);
          }
        for (const { issued, atoms } of after.run.iterations) {
          expect(issued).toBeLessThanOrEqual(3);
          expect(new Set(atoms).size, "SCHEDULE-2").toBe(issued);
        }
        expectNobodyIdle(after);
        expectApart(taken);
        expectQuietCheck(taken);
      });
    }),
    { numRuns: 1_000 },
  );
});

/** SCHEDULE-3, but for the while in which work is taken out (SCHEDULE-5). */
function expectNobodyIdle(loop: Loop): void {
  const { run, state, view } = loop;
  if (
    run.halted !== null ||
    run.check !== null ||
    run.planner?.kind === "replanning" ||
    run.redirects.length > 0 ||
    run.reverting > 0
  )
    return;
  if (decide(standingOf(loop, false)).kind !== "continue" || run.attempts.some((running) => running.discarded)) return;
  const limits = limitsIn(loop);
  const working = run.attempts.filter((running) => running.phase === "working").length;
  const last = run.iterations.at(-1);
  const { iteration } = state.control;
  const room = last !== undefined && last.number === iteration && last.issued < limits.parallel;
  if (working >= limits.parallel) return;
  // Where no other iteration may be opened, an atom that had its attempt in this one waits in vain.
  const mayOpen = iteration < limits.max_iterations;
  if (!mayOpen && (!room || iteration > limits.max_iterations)) return;
  const had = mayOpen ? [] : (last?.atoms ?? []);
  const busy = indicesAtWork(loop);
  const touched = touchedIn(loop);
  const free = executableOf(state, view.graph).filter(
    (index) =>
      !isSpent(loop, index) &&
      !isAskedAbout(run, at(state.atoms, index).id) &&
      !had.includes(at(state.atoms, index).id) &&
      !busy.some((other) => overlap(touched(index), touched(other))),
  );
  expect(free).toEqual([]);
}

/** SCHEDULE-4: once there was a conflict in a/x, who names nothing is taken to touch it while most of the others do. */
function touchedIn({ state, run }: Loop): (index: number) => readonly string[] {
  const named = state.atoms.flatMap(({ touches, binding }) =>
    touches === undefined && (binding?.artifacts ?? []).length === 0 ? [] : [touches?.includes("a/x") === true],
  );
  const wasConflict = [...run.memory.values()].some(({ nogoods }) => nogoods.some(({ files }) => files !== undefined));
  const isContested = wasConflict && named.filter((touches) => touches).length > Math.max(1, named.length / 2);
  return (index) => at(state.atoms, index).touches ?? (isContested ? ["a/x"] : []);
}

/**
 * SCHEDULE-4, and no two choices of a group that is no race running together; a race that a person ended may still be
 * ending.
 */
function expectApart({ after: { state, view, run }, effects }: Taken): void {
  const busy = run.attempts.flatMap(({ attempt, discarded }) => {
    const index = view.graph.indexOf.get(attempt.atom);
    const begun = effects.some((effect) => effect.type === "start_attempt" && effect.attempt.id === attempt.id);
    // Of an atom that a person took out the agent may still be ending.
    return index === undefined ? [] : [{ index, discarded, begun }];
  });
  for (const [i, left] of busy.entries())
    for (const right of busy.slice(i + 1)) {
      expect(left.index).not.toBe(right.index);
      const [one = [], other = []] = [left, right].map(({ index }) => at(state.atoms, index).touches);
      expect(overlap(one, other)).toBe(false);
      if (state.or_groups.some((group) => group.speculative === true)) continue;
      const ending = (left.discarded || right.discarded) && !left.begun && !right.begun;
      expect([run.attempts, areRivals(view.graph, left.index, right.index) && !ending]).toEqual([run.attempts, false]);
    }
}

/** SCHEDULE-5. */
function expectQuietCheck({ after, queue, effects }: Taken): void {
  if (after.run.check === null) return;
  expect(queue.filter((effect) => effect.type === "integrate" && isOpenIn(after, effect.attempt.id))).toEqual([]);
  expect(effects.filter((effect) => effect.type === "integrate" || effect.type === "start_attempt")).toEqual([]);
}

function isOpenIn(loop: Loop, attempt: string): boolean {
  return loop.run.attempts.some((running) => running.attempt.id === attempt);
}

test("SPEC 8: the journal remembers what the run remembers, through any crash", () => {
  fc.assert(
    fc.property(loops, rolls, (state, dice) => {
      const { loop, lines } = walk(state, dice, EVERYTHING);
      const recall = createRecall();
      for (const line of lines) recall.read(JSON.parse(JSON.stringify(line)) as JournalLine);
      const known = recall.now();
      const again = remembered(known.memory, createLoop(loop.state));
      expect(again.memory).toEqual(loop.run.memory);
      // What an agent that was killed at the end still cost is in the journal alone.
      expect(again.cost_usd).toBeGreaterThanOrEqual(loop.run.cost_usd - 1e-6);
      expect(known.iteration).toBe(loop.state.control.iteration);
      expect(known.unfinished).toBeNull();
      expect(known.memory.active_ms).toBeGreaterThanOrEqual(activeMs(loop.run));
    }),
    { numRuns: 1_000 },
  );
});

test("SPEC 8: an event that comes late, twice or for nobody changes nothing", () => {
  fc.assert(
    fc.property(loops, rolls, (state, dice) => {
      let last: Taken["event"] | null = null;
      walk(state, dice, { echoes: true }, ({ before, after, event, effects, facts }) => {
        if (event === last) {
          expect([effects, facts]).toEqual([[], []]);
          expect(after.state).toEqual(before.state);
        }
        last = event;
      });
    }),
    { numRuns: 500 },
  );
});

test("SPEC 4: a step is a function: it changes nothing that it was given and gives the same again", () => {
  fc.assert(
    fc.property(loops, rolls, (state, dice) => {
      walk(state, dice, EVERYTHING, ({ before, event }) => {
        freeze(before);
        freeze(event);
        const once = step(before, event);
        const twice = step(before, event);
        expect(twice.effects).toEqual(once.effects);
        expect(twice.facts).toEqual(once.facts);
        expect(twice.loop).toEqual(once.loop);
      });
    }),
    { numRuns: 200 },
  );
});

const frozen = new WeakSet<object>();

function freeze(root: object): void {
  const queue: object[] = [root];
  for (let here = queue.pop(); here !== undefined; here = queue.pop()) {
    if (frozen.has(here)) continue;
    frozen.add(here);
    Object.freeze(here);
    for (const value of Object.values(here)) if (typeof value === "object" && value !== null) queue.push(value);
  }
}
