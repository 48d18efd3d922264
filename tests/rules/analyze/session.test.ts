/** A session as turns: what the agent did before each message of the person (SPEC section 12). */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/rules/analyze/read/entry.ts";
import { createSession, type Moment, type Turn } from "../../../src/rules/analyze/session.ts";

interface Seen {
  readonly turns: readonly Turn[];
  readonly left: readonly string[];
}

function seenIn(entries: readonly Entry[]): Seen {
  const turns: Turn[] = [];
  const left: string[] = [];
  const session = createSession(
    (turn) => turns.push(turn),
    (why) => left.push(why),
  );
  for (const [index, entry] of entries.entries()) session.take(entry, { file: "s.jsonl", line: index + 1 }, "/p");
  return { turns, left };
}

const message = (text: string): Entry => ({ kind: "message", text });
const reply = (text: string): Entry => ({ kind: "reply", text });
const bash = (id: string, command = "ls"): Entry => ({ kind: "call", id, tool: "Bash", input: { command } });
const result = (id: string, outcome: "done" | "failed" | "refused", said = ""): Entry => ({
  kind: "result",
  id,
  outcome,
  text: "",
  said,
  exit: null,
});
const shown = (moments: readonly Moment[]): readonly string[] =>
  moments.map((one) =>
    one.kind === "call" ? `${one.call.id} ${one.call.outcome}` : `${one.kind}: ${"text" in one ? one.text : ""}`,
  );

test("a turn has what happened since the message before, and what led to that", () => {
  const { turns } = seenIn([
    message("go"),
    bash("b1"),
    result("b1", "done"),
    reply("done"),
    message("why that?"),
    bash("b2"),
    result("b2", "failed"),
    { kind: "interrupt" },
    { kind: "shell", command: "git status" },
    message("not so"),
  ]);
  expect(turns.map(({ text, at, number }) => [text, at.line, number])).toEqual([
    ["why that?", 5, 0],
    ["not so", 10, 1],
  ]);
  expect(shown(turns[0]?.lead ?? [])).toEqual(["person: go"]);
  expect(shown(turns[0]?.moments ?? [])).toEqual(["b1 done", "agent: done"]);
  expect(shown(turns[1]?.lead ?? [])).toEqual(["person: go", "b1 done", "agent: done", "person: why that?"]);
  expect(shown(turns[1]?.moments ?? [])).toEqual(["b2 failed", "stopped: ", "person: ! git status"]);
});

describe("ANALYZE-SESSION-2: told, and no turn", () => {
  test.each([
    ["approvals", ["yes", "ok, thanks!", "go ahead", "LGTM", "commit it", "1", "yes please, continue"]],
    [
      "pasted",
      [
        "```\nno, stop\n```",
        "> no, stop",
        `# Plan\n\n${"do this and that. ".repeat(40)}`,
        `see\n${"    at x (a.js:1)\n".repeat(60)}`,
      ],
    ],
  ])("%s", (why, texts) => {
    for (const text of texts) expect([text, seenIn([bash("b1"), message(text)]).left]).toEqual([text, [why]]);
  });

  test("what comes before any call", () => {
    expect(seenIn([message("no, not so"), reply("so?"), message("stop")]).left).toEqual([
      "without_calls",
      "without_calls",
    ]);
  });

  test.each([["no"], ["revert"], ["why?"], ["ok but use pnpm"], ["ja"], ["yes, and remove the header"]])(
    "but not: %s",
    (text) => {
      expect(seenIn([bash("b1"), message(text)]).turns).toHaveLength(1);
    },
  );
});

describe("the call that a person refused", () => {
  const refusedIn = (...entries: readonly Entry[]): readonly unknown[] =>
    seenIn([message("go"), ...entries]).turns.map(({ text, refused }) => [text, refused?.id ?? null]);

  test("with a reason, or right before the next message, whatever that is", () => {
    expect(refusedIn(bash("b1"), result("b1", "refused", "use pnpm"))).toEqual([["use pnpm", "b1"]]);
    expect(refusedIn(bash("b1"), result("b1", "refused"), { kind: "interrupt" }, message("not so"))).toEqual([
      ["not so", "b1"],
    ]);
  });

  test("is none after another call, and for one message alone", () => {
    expect(refusedIn(bash("b1"), result("b1", "refused"), bash("b2"), message("hm"))).toEqual([["hm", null]]);
    expect(refusedIn(bash("b1"), result("b1", "refused"), message("hm"), message("so"))).toEqual([
      ["hm", "b1"],
      ["so", null],
    ]);
  });
});

test("of more calls than are shown, reads are let go of first, but never the newest call", () => {
  const read = (id: string): Entry => ({ kind: "call", id, tool: "Read", input: { file_path: `/p/${id}` } });
  const writes = Array.from({ length: 11 }, (_, at) => bash(`b${at}`));
  const [turn] = seenIn([read("r1"), ...writes, read("r2"), result("r2", "refused"), message("not that")]).turns;
  expect(shown(turn?.moments ?? []).join()).toBe([...writes.map((_, at) => `b${at} open`), "r2 refused"].join());
});

test("ANALYZE-SESSION-1: a turn is bounded, however long the session and its texts are", () => {
  const entry: fc.Arbitrary<Entry> = fc.oneof(
    fc.record({
      kind: fc.constantFrom("message" as const, "reply" as const),
      text: fc.constantFrom("no", "x".repeat(9_000), "a b. ".repeat(900)),
    }),
    fc.nat(30).map((id) => bash(`b${id}`, "y".repeat(20_000))),
    fc.nat(30).map((id) => result(`b${id}`, "refused", "not so")),
  );
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 120 }), (entries) => {
      for (const { text, lead, moments } of seenIn(entries).turns) {
        const all = [...lead, ...moments];
        expect(text.length).toBeLessThan(1_300);
        expect(all.filter(({ kind }) => kind === "call").length).toBeLessThanOrEqual(12);
        expect(all.length).toBeLessThanOrEqual(72);
        expect(JSON.stringify(all).length).toBeLessThan(72 * 9_000 + 12 * 20_000);
      }
    }),
  );
});
