/** What an agent is asked about turns, and how its answer is read (SPEC section 12). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { questionOn, type Correction } from "../../../src/rules/analyze/turn-questions.ts";
import type { Entry } from "../../../src/rules/analyze/read/entry.ts";
import { createSession, type Turn } from "../../../src/rules/analyze/session.ts";

function turnsOf(file: string, entries: readonly Entry[]): readonly Turn[] {
  const turns: Turn[] = [];
  const session = createSession(
    (turn) => turns.push(turn),
    () => undefined,
  );
  for (const [index, entry] of entries.entries()) session.take(entry, { file, line: index + 1 }, "/p");
  return turns;
}

const TURNS = turnsOf("one", [
  { kind: "message", text: "add it" },
  { kind: "reply", text: "I add it" },
  { kind: "call", id: "b1", tool: "Bash", input: { command: "npm install\n x" } },
  {
    kind: "call",
    id: "e1",
    tool: "Edit",
    input: { file_path: "/p/src/a.ts", old_string: "one\n", new_string: "one\ntwo" },
  },
  { kind: "result", id: "e1", outcome: "refused", text: "", said: "", exit: null },
  { kind: "message", text: "No, use pnpm  instead of npm" },
  { kind: "call", id: "t1", tool: "Task", input: { prompt: "look" } },
  { kind: "message", text: "one agent is enough" },
]);
const OTHER = turnsOf("two", [
  { kind: "call", id: "r1", tool: "Read", input: { file_path: "/p/b.ts" } },
  { kind: "message", text: "why do you read that?" },
]);
const given = {
  turn: 1,
  quote: "use pnpm instead",
  call: 1,
  severity: "high",
  rule: "Use pnpm.",
  name: "Use pnpm!",
  when: [],
};

function readAs(turns: readonly Turn[], ...corrections: readonly object[]): readonly (Correction | undefined)[] {
  const { read, resolve } = questionOn(turns);
  const answer = read({ corrections });
  if (!answer.ok) throw new Error(answer.problem);
  const found = resolve(answer.value);
  return turns.map((turn) => found.get(turn));
}

test("sessions are told as they went, calls with what they wrote, each once", () => {
  const [, ...shown] = questionOn([...TURNS, ...OTHER]).prompt.split("\n=== a session\n");
  expect(shown).toEqual([
    `person: add it
agent: I add it
c1 Bash npm install x
c2 Edit src/a.ts <- two (refused by the person)
t1 person: No, use pnpm  instead of npm
c3 Task {"prompt":"look"}
t2 person: one agent is enough
`,
    "c4 Read b.ts\nt3 person: why do you read that?\n\n=== end",
  ]);
  // Alone, a turn has what led to it.
  expect(questionOn(TURNS.slice(1)).prompt).toContain("person: No, use pnpm instead of npm\nc3 Task");
});

test("ASK-TURNS-1: of a session with an open turn all is shown again, and only that turn has a number", () => {
  const second = TURNS.at(-1);
  const { prompt, read, resolve } = questionOn([...TURNS, ...OTHER], (turn) => turn === second);
  const [whole = ""] = questionOn(TURNS).prompt.split("\n=== a session\n").slice(1);
  expect(prompt.split("\n=== a session\n")[1]).toBe(whole.replace("t1 person", "person").replace("t2", "t1"));
  expect(prompt).not.toContain("b.ts");
  const answer = read({ corrections: [{ ...given, quote: "one agent", call: 3 }] });
  const found = answer.ok ? [...resolve(answer.value)] : [];
  expect(found).toMatchObject([[{ text: "one agent is enough" }, { call: { id: "t1" } }]]);
});

test("a correction: its words, the call, the rule and how a program can see it", () => {
  const when = [{ field: "command", pattern: "^npm" }];
  const [first, second] = readAs(
    TURNS,
    { ...given, when },
    { ...given, turn: 2, quote: "one agent", call: 3, rule: null, severity: "grave" },
  );
  expect(first).toMatchObject({ quote: "use pnpm instead", call: { id: "b1" }, severity: "high" });
  expect(first?.rule).toEqual({ name: "use-pnpm", words: "Use pnpm.", when });
  expect(second).toMatchObject({ call: { id: "t1" }, severity: "medium", rule: null });
});

describe("what does not hold", () => {
  test.each([
    ["TURN-QUESTIONS-1: words that were not said", { quote: "use yarn" }, undefined],
    ["TURN-QUESTIONS-1: words of another turn", { quote: "one agent" }, undefined],
    ["no such turn", { turn: 9 }, undefined],
    ["TURN-QUESTIONS-2: no such call", { call: 9 }, null],
    ["TURN-QUESTIONS-2: a call that came later", { call: 3 }, null],
    ["TURN-QUESTIONS-2: a call of another session", { call: 4 }, null],
    ["TURN-QUESTIONS-2: none of these", { call: null }, null],
  ])("%s", (_, more, call) => {
    const [first] = readAs([...TURNS, ...OTHER], { ...given, ...more });
    expect(first?.call).toEqual(call);
  });

  test.each([
    [{}],
    [{ corrections: {} }],
    [{ corrections: [1] }],
    [{ corrections: [{ ...given, quote: " " }] }],
    [{ corrections: [{ ...given, when: [{}] }] }],
  ])("an answer of another form is asked for again: %j", (answer) =>
    expect(questionOn(TURNS).read(answer).ok).toBe(false),
  );

  test("any answer is read or refused", () => {
    const { read, resolve } = questionOn(TURNS);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const answer = read({ corrections: [value] });
        if (answer.ok) resolve(answer.value);
      }),
    );
  });
});
