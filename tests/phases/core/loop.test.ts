/** Laws of the phase loop over any definition and any sequence of actions (SPEC section 11). */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Action } from "../../../src/phases/core/action.ts";
import { allowedActions, breachesOf } from "../../../src/phases/core/rules.ts";
import { apply, metricsAfter } from "../../../src/phases/core/apply.ts";
import type { LoopDefinition } from "../../../src/phases/core/definition.ts";
import { generate } from "../../../src/phases/core/generate.ts";
import { currentPhase } from "../../../src/phases/core/sequence.ts";
import { printState, stateText } from "../../../src/phases/core/print-state.ts";
import { readState, type StateText } from "../../../src/phases/core/read-state.ts";
import type { Metric, PhaseLoop } from "../../../src/phases/core/state.ts";
import { definitions, second } from "./definitions.ts";

/** A walk: each number picks one of what is possible, allowed or not. */
const walks = fc.array(fc.nat({ max: 999 }), { maxLength: 40 });

function anyAction(definition: LoopDefinition, loop: PhaseLoop, pick: number): Action {
  const phase = definition.phases[pick % definition.phases.length]?.name ?? "";
  const gate = definition.gates[pick % Math.max(1, definition.gates.length)]?.id ?? "nowhere";
  const reason = pick % 3 === 0 ? null : "because";
  const actions: readonly Action[] = [
    { type: "start_phase", phase },
    { type: "complete_phase", phase, deliverables: [`${pick}.md`] },
    { type: "fail_phase", phase, reason: "broken" },
    { type: "skip_phase", phase, reason },
    { type: "pass_gate", gate, by: pick % 2 === 0 ? "person" : "check" },
    { type: "fail_gate", gate, reason: "no" },
    { type: "retry_gate", gate },
    { type: "skip_gate", gate, reason },
    { type: "count", metric: `m${pick % 3}`, value: pick, ...(pick % 2 === 0 ? { by: true as const } : {}) },
    { type: "pause" },
    {
      type: "resume",
      ...(pick % 4 === 0 ? { reopen: "retry" as const } : pick % 4 === 1 ? { reopen: "restart" as const } : {}),
    },
    { type: "fail_loop", reason: "hopeless" },
  ];
  const useful = allowedActions(definition, loop);
  // Half of them is drawn from what is allowed, so that walks lead somewhere.
  return (
    (pick % 2 === 0 ? useful[pick % useful.length] : undefined) ?? actions[pick % actions.length] ?? { type: "pause" }
  );
}

interface Walked {
  readonly loops: readonly PhaseLoop[];
  readonly history: readonly { readonly action: Action; readonly at: string }[];
}

function walk(definition: LoopDefinition, picks: readonly number[]): Walked {
  const loops = [generate(definition, second(0))];
  const history: { action: Action; at: string }[] = [];
  for (const [index, pick] of picks.entries()) {
    const loop = loops.at(-1);
    if (loop === undefined) throw new Error("no loop");
    const action = anyAction(definition, loop, pick);
    const at = second(index + 1);
    const next = apply(definition, loop, action, at);
    if (!next.ok) continue;
    loops.push(next.value);
    history.push({ action, at });
  }
  return { loops, history };
}

test("any sequence of transitions keeps the eleven rules", () => {
  fc.assert(
    fc.property(definitions, walks, (definition, picks) => {
      for (const loop of walk(definition, picks).loops) expect(breachesOf(definition, loop)).toEqual([]);
    }),
    { numRuns: 400 },
  );
});

test("APPLY-5: an accepted action sets last_updated; a history of actions gives the state again", () => {
  fc.assert(
    fc.property(definitions, walks, (definition, picks) => {
      const { loops, history } = walk(definition, picks);
      let loop = generate(definition, second(0));
      for (const [index, { action, at }] of history.entries()) {
        const next = apply(definition, loop, action, at);
        if (!next.ok) throw new Error("a history is not accepted again");
        loop = next.value;
        expect(loop.last_updated).toBe(at);
        expect(loop).toEqual(loops[index + 1]);
      }
    }),
  );
});

test("metrics are a function of what was counted since the loop began: no other action touches them", () => {
  fc.assert(
    fc.property(definitions, walks, (definition, picks) => {
      const { loops, history } = walk(definition, picks);
      let metrics: readonly Metric[] = [];
      for (const { action } of history)
        if (action.type === "count") metrics = metricsAfter(metrics, action);
        else if (action.type === "resume" && action.reopen === "restart") metrics = [];
      expect(loops.at(-1)?.metrics).toEqual(metrics);
    }),
  );
});

test("resume after any prefix, killed and read again from its text, gives the same end", () => {
  fc.assert(
    fc.property(definitions, walks, (definition, picks) => {
      const { loops, history } = walk(definition, picks);
      const end = loops.at(-1);
      for (const [at, prefix] of loops.entries()) {
        if (prefix.status !== "active") continue;
        const read = readState(stateText(prefix));
        if (!read.ok) throw new Error(JSON.stringify(read.problems));
        const resumed = apply(definition, read.value.loop, { type: "resume" }, second(3_600));
        if (!resumed.ok) throw new Error("a loop that was interrupted does not go on");
        expect(currentPhase(resumed.value)?.name ?? null).toBe(
          prefix.phases.find(({ status }) => status === "active")?.name ??
            prefix.phases.find(({ status }) => status === "pending")?.name ??
            null,
        );
        let loop = resumed.value;
        for (const { action, at: when } of history.slice(at)) {
          const next = apply(definition, loop, action, when);
          if (!next.ok) throw new Error(JSON.stringify(next.problems));
          loop = next.value;
        }
        expect({ ...loop, last_updated: "" }).toEqual({ ...end, last_updated: "" });
      }
    }),
  );
});

test("from every state that can be reached an allowed action exists, and completion can be reached from an active one", () => {
  fc.assert(
    fc.property(definitions, walks, (definition, picks) => {
      let loop = walk(definition, picks).loops.at(-1) ?? generate(definition, second(0));
      expect(allowedActions(definition, loop).length).toBeGreaterThan(0);
      if (loop.status === "paused" || loop.status === "failed") {
        const again = apply(
          definition,
          loop,
          { type: "resume", ...(loop.status === "failed" ? { reopen: "retry" as const } : {}) },
          second(50),
        );
        if (!again.ok) throw new Error("it cannot go on");
        loop = again.value;
      }
      for (let steps = 0; loop.status === "active"; steps++) {
        expect(steps).toBeLessThan(30);
        const onwards = allowedActions(definition, loop).find(({ type }) =>
          ["start_phase", "complete_phase", "pass_gate", "retry_gate"].includes(type),
        );
        if (onwards === undefined) throw new Error(`nothing leads on from ${JSON.stringify(loop)}`);
        const next = apply(definition, loop, onwards, second(60 + steps));
        if (!next.ok) throw new Error("what is allowed is refused");
        loop = next.value;
      }
      expect(loop.status).toBe("complete");
    }),
  );
});

test("APPLY-3: no human gate is ever passed by anything but a person", () => {
  fc.assert(
    fc.property(definitions, walks, (definition, picks) => {
      for (const { action } of walk(definition, picks).history)
        if (action.type === "pass_gate" && action.by === "check")
          expect(definition.gates.find(({ id }) => id === action.gate)?.approval).not.toBe("human");
    }),
  );
});

// ── text ────────────────────────────────────────────────────────────────────

function parsed(text: string): StateText {
  const read = readState(text);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

/** The same state, laid out in another way and with keys of somebody else. */
function foreign(loop: PhaseLoop, style: number): string {
  const value = JSON.parse(stateText(loop), (key, item: unknown) =>
    typeof item === "object" &&
    item !== null &&
    !Array.isArray(item) &&
    key !== "gates" &&
    key !== "phases" &&
    key !== "metrics"
      ? { "x-mine": [1.0, { deep: null }], ...item }
      : item,
  ) as unknown;
  const text =
    [
      JSON.stringify(value),
      JSON.stringify(value, null, 2),
      JSON.stringify(value, null, "\t"),
      `\ufeff${JSON.stringify(value, null, 4)}\n\n`,
    ][style % 4] ?? "";
  return style > 3 ? text.replaceAll("\n", "\r\n") : text;
}

test("PRINT-STATE-1, PRINT-STATE-2: print(parse(x)) = x, and parse(print(y)) = y, along any walk and in any layout", () => {
  fc.assert(
    fc.property(definitions, walks, fc.nat({ max: 7 }), (definition, picks, style) => {
      const { loops } = walk(definition, picks);
      const [first] = loops;
      if (first === undefined) throw new Error("no loop");
      let document = parsed(
        definition.phases.some(({ name }) => name === "__proto__") ||
          definition.gates.some(({ id }) => id === "__proto__")
          ? stateText(first)
          : foreign(first, style),
      );
      for (const loop of loops) {
        const next = {
          ...loop,
          gates: reordered(loop.gates, document.loop.gates),
          phases: reordered(loop.phases, document.loop.phases, "name"),
        };
        const printed = printState(document, next);
        if (!printed.ok) throw new Error(JSON.stringify(printed.problems));
        const again = parsed(printed.value);
        expect(again.loop).toEqual(next);
        expect(printState(again, again.loop)).toEqual({ ok: true, value: printed.value });
        expect(printed.value.split("x-mine").length).toBe(document.text.split("x-mine").length);
        document = again;
      }
    }),
  );
});

/** JSON.parse moves keys that look like numbers to the front. */
function reordered<T extends object>(items: readonly T[], like: readonly T[], key = "id"): T[] {
  const name = (item: object): unknown => (item as Readonly<Record<string, unknown>>)[key];
  return like.map((other) => {
    const found = items.find((item) => name(item) === name(other));
    if (found === undefined) throw new Error("lost");
    return found;
  });
}

test("PRINT-STATE-3: an edit changes the lines that it must and no others", () => {
  const definition: LoopDefinition = {
    id: "d",
    version: "1",
    mode: "m",
    autonomy: "supervised",
    gates: [],
    phases: [
      { name: "A", required: true, skills: [], deliverables: [], results: [] },
      { name: "B", required: true, skills: [], deliverables: [], results: [] },
    ],
  };
  const before = stateText(generate(definition, second(0))).replace('"mode"', '"mine":   [ 1.50,2 ],\n  "mode"');
  const document = parsed(before);
  const done = apply(
    definition,
    document.loop,
    { type: "complete_phase", phase: "A", deliverables: ["A.md"] },
    second(1),
  );
  if (!done.ok) throw new Error("refused");
  const printed = printState(document, done.value);
  if (!printed.ok) throw new Error("not printed");
  const changed = printed.value.split("\n").filter((line, index) => line !== before.split("\n")[index]);
  expect(changed).toEqual([
    '  "phase": "B",',
    '      "status": "complete",',
    '      "deliverables": ["A.md"],',
    `      "startedAt": "${second(0)}",`,
    `      "completedAt": "${second(1)}"`,
    `  "last_updated": "${second(1)}"`,
  ]);
});
