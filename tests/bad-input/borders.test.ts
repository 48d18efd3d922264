/**
 * What comes from outside (requests, redirects, signals, agents' answers, journal lines, actions of the page, hooks' input):
 * whatever it is, its reader answers with a value of its type or with words, in linear time, and throws nothing.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createAgent } from "../../src/adapters/agents/find.ts";
import { parseLine } from "../../src/adapters/agents/json-lines.ts";
import { readReport } from "../../src/adapters/checks/reports/read-report.ts";
import { createLineReader } from "../../src/adapters/store/journal-reader.ts";
import {
  readAssertionAnswer,
  readAssertionVote,
  readDraftAnswer,
  readProbeAnswer,
  readQualityAnswer,
  readRatings,
  readWorkerAnswer,
} from "../../src/loop/answers.ts";
import { readPlannerAnswer } from "../../src/loop/answers.ts";
import { partsAsBefore } from "../../src/verdict/agreed-form.ts";
import { createRecall } from "../../src/core/journal.ts";
import { lastJsonObject } from "../../src/core/json-object.ts";
import { parseJson } from "../../src/core/reading.ts";
import { act } from "../../src/interfaces/dashboard/actions.ts";
import { readHookInput } from "../../src/interfaces/hook/hook-input.ts";
import { toolValues } from "../../src/interfaces/mcp/tool-values.ts";
import { ask } from "../../src/loop/ask.ts";
import type { Agent, AgentRequest } from "../../src/loop/ports.ts";
import { readRequest, readSignal } from "../../src/loop/read-request.ts";
import { readBaseCaseValue, readRedirect } from "../../src/statefile/read-redirect.ts";
import { COMMANDS } from "../../src/commands.ts";

const REQUEST: AgentRequest = {
  role: "worker",
  call: "A1.1",
  prompt: "p",
  bindings: {},
  nogoods: [],
  schema: {},
  cwd: "/",
  timeout_ms: 1_000,
};
const RUBRIC = [{ criterion: "c" }];

/** A message that fits, for each reader, so that what is nearly right is tried as well. */
const READERS: Readonly<Record<string, { readonly read: (value: unknown) => object; readonly fits: unknown }>> = {
  redirect: {
    read: readRedirect,
    fits: { kind: "rebind", id: "A1", binding: { summary: "s", artifacts: ["a"] }, reason: "" },
  },
  request: { read: readRequest, fits: { kind: "redirect", redirect: { kind: "remove", id: "A1", reason: "" } } },
  signal: { read: readSignal, fits: { kind: "stop", id: "1", reason: "r" } },
  "base case": {
    read: readBaseCaseValue,
    fits: { checklist: [{ item: "i", any_of: [{ item: "j", check: { type: "command", value: "x", timeout: 3 } }] }] },
  },
  worker: { read: readWorkerAnswer, fits: { success: true, summary: "s", artifacts: ["a"] } },
  split: { read: readWorkerAnswer, fits: { split: [{ id: "a", description: "d", depends_on: ["b"] }], reason: "r" } },
  probe: { read: readProbeAnswer, fits: { feasible: true, findings: "f", cost_estimate: {} } },
  planner: { read: readPlannerAnswer, fits: { atoms: [{ description: "d", touches: ["a"] }], reason: "r" } },
  assertion: { read: readAssertionAnswer, fits: { passed: true, evidence: "e" } },
  vote: { read: readAssertionVote, fits: { passed: true, evidence: "e", quotes: [{ file: "f", line: 1, text: "t" }] } },
  scores: {
    read: readQualityAnswer(RUBRIC),
    fits: { scores: [{ criterion: "c", score: 3, reason: "r", quotes: [{ file: "f", line: 1, text: "t" }] }] },
  },
  ratings: { read: readRatings(RUBRIC), fits: { c: { score: 3, reason: "r" } } },
  draft: {
    read: readDraftAnswer,
    fits: {
      goal: "g",
      background_intent: "b",
      deliverables: "d",
      definition_of_done: "x",
      base_case: {},
      atoms: [{ description: "d" }],
    },
  },
};

const readers = Object.entries(READERS);
const FORBIDDEN = ["__proto__", "constructor", "toString", "kind", ""];
/** What an answer may be: it was JSON, or nothing. */
const parsed = fc.oneof(
  fc.jsonValue({ stringUnit: "binary" }),
  fc.constantFrom<unknown>(undefined, Infinity, -0, "\ud800", "\ufeff", "\0", 2 ** 60),
  fc.constantFrom(...FORBIDDEN).map((key): unknown => JSON.parse(`{${JSON.stringify(key)}: {"kind": "set"}}`)),
);
const anything = fc.oneof(parsed, fc.anything({ withNullPrototype: true, withSparseArray: true, withBigInt: true }));

/** The value with one of its places replaced. */
function spoilt(value: unknown, choose: (most: number) => number, by: unknown): unknown {
  if (typeof value !== "object" || value === null || choose(3) === 0) return by;
  const names = Object.keys(value);
  if (names.length === 0) return by;
  const name = names[choose(names.length - 1)] ?? "";
  const child = spoilt((value as Record<string, unknown>)[name], choose, by);
  if (!Array.isArray(value)) return { ...value, [name]: child };
  return value.with(Number(name), child);
}

// JSON has one zero.
expect.addEqualityTesters([(a, b) => (a === 0 && b === 0 ? true : undefined)]);

/** What is read fits UTF-8 and JSON, and nothing of it is inherited from what came. */
function expectAnswer(read: object): void {
  if ("ok" in read && read.ok === true && "value" in read) {
    const text = JSON.stringify(read.value);
    expect(text).not.toMatch(/\\ud[89a-f]/);
    expect(JSON.parse(text)).toEqual(read.value);
  } else expect(read).toMatchObject({ ok: false });
}

test.each(readers)("law, %s: what fits is read; whatever else comes is answered in words", (_, { read, fits }) => {
  expect(read(fits)).toMatchObject({ ok: true });
  fc.assert(fc.property(parsed, (value) => expectAnswer(read(value))));
  fc.assert(
    fc.property(parsed, fc.infiniteStream(fc.nat(1000)), (by, numbers) => {
      const choose = (most: number): number => (numbers.next().value ?? 0) % (most + 1);
      expectAnswer(read(spoilt(fits, choose, by)));
    }),
  );
});

const LEVELS = 100_000;
const DEEP: readonly (readonly [string, string])[] = [
  ["lists", "[".repeat(LEVELS) + "]".repeat(LEVELS)],
  ["objects", '{"kind":'.repeat(LEVELS) + "1" + "}".repeat(LEVELS)],
];

test.each(readers)("%s: nested 100,000 levels deep, whole and in any place, is refused", (_, { read, fits }) => {
  for (const [, text] of DEEP) {
    const deep: unknown = JSON.parse(text);
    expect(read(deep)).toMatchObject({ ok: false });
    for (const name of Object.keys(fits as object))
      expect(read({ ...(fits as object), [name]: deep })).toMatchObject({ ok: false });
  }
});

test.each(readers)("%s: texts, lists and keys of millions are read or refused", (_, { read, fits }) => {
  const large: readonly unknown[] = [
    "x".repeat(2_000_000),
    Array.from({ length: 50_000 }, () => 1),
    Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i])),
  ];
  for (const one of large) {
    expectAnswer(read(one));
    for (const name of Object.keys(fits as object)) expectAnswer(read({ ...(fits as object), [name]: one }));
  }
});

test("law: a text is JSON that can be walked through, or it is said why not", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.json().map((text) => `\ufeff${text}`),
    fc.constantFrom(...DEEP.map(([, text]) => text)),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(parseJson(text)).toHaveProperty("ok");
    }),
  );
  expect(parseJson('\ufeff{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
  for (const [, text] of DEEP)
    expect(parseJson(text)).toEqual({ ok: false, problem: "is nested deeper than 200 levels" });
});

test("law: journal lines of any bytes and of any JSON are read or reported, and remembered without harm", () => {
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
    fc
      .tuple(
        fc.constantFrom(
          "run_started",
          "attempt_failed",
          "attempt_integrated",
          "revert_due",
          "iteration_judged",
          "__proto__",
        ),
        fc.dictionary(
          fc.constantFrom(
            "time",
            "run",
            "atom",
            "attempt",
            "usage",
            "integrated",
            "lost",
            "atoms",
            "measure",
            "__proto__",
          ),
          fc.jsonValue(),
        ),
      )
      .map(([event, rest]) => Buffer.from(JSON.stringify({ ...rest, event }))),
    fc.constantFrom(...DEEP.map(([, text]) => Buffer.from(`{"event":"run_started","usage":${text}}`))),
  );
  fc.assert(
    fc.property(fc.array(bytes), (lines) => {
      const [reader, recall] = [createLineReader("j"), createRecall()];
      for (const line of lines) {
        for (const one of [...reader.push(Buffer.from(line)), ...reader.push(Buffer.from("\n"))])
          if (one.kind === "entry") recall.read(one.value);
      }
      const { memory, iteration } = recall.now();
      expect(JSON.parse(JSON.stringify({ memory, iteration }))).toEqual({ memory, iteration });
    }),
  );
});

test("law: the last JSON object of any text, a hook's input and an agent's name are read or refused", () => {
  const texts = fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.constantFrom(...DEEP.map(([, text]) => text)));
  fc.assert(
    fc.property(texts, (text) => {
      lastJsonObject(text);
      readHookInput(text);
      const agent = createAgent(text);
      expect(agent).toHaveProperty("ok");
    }),
  );
});

test("an answer that is nested too deep is none, whoever hands it on, and what stood before it is not taken in its place", async () => {
  for (const [, text] of DEEP) {
    const answer = `{"success": true, "summary": "an earlier one"}\n{"success": true, "summary": "s", "artifacts": [${text}]}`;
    expect(lastJsonObject(answer)).toBeUndefined();
    expect(parseLine(`{"type":"result","structured_output":${text}}`)).toBeUndefined();
    const agent: Agent = {
      name: "deep",
      call: () => Promise.resolve({ kind: "answer", value: { success: true, artifacts: JSON.parse(text) as unknown } }),
      available: () => Promise.resolve({ ok: true }),
      close: () => Promise.resolve(),
    };
    expect(await ask(agent, REQUEST, readWorkerAnswer, new AbortController().signal)).toMatchObject({
      kind: "failed",
      failure: "unreadable",
      reason: expect.stringContaining("nested deeper than 200 levels"),
    });
  }
});

test("what programs of a project print or write, nested deep, is no report, and is put back as a whole", () => {
  for (const [, text] of DEEP) {
    for (const report of [
      `{"testResults":[{"assertionResults":${text}}],"numTotalTests":1}`,
      `{"stats":{},"tests":${text},"passes":[{"fullTitle":${text}}]}`,
      `{"Time":"x","Action":"run","Test":${text}}`,
      `TAP version 13\n${"    ".repeat(2_000)}ok 1 - deep`,
      "<testsuite>".repeat(LEVELS),
      `<testsuites>${"<testsuite name='s'>".repeat(LEVELS)}<testcase name="c"/>${"</testsuite>".repeat(LEVELS)}</testsuites>`,
    ])
      expect(readReport(report, []) ?? "none").toBeDefined();
    expect(partsAsBefore("package.json", `{"jest":{},"deep":${text}}`, "{}")).toBe("{}");
  }
});

const COMMAND_SPECS = COMMANDS.filter((command) => command.load !== undefined);

test("law: a tool's arguments of any shape are values of the declared types, or a complaint", () => {
  const deep: unknown = JSON.parse(DEEP[0]?.[1] ?? "");
  fc.assert(
    fc.property(fc.constantFrom(...COMMAND_SPECS), fc.dictionary(fc.string(), anything), (command, given) => {
      expect(toolValues(command, given)).toHaveProperty("ok");
      for (const { name } of [...(command.args ?? []), ...(command.flags ?? [])])
        expect(toolValues(command, { [name.replaceAll("-", "_")]: deep })).toHaveProperty("ok");
    }),
    { numRuns: 30 },
  );
});

test("law: an action of the page that is none is refused in words", async () => {
  const loop = { key: "k", kind: "atoms", name: "n", file: "/nowhere/state.md" } as const;
  await fc.assert(
    fc.asyncProperty(anything, async (asked) => {
      expect(await act(loop, asked, { cwd: "/", env: {} })).toMatchObject({ ok: false });
    }),
  );
  for (const [, text] of DEEP)
    expect(await act(loop, { command: JSON.parse(text) }, { cwd: "/", env: {} })).toMatchObject({
      ok: false,
      document: { errors: [{ code: "usage" }] },
    });
});
