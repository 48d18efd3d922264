/** A person's word on what no program can decide (SPEC sections 6 and 8). */
import { expect, test } from "vitest";
import { applyRedirect } from "../../src/core/apply-redirect.ts";
import { checkInvariants } from "../../src/core/invariants.ts";
import { confirmedItems } from "../../src/core/persons-word.ts";
import type { Redirect } from "../../src/core/redirect.ts";
import type { State } from "../../src/core/state.ts";
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
  expect(state.atoms.at(-1)).toMatchObject({
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

const asserts = (item: string, value: string) => ({ item, check: { type: "assertion" as const, value } });
const several: State = {
  ...done,
  objective: {
    ...done.objective,
    base_case: {
      checklist: [
        { item: "Tests pass", check: { type: "command", value: "npm test" } },
        asserts("No customer data is exposed in the export", "no line of the export names a customer"),
        {
          item: "Words",
          group: [
            { item: "2", check: { type: "quality", criteria: "prose", pass_threshold: 4 } },
            asserts("Twin", "the left one holds"),
            asserts("Twin", "the right one holds"),
          ],
        },
      ],
    },
  },
};

test.each([
  ["no customer data is exposed  in the export", ["No customer data is exposed in the export"]],
  ["assertion: no line of the export names a customer", ["No customer data is exposed in the export"]],
  ["1", ["No customer data is exposed in the export"]],
  // Its name goes before the number of another one.
  ["2", ["2"]],
  ["quality: prose", ["2"]],
  ["Twin", ["Twin"]],
])("SPEC 10: an item is named by its name, its number or its label: %s", (named, items) => {
  const said = say("confirm", named, "", several);
  expect(said.ok ? [...confirmedItems(said.value.state)] : said.problems).toEqual(items);
});

test.each(["x", "export", "No customer data is exposed in the exports", "", "0", "5", "1.0", "assertion:", "3"])(
  "SPEC 10: %j confirms nothing: the items that could be meant are listed with their numbers",
  (named) => {
    // 3 is one of two that bear one name: it would confirm both.
    for (const kind of ["confirm", "reject"] as const)
      expect(say(kind, named, "why", several)).toMatchObject({
        ok: false,
        problems: [
          { hint: expect.stringContaining('1: "No customer data is exposed in the export" (assertion: no line') },
        ],
      });
  },
);

test.each([
  ["what a program decides", say("confirm", "Tests pass"), '1: "Reads well"'],
  ["nothing", say("reject", "Spelling", "x"), '1: "Reads well"'],
  ["without a reason", say("reject", "Reads well"), "--reason"],
  [
    "while there is work left",
    say("confirm", "Reads well", "", { ...done, atoms: stateOf({ atoms: [{ id: "A1" }] }).atoms }),
    "aot run",
  ],
])("a person's word on %s is refused, with the next step", (_, said, hint) => {
  expect(said).toMatchObject({ ok: false, problems: [{ hint: expect.stringContaining(hint) }] });
});
