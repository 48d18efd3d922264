/** A person's word on what no program can decide (SPEC sections 6 and 8). */
import { expect, test } from "vitest";
import { applyRedirect } from "../../src/core/apply-redirect.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import { confirmedItems } from "../../src/core/persons-word.ts";
import type { Redirect } from "../../src/core/redirect.ts";
import type { State } from "../../src/core/state.ts";
import { toArray } from "../../src/core/vec.ts";
import { NOW, stateOf } from "../support/loops.ts";

const base = stateOf({ atoms: [{ id: "A1", status: "resolved" }] });
const done: State = {
  ...base,
  control: { ...base.control, status: "stopped", iteration: 3, outcome: "needs_confirmation" },
  objective: {
    ...base.objective,
    base_case: {
      checklist: [
        { item: "Reads well", check: { type: "assertion", value: "the text reads well" } },
        { item: "Tests pass", check: { type: "command", value: "npm test" } },
      ],
    },
  },
};
const say = (kind: "confirm" | "reject", item: string, reason = "", state = done) =>
  applyRedirect(state, { kind, item, reason }, NOW);

test("SPEC 8: what a person confirmed holds until more is worked", () => {
  const said = say("confirm", "reads well");
  if (!said.ok) throw new Error(said.problems[0]?.message);
  const { state } = said.value;
  expect([...confirmedItems(state)]).toEqual(["Reads well"]);
  expect(state.corrections).toMatchObject([{ type: "confirmation", confirmed: { item: "Reads well", iteration: 3 } }]);
  expect([...confirmedItems({ ...state, control: { ...state.control, iteration: 4 } })]).toEqual([]);
  const after = (redirect: Redirect): string[] => {
    const next = applyRedirect(state, redirect, NOW);
    if (!next.ok) throw new Error(next.problems[0]?.message);
    return [...confirmedItems(next.value.state)];
  };
  // Its work may be done in the same iteration, where a slot is left.
  expect(after({ kind: "add", id: "A9", description: "more", depends_on: [], reason: "" })).toEqual([]);
  expect(after({ kind: "limit", constraint: "max_iterations", value: 30, reason: "" })).toEqual(["Reads well"]);
});

test("SPEC 8: a rejection becomes an atom, and its reason reaches every role with the brief", () => {
  const said = say("reject", "Reads well", "it explains nothing");
  if (!said.ok) throw new Error(said.problems[0]?.message);
  const { state, touched } = said.value;
  expect(checkInvariants(state)).toEqual([]);
  expect(toArray(state.atoms).at(-1)).toMatchObject({
    id: "A2",
    status: "pending",
    description: "Make it hold: Reads well. A human rejected it: it explains nothing",
  });
  expect(state.objective.clarifications).toEqual([
    { question: 'Does "Reads well" hold?', resolution: "No, a human says: it explains nothing" },
  ]);
  expect(touched).toMatchObject({ check: true, plan: true });
  expect(state.corrections.at(-1)?.description).toContain("it explains nothing");
});

test.each([
  ["what a program decides", say("confirm", "Tests pass"), 'the items are "Reads well"'],
  ["nothing", say("reject", "Spelling", "x"), 'the items are "Reads well"'],
  ["without a reason", say("reject", "Reads well"), "--reason"],
  [
    "while there is work left",
    say("confirm", "Reads well", "", { ...done, atoms: stateOf({ atoms: [{ id: "A1" }] }).atoms }),
    "aot run",
  ],
])("a person's word on %s is refused, with the next step", (_, said, hint) => {
  expect(said).toMatchObject({ ok: false, problems: [{ hint: expect.stringContaining(hint) }] });
});
