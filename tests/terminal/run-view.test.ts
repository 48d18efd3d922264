/** What a person sees of a run while it works (SPEC section 10): the lines, and the region below them. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { widthOf } from "../../src/terminal/clip.ts";
import type { Snapshot } from "../../src/terminal/loop-snapshot.ts";
import { plain } from "../../src/terminal/paint.ts";
import { createStory } from "../../src/history/run-story.ts";
import { runRows } from "../../src/terminal/run-rows.ts";
import { createRunView } from "../../src/terminal/run-view.ts";
import { graphOf } from "../../src/core/graph.ts";
import type { JournalLine } from "../../src/core/journal.ts";
import { DEFAULT_CONSTRAINTS, INITIAL_CONTROL, type Atom, type OrGroup, type State } from "../../src/core/state.ts";
import { executableOf } from "../../src/core/view.ts";

const START = "2026-01-01T00:00:00.000Z";
const line = (event: object): JournalLine => ({ time: START, run: "r", iteration: 1, ...event }) as JournalLine;
const at5s = (): number => Date.parse("2026-01-01T00:00:05.400Z");

function snapshotOf(atoms: readonly Atom[], groups: readonly OrGroup[] = []): Snapshot {
  const state: State = {
    objective: {
      goal: "g",
      base_case: { type: "file", value: "x" },
      background_intent: "",
      deliverables: "",
      definition_of_done: "",
      constraints: { ...DEFAULT_CONSTRAINTS, max_cost_usd: 5 },
    },
    control: INITIAL_CONTROL,
    atoms,
    decompositions: [],
    or_groups: groups,
    trail: [],
    corrections: [],
  };
  const graph = graphOf(state);
  return { state, graph, ready: executableOf(state, graph) };
}

const atom = (id: string, description: string, more: Partial<Atom> = {}): Atom => {
  return { id, description, status: "pending", depends_on: [], ...more };
};

const started = (id: string, role = "worker"): JournalLine =>
  line({ event: "attempt_started", attempt: `${id}.1`, atom: id, role });

interface Shown {
  readonly columns?: number;
  readonly rows?: number;
  readonly snapshot?: Snapshot | null;
}

function rowsAfter(
  lines: readonly JournalLine[],
  { columns = 80, rows = 24, snapshot = null }: Shown,
): readonly string[] {
  const story = createStory("newest_run");
  for (const each of lines) story.read(each);
  return runRows(story.now(), snapshot, { turn: 0, now: at5s(), screen: { columns, rows }, paint: plain });
}

const BEGUN = line({
  event: "run_started",
  from: "pending",
  memory: { cost_usd: 0.5, active_ms: 60_000, attempts: {}, nogoods: [], probed: {} },
  settings: { verify_each: false, confirmed: false, max_iterations: 7 },
});

test("SPEC 10: the region is the graph with what is running in it, how far it is, and what it spent", () => {
  const snapshot = snapshotOf(
    [
      atom("A1", "User model", { status: "resolved", binding: { summary: "", artifacts: [] } }),
      atom("A2", "Tokens", { or_group: "method" }),
      atom("A3", "Sessions", { or_group: "method" }),
      atom("A4", "Login", { depends_on: ["A2"] }),
    ],
    [{ name: "method", choices: ["A2", "A3"], selected: "A2", failed: [] }],
  );
  expect(rowsAfter([BEGUN, started("A2", "probe")], { snapshot }).join("\n")).toMatchInlineSnapshot(`
    "✓ A1  User model
    ⎇ method  one of 2
    ├─ ⠋ A2  Tokens  5s probe
    └─ - A3  Sessions
    · A4  Login  waits for A2
    ██████░░░░░░░░░░░░░░░░░░ 1 of 4 resolved · 3 left · 1 running
    iteration 1 of 7 · 1m 5s · $0.50 of $5.00"
  `);
});

test("SPEC 7: who waits, for how long and why is said: an attempt, the planner, a redirect, a stop, the base case", () => {
  const until = "2026-01-01T00:03:10.000Z";
  const wait = (more: object): JournalLine =>
    line({ event: "waiting", until, wait_ms: 190_000, reason: "429: slow\u001b[2J down", ...more });
  const words = /^◌ A1 {2}waits 3m 4s more, until \d\d:\d\d: 429: slow down$/;
  expect(rowsAfter([started("A1"), wait({ who: "A1.1", attempt: "A1.1" })], {})[0]).toMatch(words);
  expect(rowsAfter([wait({ who: "the planner" })], {})[0]).toMatch(/^◌ the planner {2}waits 3m 4s more/);
  const redirect = line({ event: "redirect_requested", redirect: {} });
  expect(rowsAfter([started("A1"), redirect], {})).toContain(
    "⠋ redirect  waits for work that is being integrated or taken out",
  );
  const stop = line({ event: "stop_requested", reason: "lunch" });
  expect(rowsAfter([started("A1"), stop], {}).at(-1)).toMatch(/^stopping when these are done, Ctrl-C again kills them/);
  const resolved = line({ event: "atom_resolved", atom: "A1", measure: 0 });
  expect(rowsAfter([resolved], {})[0]).toBe("⠋ base case  checked in a clean checkout");
  const runs = line({ event: "check_started", item: "npm test", why: "again", last_ms: 41_000 });
  expect(rowsAfter([resolved, runs], {})[0]).toMatch(/^⠋ check {2}npm test, once more {2}\d+s \(41s last time\)$/);
  const ended = line({ event: "check_ended", item: "npm test", why: "again", passed: true, duration_ms: 41_000 });
  expect(rowsAfter([resolved, runs, ended], {})[0]).toBe("⠋ base case  checked in a clean checkout");
  const checked = line({ event: "base_case_checked", verdict: { passed: false, checklist: [] } });
  expect(rowsAfter([resolved, checked], {})[0]).toBe("⠋ base case  failed: more work is planned");
});

test("SPEC 5: an attempt whose agent is done has left its slot; what the file does not know yet is shown as it is", () => {
  const done = line({ event: "work_succeeded", attempt: "A1.1", atom: "A1", summary: "made it" });
  const shown = rowsAfter([started("A1"), started("A2"), done], {});
  expect(shown.slice(0, 3)).toEqual(["⠋ A1  5s integrating", "⠋ A2  5s", "1 running"]);
  const snapshot = snapshotOf([atom("A1", "", { status: "in_progress" }), atom("A2", "", { status: "in_progress" })]);
  const integrated = line({ event: "attempt_integrated", attempt: "A1.1", atom: "A1", commit: null, artifacts: [] });
  const resolved = line({ event: "atom_resolved", atom: "A1", measure: 1 });
  const failed = line({ event: "attempt_failed", attempt: "A2.1", atom: "A2", kind: "failed", reason: "no" });
  const after = rowsAfter([started("A1"), started("A2"), done, integrated, resolved, failed], { snapshot });
  expect(after.slice(0, 2)).toEqual(["✓ A1", "○ A2"]);
  expect(after[2], "what is resolved and what is left are of one moment").toContain("1 of 2 resolved · 1 left");
});

const text = fc.string({ unit: "binary", maxLength: 60 });

test("laws RUN-ROWS-1, RUN-ROWS-2: whatever the graph and the screen, nothing is too wide or too high, and what is running is seen", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: 200 }),
      fc.integer({ min: 5, max: 50 }),
      fc.array(text, { minLength: 1, maxLength: 200 }),
      fc.array(fc.nat(199), { maxLength: 3 }),
      (columns, rows, descriptions, working) => {
        const atoms = descriptions.map((description, index) => {
          const done = index % 3 === 0 && !working.includes(index);
          return atom(`A${index}`, description, done ? { status: "resolved" } : {});
        });
        const busy = [...new Set(working.filter((index) => index < atoms.length))];
        const lines = busy.map((index) => started(`A${index}`));
        const shown = rowsAfter(lines, { columns, rows, snapshot: snapshotOf(atoms) });
        expect(shown.length).toBeLessThan(rows);
        for (const row of shown) {
          expect(widthOf(row)).toBeLessThan(columns);
          expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
        }
        if (rows < 8 || columns < 12) return;
        for (const index of busy) expect(shown.filter((row) => row.startsWith(`⠋ A${index} `))).toHaveLength(1);
      },
    ),
  );
});

test("200 atoms: the rest is counted by what it is", () => {
  const atoms = Array.from({ length: 200 }, (_, n) =>
    atom(`A${n}`, "work", n < 140 ? { status: "resolved" } : { depends_on: n > 145 ? ["A141"] : [] }),
  );
  const shown = rowsAfter([started("A141"), started("A199")], { snapshot: snapshotOf(atoms) });
  expect(shown).toHaveLength(16);
  expect(shown[0]).toMatch(/^○ A140/);
  expect(shown[12]).toMatch(/^⠋ A199/);
  expect(shown[13]).toBe("... 187 more: 47 waiting, 140 resolved");
});

function terminal(size: { columns: number; rows: number }) {
  const written: string[] = [];
  const view = createRunView({ write: (part) => written.push(part), paint: plain, screen: () => size, now: at5s });
  return { view, size, last: () => written.at(-1) ?? "" };
}

const FRAME = /^\u001b\[\?2026h(?:\u001b\[\d+A)?\r?(?:\u001b\[J)?/;

test("on a terminal an atom's success is one line, and the region below is drawn anew and goes at the end", () => {
  const { view, last } = terminal({ columns: 80, rows: 24 });
  view.line(started("A1"));
  expect(last()).toBe("\u001b[?2026h⠋ A1  5s\n1 running\niteration 1 · no cost reported\n\u001b[?2026l");
  const success = [
    { event: "work_succeeded", attempt: "A1.1", atom: "A1", summary: "made the model", usage: { cost_usd: 0.03 } },
    { event: "attempt_integrated", attempt: "A1.1", atom: "A1", commit: "abc", artifacts: [] },
  ];
  for (const event of success) {
    view.line(line(event));
    expect(last()).not.toMatch(/\d\d:\d\d:\d\d/);
  }
  view.line(line({ event: "atom_resolved", atom: "A1", measure: 9 }));
  expect(last().replace(FRAME, "")).toMatch(
    /^\d\d:\d\d:\d\d ✓ A1 made the model · 9 left · \$0\.03\n9 left · 0 running\niteration 1 · \$0\.03\n\u001b\[\?2026l$/,
  );
  view.close();
  expect(last()).toBe("\u001b[?2026h\u001b[2A\r\u001b[J\u001b[?2026l");
});

test("on a terminal a success keeps to its line, a failure is reported whole", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 40, max: 200 }),
      fc.string({ unit: "binary", maxLength: 300 }),
      (columns, summary) => {
        const { view, last } = terminal({ columns, rows: 24 });
        view.line(line({ event: "work_succeeded", attempt: "A1.1", atom: "A1", summary }));
        view.line(line({ event: "atom_resolved", atom: "A1", measure: 9 }));
        const [fact = ""] = last().replace(FRAME, "").split("\n");
        expect(fact).toContain("· 9 left");
        expect(widthOf(fact)).toBeLessThanOrEqual(columns);
      },
    ),
  );
  const { view, last } = terminal({ columns: 40, rows: 24 });
  view.line(line({ event: "attempt_failed", attempt: "A1.1", atom: "A1", kind: "failed", reason: "x".repeat(100) }));
  expect(last()).toContain(`✗ A1 failed:\n  ${"x".repeat(100)}\n`);
  view.line(line({ event: "note", message: "Not committed, so that attempts do not see it: notes.md." }));
  expect(last(), "no word is broken").toMatch(/\d\d Not committed, so that attempts\n {2}do not see it: notes\.md\.\n/);
});

test("elsewhere there are plain lines only, and a reader that leaves does not end the run", () => {
  let text = "";
  const view = createRunView({ write: (part) => (text += part), paint: plain, screen: () => null, now: () => 0 });
  view.line(started("A1"));
  view.tick();
  view.close();
  expect(text).toMatch(/^\d\d:\d\d:\d\d A1 worker started \(A1\.1\)\n$/);
  for (const size of [null, { columns: 80, rows: 24 }]) {
    const deaf = createRunView({
      write: () => {
        throw new Error("EPIPE");
      },
      paint: plain,
      screen: () => size,
      now: () => 0,
    });
    expect(() => deaf.line(line({ event: "note", message: "x" }))).not.toThrow();
    expect(() => deaf.close()).not.toThrow();
  }
});
