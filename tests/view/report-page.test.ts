/** `aot report`: what the journal tells, folded and written as one HTML file (SPEC sections 8 and 9). */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeLines } from "../../src/core/decode-line.ts";
import { markupOf } from "../../src/view/markup.ts";
import { Table } from "../../src/view/page-frame.tsx";
import { reportHtml } from "../../src/view/report-page.tsx";
import { createReported, sceneOf, type Scene } from "../../src/view/scene.ts";
import { createStory, type RunStory } from "../../src/history/run-story.ts";
import { DEFAULT_CONSTRAINTS, INITIAL_CONTROL, type Control, type Outcome, type State } from "../../src/core/state.ts";
import { aot, aotJson } from "../support/aot.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { elementsOf, readMarkup, textOf } from "../support/markup.ts";
import { anyText } from "../support/any-text.ts";

const AT = "2026-01-01T12:00:00.000Z";

function storyOf(lines: readonly object[]): RunStory {
  const keeper = createStory();
  for (const line of decodeLines(lines)) keeper.read(line);
  return keeper.now();
}

function sceneWith(state: State, lines: readonly object[]): Scene {
  const reported = createReported();
  for (const line of decodeLines(lines)) reported.read(line);
  return sceneOf(state, reported.now(), { time: reported.now().story.last, zone: "UTC" });
}

function stateWith(text: string, more: readonly string[] = []): State {
  return {
    objective: {
      goal: text,
      base_case: { checklist: [{ item: text, any_of: [{ item: text, check: { type: "command", value: text } }] }] },
      background_intent: text,
      deliverables: text,
      definition_of_done: "",
      constraints: { ...DEFAULT_CONSTRAINTS, max_cost_usd: 3 },
      protected: [text],
    },
    control: { ...INITIAL_CONTROL, status: "stopped", outcome: "budget", stop_reason: text },
    atoms: [
      { id: "A1", description: text, status: "resolved", depends_on: [], binding: { summary: text, artifacts: more } },
    ],
    decompositions: [],
    or_groups: [],
    trail: [{ type: "user_correction", reason: text, timestamp: text }],
    corrections: [{ timestamp: AT, type: "dag_adjustment", description: text, trail_cleared: true }],
  };
}

const EVENTS = (
  "run_started halted attempt_started work_succeeded attempt_failed attempt_integrated attempt_aborted " +
  "work_split probe_feasible waiting base_case_checked iteration_judged note redirected tampered " +
  "choice_given_up atom_resolved restarted something_else __proto__"
).split(" ");
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  anyText,
  fc.double(),
  fc.constant(null),
  fc.constant([null, 3, "x"]),
  fc.constant({}),
);
const anyLine: fc.Arbitrary<object> = fc.record({
  event: fc.oneof(fc.constantFrom(...EVENTS), anyText),
  time: fc.oneof(
    fc.integer({ min: 0, max: 100_000 }).map((s) => new Date(Date.parse(AT) + 1_000 * s).toISOString()),
    anyValue,
  ),
  attempt: fc.oneof(fc.constantFrom("A1.1", "A1.2", "A2.1"), anyValue),
  atom: anyValue,
  reason: anyValue,
  summary: anyValue,
  message: anyValue,
  measure: anyValue,
  iteration: anyValue,
  movement: fc.oneof(fc.constantFrom("first", "stall"), anyValue),
  usage: fc.oneof(anyValue, fc.record({ cost_usd: anyValue, input_tokens: anyValue })),
  until: fc.oneof(fc.constant("2026-01-02T00:00:00Z"), anyValue),
  who: anyValue,
  verdict: fc.oneof(
    anyValue,
    anyText.map((text) => ({
      passed: false,
      checklist: [
        {
          item: text,
          check: { type: "command", value: text },
          passed: false,
          evidence: {
            kind: "command",
            command: text,
            exit_code: 1,
            timed_out: false,
            duration_ms: 3,
            output: text,
            dropped_bytes: 0,
          },
        },
      ],
    })),
  ),
  integrated: fc.oneof(anyValue, fc.constant([null, { attempt: "A1.1", commit: "c" }])),
  files: anyValue,
  or_group: anyValue,
});

test("law: whatever the journal and the state hold, the report is one well-formed page that loads and runs nothing", () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 25 }), anyText, (lines, text) => {
      const html = reportHtml(sceneWith(stateWith(text, [text]), lines), AT);
      const root = readMarkup(html);
      for (const one of ["script", "img", "link", "iframe", "object", "a", "form"])
        expect(elementsOf(root, one)).toEqual([]);
      const policy = elementsOf(root, "meta").map(({ attributes }) => attributes["content"] ?? "");
      expect(policy.some((content) => content.startsWith("default-src 'none'"))).toBe(true);
      expect(textOf(root)).not.toContain("NaN");
      expect(html).not.toMatch(/="[^"]*NaN/);
    }),
    { numRuns: 60 },
  );
});

const at = (second: number): string => new Date(Date.parse(AT) + 1_000 * second).toISOString();

test("SPEC 9: the report says once how the loop ended, and why", () => {
  const reported = (outcome: Outcome | null, stop_reason: string): string => {
    const state = stateWith("a goal");
    const control: Control = { ...state.control, outcome, stop_reason };
    const banner = elementsOf(readMarkup(reportHtml(sceneWith({ ...state, control }, []), AT)), "p").find(
      ({ attributes }) => attributes["class"]?.startsWith("banner") === true,
    );
    return banner === undefined ? "" : textOf(banner);
  };
  expect(reported("stalled", "no progress in 3 iterations in a row (limit 3), 2 atoms left")).toBe(
    "Stopped: no progress in 3 iterations in a row (limit 3), 2 atoms left",
  );
  expect(reported("stop_requested", "stopped on request: lunch")).toBe("Stopped on request: lunch");
  expect(reported("stop_requested", "stopped on request")).toBe("Stopped on request");
  expect(reported(null, "by hand")).toBe("stopped: by hand");
});

test("SPEC 8: a run that died leaves no attempt open; what it had integrated is integrated; a restart begins a new story", () => {
  const first: readonly object[] = [
    { time: at(0), event: "run_started", run: "r1" },
    { time: at(1), event: "attempt_started", attempt: "A1.1", atom: "A1", role: "worker" },
    { time: at(1), event: "attempt_started", attempt: "A2.1", atom: "A2", role: "worker" },
    {
      time: at(5),
      event: "work_succeeded",
      attempt: "A1.1",
      summary: "made",
      usage: { cost_usd: 0.5, input_tokens: 7 },
    },
    { time: at(1_000), event: "run_started", run: "r2", integrated: [{ attempt: "A1.1", commit: "abc" }] },
  ];
  const story = storyOf(first);
  expect(story).toMatchObject({ cost_usd: 0.5, tokens: 7 });
  expect(story.runs.map(({ run, to }) => [run, to === null])).toEqual([
    ["r1", false],
    ["r2", true],
  ]);
  expect(story.attempts.map(({ attempt, end, commit }) => [attempt, end, commit])).toEqual([
    ["A1.1", "integrated", "abc"],
    ["A2.1", "aborted", null],
  ]);
  // The 994 seconds in which nothing ran are not drawn.
  const { axis } = sceneWith(stateWith("a goal"), first);
  expect(axis.at(Date.parse(at(1_000))) - axis.at(Date.parse(at(5)))).toBeLessThan(0.02);
  expect(storyOf([...first, { time: at(2_000), event: "restarted" }]).attempts).toEqual([]);
});

test("SPEC 10: aot report of a finished loop: goal, verdict with evidence, attempts with their commits, in a file that is reported", async () => {
  const dir = temporaryFolder();
  mkdirSync(join(dir, "in"));
  writeFileSync(
    join(dir, "work.mjs"),
    `import { writeFileSync } from "node:fs"; writeFileSync("made.txt", "x"); console.log('{"success": true, "summary": "made <it>"}');`,
  );
  expect((await aot(["align", "Make & take it", "--check", "file: made.txt", "--yes"], { cwd: dir })).code).toBe(0);
  const before = await aot(["report", "--output", "-"], { cwd: dir });
  expect(textOf(readMarkup(before.out))).toContain("none yet");
  expect((await aot(["run", "--agent", `command:"${process.execPath}" work.mjs`], { cwd: dir })).code).toBe(0);
  const made = await aotJson(["report", "--output", "in/deep/report.html"], { cwd: dir });
  expect(made.json).toMatchObject({
    success: true,
    outcome: "verified",
    attempts: 1,
    file: join(dir, "in", "deep", "report.html"),
  });
  const page = textOf(readMarkup((await aot(["report", "--output", "-"], { cwd: dir })).out));
  for (const words of [
    "Make & take it",
    "Verified: the base case holds",
    "passed file: made.txt",
    "file: made.txt",
    "made <it>",
    "✓ integrated",
  ])
    expect(page).toContain(words);
  const refused = await aot(["report", "--output", "made.txt/report.html"], { cwd: dir });
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("cannot write")]);
});

test("a table of as many rows as a file may hold atoms is drawn: more than a call takes arguments", () => {
  const rows = Array.from({ length: 130_000 }, (_, index) => [`A${index}`]);
  expect(markupOf(Table({ name: "Atoms", head: ["Atom"], rows })).match(/<tr>/g)).toHaveLength(rows.length + 1);
});
