/** A session read entry by entry: what is reported, once, and with its place (SPEC section 12). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/rules/analyze/read/entry.ts";
import { createFindings } from "../../../src/rules/analyze/findings.ts";
import { createSession, SURE, THRESHOLD, type Occurrence } from "../../../src/rules/analyze/session.ts";

const message = (text: string): Entry => ({ kind: "message", text });
const bash = (id: string, command: string): Entry => ({ kind: "call", id, tool: "Bash", input: { command } });
const edit = (id: string, file: string, before: string, after: string): Entry => ({
  kind: "call",
  id,
  tool: "Edit",
  input: { file_path: `/p/${file}`, old_string: before, new_string: after },
});
const result = (id: string, text: string, outcome: "done" | "failed" = "failed"): Entry => ({
  kind: "result",
  id,
  outcome,
  text,
  said: "",
  exit: null,
});

const refusal = (id: string, said: string): Entry => ({
  kind: "result",
  id,
  outcome: "refused",
  text: "",
  said,
  exit: null,
});

function occurrencesOf(entries: readonly Entry[], file = "f.jsonl"): readonly Occurrence[] {
  const found: Occurrence[] = [];
  const session = createSession((occurrence) => found.push(occurrence));
  for (const [index, entry] of entries.entries()) session.take(entry, { file, line: index + 1 }, "/p");
  session.end();
  return found;
}

test("SPEC 12: a finding quotes the words with file and line, and names the call with its own", () => {
  const [found, ...others] = occurrencesOf([
    message("add it"),
    bash("b1", "npm install x"),
    message("Thanks for that. But no, use pnpm instead of npm."),
  ]);
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    kind: "correction",
    by: "person",
    quote: { text: "But no, use pnpm instead of npm.", at: { file: "f.jsonl", line: 3 } },
    call: { id: "b1", at: { line: 2 } },
    tie: { sibling: { used: "npm", wanted: "pnpm" } },
  });
});

test("ANALYZE-VERDICT-1: a remark without a word that corrects becomes a finding by what the agent does next, and not without", () => {
  const before = [message("install them"), bash("b1", "pip install -r a.txt"), message("there is uv on this machine")];
  expect(occurrencesOf(before)).toEqual([]);
  expect(occurrencesOf([...before, bash("b2", "uv pip install -r a.txt")])).toHaveLength(1);
  expect(occurrencesOf([...before, { kind: "reply", text: "Sorry, I'll use uv." }])).toHaveLength(1);
  expect(occurrencesOf([...before, bash("b2", "uv --version")])).toEqual([]);
});

describe("what the agent does next tells how it took the words", () => {
  const said = [edit("e1", "a.ts", "", "const colour = 'green';"), message("I mean the other one")];
  const scoreOf = (...next: readonly Entry[]): number => occurrencesOf([...said, ...next])[0]?.score ?? 0;
  const alone = scoreOf();

  test("it says that the person is right, or takes out what it brought in", () => {
    expect(alone).toBeGreaterThanOrEqual(THRESHOLD);
    expect(scoreOf({ kind: "reply", text: "You're right, I'll move it." })).toBeGreaterThan(alone);
    expect(scoreOf(edit("e2", "a.ts", "const colour = 'green';", "const colour = 'blue';"))).toBeGreaterThan(alone);
    expect(scoreOf(edit("e2", "b.ts", "const colour = 'green';", "const colour = 'blue';"))).toBe(alone);
    expect(scoreOf(edit("e2", "a.ts", "", "const other = 1;"), { kind: "reply", text: "Sorry." })).toBe(alone);
  });

  test.each(["ExitPlanMode", "AskUserQuestion", "mcp__conductor__AskUserQuestion"])(
    "what is said to %s is an answer, also where it was stopped",
    (tool) => {
      const asked: Entry = { kind: "call", id: "p1", tool, input: {} };
      const stopped: readonly Entry[] = [refusal("p1", ""), { kind: "interrupt" }];
      const words = message("No no, that makes no sense, we have that already");
      expect(occurrencesOf([edit("e1", "a.ts", "", "const colour = 'green';"), ...stopped, words])).not.toEqual([]);
      const written = edit("e1", "plan.md", "", "const colour = 'green';");
      expect(occurrencesOf([written, asked, ...stopped, words]).filter(({ score }) => score >= SURE)).toEqual([]);
      expect(occurrencesOf([asked, ...stopped, words])).toEqual([]);
      expect(occurrencesOf([asked, refusal("p1", "no, don't touch that")])).toEqual([]);
    },
  );

  test("who stops a call and goes on to the next task may not have minded the call, though the words name it", () => {
    const stopped = [bash("b1", "git commit -m x"), refusal("b1", ""), { kind: "interrupt" } as const];
    const [named] = occurrencesOf([...stopped, message("write a good message for the commit")]);
    expect(named?.score).toBeLessThan(SURE);
    const [corrected] = occurrencesOf([...stopped, message("don't commit that")]);
    expect(corrected?.score).toBeGreaterThanOrEqual(SURE);
  });

  test("an answer to the agent's question is none, whatever the agent says to it", () => {
    const question: Entry = { kind: "reply", text: "Which one do you mean?" };
    const [edited, words] = [edit("e1", "a.ts", "", "const colour = 'green';"), message("I mean the other one")];
    expect(occurrencesOf([edited, question, words, { kind: "reply", text: "You're right." }])).toEqual([]);
  });

  test("the very call that was refused, made again, was refused for the moment alone", () => {
    const refused: Entry = refusal("b1", "no, that's wrong");
    expect(occurrencesOf([bash("b1", "make deploy"), refused])).toHaveLength(1);
    expect(occurrencesOf([bash("b1", "make deploy"), refused, bash("b2", "ls"), bash("b3", "make deploy")])).toEqual(
      [],
    );
  });

  test("who stops a call need not name it", () => {
    const words = message("from this computer, not from the server");
    expect(occurrencesOf([bash("b1", "ssh host deploy"), words])).toEqual([]);
    expect(occurrencesOf([bash("b1", "ssh host deploy"), { kind: "interrupt" }, words])).toHaveLength(1);
  });
});

test("SPEC 17: every message is told once, and by its kind", () => {
  const told: string[] = [];
  const session = createSession(
    () => {},
    (turn, { line }) => told.push(`${line} ${turn}`),
  );
  const entries: readonly Entry[] = [
    message("add a page for the settings"),
    bash("b1", "npm install x"),
    message("no, use pnpm instead of npm"),
    { kind: "reply", text: "Done. Shall I commit it?" },
    message("yes"),
    { kind: "reply", text: "Which colour do you want?" },
    message("the dark one"),
    message("why is it slow?"),
    message("<ci-event>failed</ci-event>"),
    bash("b2", "make deploy"),
    refusal("b2", "the other branch has it"),
    edit("e1", "a.ts", "", "x"),
    message("revert that"),
  ];
  for (const [index, entry] of entries.entries()) session.take(entry, { file: "f", line: index + 1 }, "/p");
  session.end();
  expect(told).toEqual([
    "1 task",
    "3 correction",
    "5 approval",
    "7 answer",
    "8 question",
    "9 pasted",
    expect.stringMatching(/^11 (?:refusal|correction)$/),
    "13 revert",
  ]);
});

test("ANALYZE-SESSION-2: a call is reported once, however often the person comes back to it", () => {
  const again = message("no, don't run npm install");
  expect(occurrencesOf([bash("b1", "npm install x"), again, again, again])).toHaveLength(1);
});

test("a call that lies far back is nobody's subject", () => {
  const talk = [message("thanks, looks fine"), message("next one please"), message("no, don't run npm install")];
  expect(occurrencesOf([bash("b1", "npm install x"), ...talk])).toEqual([]);
});

describe("SPEC 12: reverts by git", () => {
  const made = edit("e1", "src/a.ts", "one", "two");
  test.each([
    ["git checkout -- src/a.ts", 1],
    ["git checkout HEAD src/a.ts", 1],
    ["cd /p && git restore src", 1],
    ["git restore .", 1],
    ["git reset --hard HEAD~1", 1],
    ["git checkout -b src", 0],
    ["git checkout main", 0],
    ["git restore --staged src/a.ts", 0],
    ["git reset src/a.ts", 0],
    ["git checkout -- src/b.ts", 0],
    ["echo git checkout -- src/a.ts", 0],
  ])("%s", (command, count) => {
    const person = occurrencesOf([made, message("look"), { kind: "shell", command }]);
    const agent = occurrencesOf([made, bash("b1", command)]);
    expect([person.length, agent.length]).toEqual([count, count]);
    if (count === 1) expect([person[0]?.by, person[0]?.kind, agent[0]?.by]).toEqual(["person", "revert", "agent"]);
  });

  test("what was refused or failed was no edit, and nothing of it is undone", () => {
    for (const outcome of ["failed", "refused"] as const) {
      const answer: Entry = { kind: "result", id: "e1", outcome, text: "", said: "", exit: null };
      const undo: Entry = { kind: "shell", command: "git checkout -- src/a.ts" };
      expect(occurrencesOf([made, answer, undo])).toEqual([]);
    }
  });

  test("an edit that takes an earlier one out is one only if the person spoke in between", () => {
    const back = edit("e2", "src/a.ts", "two", "one");
    expect(occurrencesOf([made, back])).toEqual([]);
    expect(occurrencesOf([made, message("hm"), back])).toMatchObject([{ kind: "revert", call: { id: "e1" } }]);
  });
});

test("SPEC 12: the same misuse three times is a repeated mistake; twice, or a test that stays red, is none", () => {
  const listed = (count: number, answer: string): number => {
    const findings = createFindings();
    const entries = [...Array(count).keys()].flatMap((at) => [bash(`b${at}`, "black src"), result(`b${at}`, answer)]);
    for (const occurrence of occurrencesOf(entries)) findings.add(occurrence);
    return findings.list().length;
  };
  expect(listed(3, "bash: black: command not found")).toBe(1);
  expect(listed(2, "bash: black: command not found")).toBe(0);
  expect(listed(5, "FAILED tests/a.py::test_b - AssertionError: not found")).toBe(0);
});

test("findings: those of one rule are put together, what has no space is counted, and no name is twice", () => {
  const findings = createFindings();
  for (let at = 0; at < 500; at++)
    for (const occurrence of occurrencesOf([
      bash(`e${at}`, `deploy-${at % 450} now`),
      message(`never run deploy-${at % 450} again`),
    ]))
      findings.add(occurrence);
  const list = findings.list();
  expect([list.length, findings.left_out]).toEqual([400, 50]);
  expect(list.filter(({ occurrences }) => occurrences === 2).length).toBe(50);
  const names = list.map(({ rule }) => rule?.name);
  expect(new Set(names).size).toBe(names.length);
});

test("SPEC 12: any sequence of entries is read, every score is a share, and every quote has its line", () => {
  const words = fc.constantFrom(
    "no",
    "don't",
    "npm",
    "pnpm",
    "revert that",
    "wtf",
    "why did you",
    "src/a.ts",
    '"',
    "`",
    "?",
    "\n",
    "if",
    "违",
    "戻して",
    "nein",
    "otra vez",
    "instead",
    "never",
    "again",
    "that's wrong",
    "x".repeat(50),
  );
  const text = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(" "));
  const id = fc.constantFrom("1", "2", "3");
  const entry: fc.Arbitrary<Entry> = fc.oneof(
    text.map(message),
    text.map((command): Entry => ({ kind: "shell", command: `git restore ${command}` })),
    text.map((said): Entry => ({ kind: "reply", text: said })),
    fc.tuple(id, text).map(([one, command]) => bash(one, command)),
    fc.tuple(id, text, text).map(([one, before, after]) => edit(one, "src/a.ts", before, after)),
    fc
      .tuple(id, text, fc.constantFrom("done" as const, "failed" as const, "refused" as const), text)
      .map(([one, answer, outcome, said]): Entry => ({
        kind: "result",
        id: one,
        outcome,
        text: answer,
        said,
        exit: null,
      })),
    fc.tuple(id, fc.jsonValue()).map(([one, value]): Entry => ({
      kind: "call",
      id: one,
      tool: "MultiEdit",
      input: { edits: value, file_path: value },
    })),
  );
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 30 }), (entries) => {
      const findings = createFindings();
      for (const occurrence of occurrencesOf(entries)) {
        expect(occurrence.score).toBeGreaterThanOrEqual(THRESHOLD);
        expect(occurrence.score).toBeLessThanOrEqual(1);
        expect(occurrence.quote.at.line).toBeGreaterThanOrEqual(occurrence.call.at.line);
        findings.add(occurrence);
      }
      for (const { rule } of findings.list())
        for (const { pattern } of rule?.conditions ?? []) expect(() => new RegExp(pattern, "i")).not.toThrow();
    }),
    { numRuns: 300 },
  );
});
