/** SPEC 8: the story that a journal tells is the loop's own. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createStory } from "../../src/history/run-story.ts";
import { linesOf } from "../../src/core/journal-line.ts";
import { limitsIn } from "../../src/core/loop.ts";
import { step } from "../../src/core/step.ts";
import { anyState } from "../support/loops.ts";
import { walk } from "../support/walk.ts";

const rolls = fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 120 });
const hazards = { stops: true, crashes: true, redirects: true, resumes: 2, lost: true };

test("law: whatever happens, the story of the newest run knows who works and what was spent, as the loop does", () => {
  fc.assert(
    fc.property(anyState(7), rolls, (start, dice) => {
      const story = createStory("newest_run");
      walk(start, dice, hazards, ({ before, after, event }) => {
        // What comes once it has halted is the next run's.
        if (before.run.halted !== null && event.type !== "run_started") return;
        for (const line of linesOf(before, event, step(before, event))) story.read(line);
        const reported = story.now();
        const { run, state } = after;
        const wanted = run.attempts.filter(({ discarded }) => !discarded);
        expect(reported.working.map(({ attempt }) => attempt)).toEqual(wanted.map(({ attempt }) => attempt.id));
        expect(reported).toMatchObject({
          cost_usd: run.cost_usd,
          tokens: run.tokens,
          iteration: state.control.iteration,
        });
      });
    }),
    { numRuns: 100 },
  );
});

test("RUN-ATTEMPTS-1, law: attempts that overlap have different slots, and there are no more than the loop allows", () => {
  fc.assert(
    fc.property(anyState(7), rolls, (start, dice) => {
      const story = createStory();
      let most = 0;
      const { lines } = walk(start, dice, hazards, ({ after }) => (most = Math.max(most, limitsIn(after).parallel)));
      for (const line of lines) story.read(line);
      const { attempts } = story.now();
      for (const [index, one] of attempts.entries()) {
        expect(one.slot).toBeLessThan(most);
        for (const other of attempts.slice(index + 1))
          if (other.slot === one.slot) expect(other.from).toBeGreaterThanOrEqual(one.to ?? Infinity);
      }
    }),
    { numRuns: 150 },
  );
});

test("a warning that repeats is one note with how often, and pushes no other out", () => {
  const story = createStory();
  const said = (message: string, at: number): void =>
    story.read({ time: new Date(at).toISOString(), run: "r", iteration: 1, event: "note", message });
  said("a worktree was cleaned up", 0);
  for (let attempt = 1; attempt <= 2_000; attempt++) said(`A1.${attempt}: its answer has a field \`why\``, attempt);
  expect(story.now().notes.map(({ words }) => words)).toEqual([
    "a worktree was cleaned up",
    "A1.2000: its answer has a field `why` (2000 times)",
  ]);
});

test("every call is counted beside the first of each attempt, and no code in the place of a planner", () => {
  const story = createStory();
  const read = (event: object): void => story.read({ time: "2026-01-01T00:00:00Z", run: "r", iteration: 1, ...event });
  read({ event: "replanned", atoms: [], reason: "" });
  read({ event: "attempt_started", attempt: "A1.1", atom: "A1", role: "worker" });
  read({ event: "attempt_failed", attempt: "A1.1", reason: "no", usage: { calls: 1 } });
  expect(story.now().other_calls).toBe(0);
  read({ event: "attempt_failed", attempt: "A1.2", reason: "no", usage: { calls: 2 } });
  read({ event: "replanned", atoms: [], reason: "", usage: { calls: 1 } });
  read({ event: "background_aborted", call: "check", usage: { calls: 3 } });
  expect(story.now().other_calls).toBe(5);
});
