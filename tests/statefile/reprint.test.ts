import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Atom, State } from "../../src/core/state.ts";
import { toArray, vecOf, withAt, at } from "../../src/core/vec.ts";
import { createStateText } from "../../src/statefile/create.ts";
import type { StateDocument } from "../../src/statefile/document.ts";
import { printState } from "../../src/statefile/print.ts";
import { reprintState } from "../../src/statefile/reprint.ts";
import { documentOf, fileWith, validState } from "./samples.ts";

/** What a run does to a state: an atom starts, is put back or is resolved, or a figure of the control section changes. */
const change = fc.oneof(
  fc.record({ atom: fc.nat(), status: fc.constantFrom("pending" as const, "in_progress" as const) }),
  fc.record({ atom: fc.nat(), summary: fc.string(), artifacts: fc.array(fc.string(), { maxLength: 2 }) }),
  fc.record({ iteration: fc.nat(99), stop_reason: fc.option(fc.string()) }),
);
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

function changed(state: State, what: Change): State {
  if ("iteration" in what) return { ...state, control: { ...state.control, ...what } };
  const index = what.atom % state.atoms.length;
  const { binding: _, ...atom }: Atom = at(state.atoms, index);
  const next: Atom =
    "status" in what
      ? { ...atom, status: what.status }
      : { ...atom, status: "resolved", binding: { summary: what.summary, artifacts: what.artifacts } };
  return { ...state, atoms: withAt(state.atoms, index, next) };
}

/** Ways to write a file by hand that the fast reader knows as well. */
const hands: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => text.replaceAll(/^( {4}status: \w+)$/gm, "$1  # a remark"),
  (text) => text.replaceAll(/^( {2}- id)/gm, "\n  # about it\n$1"),
  (text) => text.replaceAll(/^( {4}status: .*)$/gm, '$1\n    mine: "kept"'),
  (text) => text.replace(/^bindings:$/m, "\n# what is done\nbindings:"),
];

function reprinted(document: StateDocument, next: State): StateDocument {
  const result = reprintState(document, next);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

/** Where everything stands, as far as anybody can ask. */
function placesIn(document: StateDocument): unknown {
  return JSON.parse(JSON.stringify(spread(document.root)));
}

function spread(node: ReturnType<StateDocument["root"]["entry"]>["value"]): unknown {
  const { kind, start, end } = node;
  if (node.kind === "mapping")
    return {
      kind,
      start,
      end,
      entries: Array.from({ length: node.size }, (_, i) => {
        const { value, ...entry } = node.entry(i);
        expect(entry.name === null || node.indexOf(entry.name) === i).toBe(true);
        return [entry.name, entry.start, entry.keyEnd, spread(value)];
      }),
    };
  if (node.kind === "sequence")
    return { kind, start, end, items: Array.from({ length: node.size }, (_, i) => spread(node.item(i))) };
  return node;
}

test(
  "SPEC 2: whatever a run does, one change after the other, what it goes on from is what reading its file gives",
  { timeout: 120_000 },
  () => {
    fc.assert(
      fc.property(
        validState,
        fc.constantFrom(...hands),
        fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        (first, hand, steps) => {
          let document = documentOf(hand(createStateText(first, "p")));
          for (const step of steps) {
            const next = step.reduce(changed, document.state);
            const printed = printState(document, next);
            document = reprinted(document, next);
            const read = documentOf(document.text);
            expect(printed).toEqual({ ok: true, value: document.text });
            expect(read.state).toEqual(document.state);
            expect(document.state).toBe(next);
            expect([document.body, placesIn(document)]).toEqual([read.body, placesIn(read)]);
          }
        },
      ),
      { numRuns: 300 },
    );
  },
);

test("SPEC 2: from any state to any other, read back as a whole where it must be", { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(validState, validState, (before, after) => {
      const document = reprinted(documentOf(createStateText(before, "p")), after);
      const read = documentOf(document.text);
      expect(read.state).toEqual(after);
      expect([document.body, placesIn(document)]).toEqual([read.body, placesIn(read)]);
    }),
    { numRuns: 200 },
  );
});

test("a name that is bound later is found later, and only there", () => {
  const document = documentOf(fileWith());
  const bound = (state: State, id: string): State => ({
    ...state,
    atoms: vecOf(
      toArray(state.atoms).map((atom) =>
        atom.id === id ? { ...atom, status: "resolved" as const, binding: { summary: id, artifacts: [] } } : atom,
      ),
    ),
  });
  const ids = toArray(document.state.atoms).map((atom) => atom.id);
  const steps = ids.reduce<StateDocument[]>(
    (done, id) => [...done, reprinted(done.at(-1) ?? document, bound((done.at(-1) ?? document).state, id))],
    [],
  );
  steps.forEach((step, count) => {
    const { value } = step.root.entry(step.root.indexOf("bindings"));
    const found = value.kind === "mapping" ? ids.map((id) => value.indexOf(id) >= 0) : [];
    expect(found).toEqual(ids.map((_, index) => index <= count));
  });
});

test("what could not be read again is refused: nothing is to be written", () => {
  const document = documentOf(fileWith());
  const { objective } = document.state;
  const next = {
    ...document.state,
    objective: { ...objective, constraints: { ...objective.constraints, max_iterations: -1 } },
  };
  expect(reprintState(document, next)).toMatchObject({ ok: false });
});
