/** Watching a loop of an engine that comes and goes (ENGINES-FOLLOW-1 to 3). Its clock is the test's. */
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EngineUnreachable } from "../../src/engines/adapters/engine-unreachable.ts";
import { followLoop } from "../../src/engines/follow.ts";
import type { AnyLine, JournalLine } from "../../src/core/journal-line.ts";
import type { Engine, LoopView } from "../../src/loop/engine.ts";
import { SILENT, viewOf } from "../support/engines/silent-engine.ts";
import { fieldsOf } from "../support/lines.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NEVER = new AbortController().signal;

/** A loop of so many lines, one more at each look, which halts with its last one. @param answers whether it does, question by question; then always */
function engineOf(lines: number, answers: readonly boolean[]): Engine {
  const left = [...answers];
  let grown = 0;
  const answered = <T>(value: T): Promise<T> =>
    (left.shift() ?? true) ? Promise.resolve(value) : Promise.reject(new EngineUnreachable("it is away", "start it"));
  const lineOf = (message: string): JournalLine => ({ time: "", run: "r", iteration: 0, event: "note", message });
  const view = (): LoopView => {
    const { state } = viewOf();
    const control = { ...state.control, outcome: grown < lines ? null : ("verified" as const) };
    return viewOf({ state: { ...state, control }, lines: grown });
  };
  return {
    ...SILENT,
    view: () => {
      grown = Math.min(grown + 1, lines);
      return answered(view());
    },
    journal: (_, from) =>
      answered(Array.from({ length: Math.min(2, grown - from) }, (_, at) => lineOf(`${from + at}`))),
  };
}

/** Settles it, however long it rests. */
async function settled<T>(work: Promise<T>): Promise<T> {
  const over = { is: false };
  const end = (): void => void (over.is = true);
  work.then(end, end);
  for (let turn = 0; !over.is && turn < 5_000; turn++) await vi.advanceTimersByTimeAsync(1_000);
  return await work;
}

test("SPEC 13, law: whenever the engine is away, each line is shown once, in its order, and the end is the loop's", async () => {
  const answers = fc.array(fc.boolean(), { maxLength: 30 }).map((rest) => [true, ...rest]);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 12 }), answers, async (lines, given) => {
      const [shown, said]: [string[], string[]] = [[], []];
      const each = (line: AnyLine): void => void shown.push(String(fieldsOf(line)["message"]));
      const ended = await settled(
        followLoop(engineOf(lines, given), "x", each, { signal: NEVER, from: 0, say: (text) => said.push(text) }),
      );
      expect(ended).toMatchObject({ ok: true, value: { state: { control: { outcome: "verified" } } } });
      expect(shown).toEqual(Array.from({ length: lines }, (_, index) => String(index)));
      // Reported when it goes and when it comes back.
      expect(said.map((text) => /answers again/.test(text))).toEqual(said.map((_, index) => index % 2 === 1));
    }),
    { numRuns: 60 },
  );
});

test("SPEC 13: one that never answered is refused at once, and one that stays away in the end", async () => {
  const said: string[] = [];
  const follow = (answers: readonly boolean[]): ReturnType<typeof followLoop> =>
    settled(
      followLoop(engineOf(3, answers), "x", () => {}, { signal: NEVER, from: 0, say: (text) => said.push(text) }),
    );
  const refusal = { ok: false, problems: [{ message: "it is away", hint: "start it" }] };
  expect(await follow([false])).toMatchObject(refusal);
  expect(said).toEqual([]);
  expect(await follow([true, ...Array.from({ length: 10_000 }, () => false)])).toMatchObject(refusal);
  expect(said).toEqual([expect.stringContaining("it is away; the loop goes on without us")]);
});

test("SPEC 13: whoever ends it waits for no answer, and is shown nothing more", async () => {
  const away = new AbortController();
  const engine = engineOf(5, []);
  const shown: AnyLine[] = [];
  let [views, answer, isAsked] = [0, (): void => {}, false];
  const slow: Engine = {
    ...engine,
    view: async (loop) => {
      if (++views < 2) return await engine.view(loop);
      isAsked = true;
      await new Promise<void>((resolve) => (answer = resolve));
      return await engine.view(loop);
    },
  };
  const following = followLoop(slow, "x", (line) => shown.push(line), { signal: away.signal });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isAsked).toBe(true);
  away.abort();
  expect(await following).toMatchObject({ ok: true, value: { lines: 1 } });
  answer();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(shown).toHaveLength(1);
});
