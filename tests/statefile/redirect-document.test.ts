/** What a person may change of a loop, as one YAML text (SPEC section 8). */
import { expect, test } from "vitest";
import { readAlignment } from "../../src/align/alignment-file.ts";
import { applyRedirect } from "../../src/core/apply-redirect.ts";
import {
  differenceOf,
  documentOf,
  documentText,
  readDocument,
  transactionFor,
} from "../../src/statefile/redirect-document.ts";
import { NOW, stateOf } from "../support/loops.ts";

const state = stateOf({
  atoms: [{ id: "A", status: "resolved", binding: { summary: "did A", artifacts: [] } }, { id: "B" }, { id: "C" }],
  groups: [{ name: "g", choices: ["B", "C"], selected: "B" }],
});

test("the text that is shown and saved as it is changes nothing", () => {
  const was = documentOf(state);
  const read = readDocument(documentText(was));
  expect(read).toMatchObject({ ok: true });
  if (read.ok) expect(transactionFor(read.value, was, "removed")).toMatchObject({ ok: true, value: { changes: [] } });
});

test("SPEC 8: the whole brief, choices and results change in one transaction", () => {
  const read = readDocument(`
reason: what was learned
clarifications: [{question: "which?", resolution: "all"}]
scope: {in_scope: [api], out_of_scope: [ui]}
protected: ["test/**"]
choose: [{group: g, atom: C}]
rebind: [{id: A, summary: done in another way, artifacts: [a.txt]}]
`);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const made = transactionFor(read.value, documentOf(state), "kept");
  if (!made.ok) throw new Error(JSON.stringify(made.problems));
  expect(made.value.changes.map(({ kind }) => kind)).toEqual(["set", "set", "set", "choose", "rebind"]);
  const applied = applyRedirect(state, made.value, NOW);
  expect(applied).toMatchObject({
    ok: true,
    value: {
      state: {
        objective: {
          clarifications: [{ question: "which?", resolution: "all" }],
          scope: { in_scope: ["api"], out_of_scope: ["ui"] },
          protected: ["test/**"],
        },
        corrections: [{ description: expect.stringContaining("scope changed") }],
      },
    },
  });
});

test("limits may be called by the state file's word; given by both, the other one is no field", () => {
  const limits = { max_iterations: 7, max_cost_usd: null };
  for (const word of ["limits", "constraints"])
    expect(readDocument(JSON.stringify({ [word]: limits }))).toEqual({ ok: true, value: { limits } });
  expect(readDocument("limits: {}\nconstraints: {}")).toMatchObject({ problems: [{ at: { line: 2 } }] });
  const aligned = readAlignment("goal: g\nbase_case: {type: file, value: x}\nlimits: {max_iterations: 7}");
  expect(aligned).toMatchObject({ value: { constraints: { max_iterations: 7 } } });
});

test("what does not fit is named by its field", () => {
  expect(readDocument("scope: everything")).toMatchObject({ ok: false, problems: [{ path: ["scope"] }] });
});

test("the difference of an edited text asks for what was edited, also of a loop that went on meanwhile", () => {
  const was = documentOf(state);
  const [first, ...others] = was.atoms ?? [];
  if (first === undefined) throw new Error("no open atom");
  const limits = { ...was.limits, max_iterations: 7 };
  const wanted = { ...was, goal: "another", limits, atoms: [{ ...first, description: "anew" }] };
  const read = readDocument(documentText(differenceOf(wanted, was)));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const meanwhile = { ...was, limits: { ...was.limits, max_stall_count: 9 }, atoms: [first, ...others] };
  const made = transactionFor(read.value, meanwhile, "kept");
  if (!made.ok) throw new Error(JSON.stringify(made.problems));
  expect(made.value.changes).toMatchObject([
    { kind: "set", field: "goal", value: "another" },
    { kind: "limit", constraint: "max_iterations", value: 7 },
    ...others.map(({ id }) => ({ kind: "remove", id })),
    { kind: "change", id: first.id, description: "anew" },
  ]);
  expect(differenceOf(was, was)).toEqual({ limits: {}, atoms: [], remove: [] });
});
