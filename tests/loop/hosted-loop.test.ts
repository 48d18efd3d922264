/**
 * Laws of a hosted loop (HOSTED-LOOP-1 to 4), whatever hosts die, hang and come back too late. SEEDS=<n> tries more; a
 * failure prints its seed.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { UntimedEvent } from "../../src/loop/effect-context.ts";
import type { Answer, LoopRequest } from "../../src/loop/engine.ts";
import { limitsIn } from "../../src/core/loop.ts";
import { judge } from "../../src/core/verdict.ts";
import {
  claimTask,
  hostLoop,
  settleTask,
  viewOfHosted,
  wakeLoop,
  type HostedLoop,
  type Move,
  type Task,
} from "../../src/loop/hosted-loop.ts";
import { abortedReport } from "../../src/loop/perform-task.ts";
import { signalLoop } from "../../src/loop/signal-loop.ts";
import { anyState, NOW, stateOf } from "../support/loops.ts";
import { adviceFor } from "../support/walk.ts";

const RUNS = Number(process.env["SEEDS"] ?? 300);
const MEMORY = { cost_usd: 0, active_ms: 0, attempts: {}, nogoods: [], probed: {} };
const SPEC = { memory: MEMORY, settings: { planner: true, verify_each: false, confirmed: false }, terms: {} } as const;
const LONGEST = 3_000;

/** What a worker reports of a task, by the dice. */
function entriesOf({ effect }: Task, hosted: HostedLoop, roll: number): readonly UntimedEvent[] {
  switch (effect.type) {
    case "start_attempt": {
      const attempt = effect.attempt.id;
      if (roll % 4 === 0) return [{ type: "attempt_failed", attempt, kind: "failed", reason: "no" }];
      return [{ type: "work_succeeded", attempt, summary: "did", artifacts: [] }];
    }
    case "integrate": {
      const attempt = effect.attempt.id;
      if (roll % 6 === 0) return [{ type: "attempt_failed", attempt, kind: "conflict", reason: "others" }];
      return [{ type: "attempt_integrated", attempt, commit: attempt, artifacts: [] }];
    }
    case "revert":
      return [{ type: "work_reverted", commit: "r", lost: [] }];
    case "check_base_case": {
      const { base_case } = hosted.loop.state.objective;
      const verdict = judge(base_case, () => ({
        passed: roll % 3 > 0,
        evidence: { kind: "judgement", reason: "dice" },
      }));
      return [{ type: "base_case_checked", verdict, commit: "c" }];
    }
    case "replan":
      return [{ type: "replanned", atoms: [], reason: "dice" }];
    case "ask_planner":
      return [{ type: "advised", atom: effect.atom, advice: adviceFor(effect.atom, roll), reason: "dice" }];
  }
}

interface Physical {
  readonly task: Task;
  readonly run: number;
}

test("SPEC 13: hosts die and come back too late; each task counts once, fuel is as without them, and the loop halts", () => {
  fc.assert(
    fc.property(
      anyState(6, { max_iterations: 5 }),
      fc.array(fc.nat(100_000), { minLength: 20, maxLength: 100 }),
      (state, dice) => {
        let rolled = 0;
        const roll = (): number => dice[rolled++ % dice.length] ?? 1;
        const begun = hostLoop("l", { ...SPEC, state }, NOW);
        let { hosted } = begun;
        let hangs = 12;
        const ordered = new Map<string, Task>();
        const running: Physical[] = [];
        const counted: string[] = [];
        const take = <R>(move: Move<R>): R => {
          hosted = move.hosted;
          // HOSTED-LOOP-5
          for (const { id, run, aborted } of hosted.tasks) expect(aborted && run === 0, id).toBe(false);
          for (const order of move.orders) {
            if (order.type !== "perform") continue;
            expect(ordered.has(order.task.id), `${order.task.id} is ordered once`).toBe(false);
            ordered.set(order.task.id, order.task);
          }
          return move.answer;
        };
        const begin = (task: Task): void => {
          const claim = take(claimTask(hosted, task.id, { worker: "w", at: NOW }));
          if (claim.ok) running.push({ task, run: claim.run });
          else take(settleTask(hosted, abortedReport(task), NOW));
        };
        const end = ({ task, run }: Physical): void => {
          const isOpen = hosted.tasks.some(({ id }) => id === task.id);
          const before = hosted;
          const answer = take(
            settleTask(hosted, { task: task.id, run, entries: entriesOf(task, hosted, roll()) }, NOW),
          );
          expect(answer.ok, `${task.id} run ${run}`).toBe(isOpen);
          if (answer.ok) counted.push(task.id);
          // HOSTED-LOOP-2: a late result changes nothing but the record.
          else expect({ ...hosted, refused: [], lines: 0 }).toEqual({ ...before, refused: [], lines: 0 });
        };
        take(begun);
        for (let turn = 0; ordered.size > 0 && turn < LONGEST; turn++) {
          const luck = roll() % 20;
          if (luck === 0) take(signalLoop(hosted, { kind: "stop", reason: "", id: `${turn % 3}` }, NOW));
          if (luck === 1) take(wakeLoop(hosted, NOW));
          if (luck === 2 && turn % 5 === 0)
            take(signalLoop(hosted, { kind: "cancel", reason: "", id: `c${turn}` }, NOW));
          for (const id of ordered.keys()) if (!hosted.tasks.some((open) => open.id === id)) ordered.delete(id);
          const waiting = [...ordered.values()].filter(({ id }) => !running.some(({ task }) => task.id === id));
          const first = waiting[roll() % Math.max(1, waiting.length)];
          if (first !== undefined) begin(first);
          const one = running[roll() % Math.max(1, running.length)];
          if (one === undefined) continue;
          // A host hangs: its task is begun elsewhere, and what it says later is too late.
          if (hangs > 0 && roll() % 5 === 0) {
            hangs--;
            begin(one.task);
          } else {
            running.splice(running.indexOf(one), 1);
            end(one);
          }
        }
        for (const late of running.splice(0)) end(late);
        expect(hosted.loop.run.halted).not.toBeNull();
        expect(hosted.tasks).toEqual([]);
        expect(new Set(counted).size).toBe(counted.length);
        const { max_iterations, parallel } = limitsIn(hosted.loop);
        expect(hosted.attempts).toBeLessThanOrEqual(max_iterations * parallel);
      },
    ),
    { numRuns: RUNS },
  );
});

test("SPEC 13: a result that comes after another one of its task is refused, recorded, and shown", () => {
  const begun = hostLoop("l", { ...SPEC, state: stateOf({ atoms: [{ id: "A1" }] }) }, NOW).hosted;
  const once = claimTask(begun, "A1.1", { worker: "one", at: NOW }).hosted;
  const twice = claimTask(once, "A1.1", { worker: "two", at: NOW });
  expect(twice.answer).toEqual({ ok: true, run: 2 });
  expect(twice.lines).toMatchObject([{ event: "note", message: expect.stringMatching(/begun again by two.*one/) }]);
  expect(viewOfHosted(twice.hosted, "e").working).toEqual([{ task: "A1.1", worker: "two", runs: 2 }]);
  const failed: UntimedEvent = { type: "attempt_failed", attempt: "A1.1", kind: "failed", reason: "no" };
  const counted = settleTask(twice.hosted, { task: "A1.1", run: 2, entries: [failed] }, NOW);
  expect(counted.answer).toMatchObject({ ok: true });
  const late = settleTask(counted.hosted, { task: "A1.1", run: 1, entries: [] }, NOW);
  expect(late.answer).toMatchObject({ ok: false });
  const view = viewOfHosted(late.hosted, "e");
  expect(view).toMatchObject({ reruns: 1, refused: [{ task: "A1.1", run: 1, reason: "the task is over" }] });
});

// A worker that was stopped, and given up, goes on for a moment before it notices: its claim came after that of its
// successor, whose result was refused then. Nobody ever answered for the task (seeds 1, 3 and 37407 of the engine's campaign).
test("SPEC 13: the claim of a host that was given up may come after its successor's: the task is settled all the same", () => {
  const begun = hostLoop("l", { ...SPEC, state: stateOf({ atoms: [{ id: "A1" }] }) }, NOW).hosted;
  const successor = claimTask(begun, "A1.1", { worker: "two", at: NOW });
  const zombie = claimTask(successor.hosted, "A1.1", { worker: "one", at: NOW });
  expect([successor.answer, zombie.answer]).toEqual([
    { ok: true, run: 1 },
    { ok: true, run: 2 },
  ]);
  const done: UntimedEvent = { type: "work_succeeded", attempt: "A1.1", summary: "", artifacts: [] };
  const settled = settleTask(zombie.hosted, { task: "A1.1", run: 1, entries: [done] }, NOW);
  expect(settled.answer).toMatchObject({ ok: true });
  expect(settled.hosted.tasks.map(({ effect }) => effect.type)).toEqual(["integrate"]);
});

test("SPEC 13: a result of a run that nobody ever began is refused", () => {
  const begun = hostLoop("l", { ...SPEC, state: stateOf({ atoms: [{ id: "A1" }] }) }, NOW).hosted;
  for (const run of [0, 1]) {
    const move = settleTask(begun, { task: "A1.1", run, entries: [] }, NOW);
    expect(move.answer).toMatchObject({ ok: false });
    expect(move.hosted.tasks).toEqual(begun.tasks);
  }
});

test("SPEC 8: what nobody has begun is over when the loop is cancelled, and who comes for it later finds nothing", () => {
  const begun = hostLoop("l", { ...SPEC, state: stateOf({ atoms: [{ id: "A1" }, { id: "A2" }] }) }, NOW).hosted;
  const working = claimTask(begun, "A1.1", { worker: "one", at: NOW }).hosted;
  const move = signalLoop(working, { kind: "cancel", reason: "", id: "c" }, NOW);
  expect(move.orders).toEqual([{ type: "abort", task: "A1.1" }]);
  expect(move.hosted.tasks.map(({ id }) => id)).toEqual(["A1.1"]);
  expect(claimTask(move.hosted, "A2.1", { worker: "two", at: NOW }).answer).toMatchObject({ ok: false });
  const nothing = settleTask(move.hosted, { task: "A2.1", run: 0, entries: [] }, NOW);
  expect([nothing.answer.ok, nothing.lines]).toEqual([true, []]);
  const aborted: UntimedEvent = { type: "attempt_aborted", attempt: "A1.1" };
  const ended = settleTask(nothing.hosted, { task: "A1.1", run: 1, entries: [aborted] }, NOW).hosted;
  expect(ended.loop.run.halted).toBe("stop_requested");
});

test("HOSTED-LOOP-3: a signal that is sent again is answered as before, however the loop stands by then", () => {
  let { hosted } = hostLoop("l", { ...SPEC, state: stateOf({ atoms: [{ id: "A1" }] }) }, NOW);
  const ask = (request: LoopRequest, id: string = request.kind): Answer => {
    const move = signalLoop(hosted, { ...request, id }, NOW);
    hosted = move.hosted;
    return move.answer;
  };
  const redirect = { kind: "remove", id: "nobody", reason: "" } as const;
  const refused: LoopRequest[] = [{ kind: "resume" }, { kind: "approve" }, { kind: "hand_back" }];
  refused.push({ kind: "redirect", redirect });
  const answers = refused.map((request) => ask(request));
  const { lines } = hosted;
  expect(refused.map((request) => ask(request))).toEqual(answers);
  expect(hosted.lines, "nothing is recorded twice").toBe(lines);
  expect(ask({ kind: "cancel", reason: "" })).toMatchObject({ ok: true });
  expect(hosted.loop.run.halted).toBe("stop_requested");
  refused.push({ kind: "stop", reason: "" });
  answers.push(ask({ kind: "stop", reason: "" }));
  expect(answers.filter(({ ok }) => ok)).toEqual([]);
  expect(refused.map((request) => ask(request))).toEqual(answers);
  expect(ask({ kind: "resume" }, "another")).toMatchObject({ ok: true });
  expect(refused.map((request) => ask(request))).toEqual(answers);
  expect(ask({ kind: "resume" }, "another")).toMatchObject({ ok: true, repeated: true });
  expect(hosted.loop.run.halted).toBeNull();
});
