import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkInvariants } from "../../src/core/invariants.ts";
import type { Atom, State } from "../../src/core/state.ts";
import { toArray, vecOf, withAt, at } from "../../src/core/vec.ts";
import { createStateText } from "../../src/statefile/create.ts";
import type { StateDocument } from "../../src/statefile/document.ts";
import { parseState } from "../../src/statefile/parse.ts";
import { printState } from "../../src/statefile/print.ts";
import { reprintState } from "../../src/statefile/reprint.ts";
import { documentOf, fileWith, validState } from "./samples.ts";

/** Names that stand bare, and names that need quotes or look like something else. */
const name = fc.constantFrom("N1", "N2", "a b", "true", "12", "0x1", "-", "#n", "é", 'q"q', "b\\s", "__proto__");
const which = { atom: fc.nat() };
/** Also twice the same, and what reads like a line of the file. */
const words = fc.oneof(
  fc.constantFrom("done", "done", "", "a: b", 'x"\n    status: resolved', "\\", "  A1:"),
  fc.string({ unit: "grapheme" }),
);
const bound = { summary: words, artifacts: fc.array(words, { maxLength: 2 }) };

/** What runs, people and redirects do to a state. */
const change = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("status"), ...which, to: fc.constantFrom("pending", "in_progress") }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("resolve"), ...which, ...bound }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("resolve bare"), ...which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("bind"), ...which, ...bound }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("unbind"), ...which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("describe"), ...which, description: words }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("control"), iteration: fc.nat(99), stop_reason: fc.option(words) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("add"), ...which, id: name, resolved: fc.boolean(), ...bound }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove"), ...which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("move"), ...which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("await"), ...which, other: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("touch"), ...which, globs: fc.option(fc.array(words, { maxLength: 2 })) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("note"), reason: words }) },
);
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

function changedAtom(atom: Atom, what: Change, others: readonly Atom[]): Atom {
  const { binding, touches: _, ...bare } = atom;
  const rest = { ...bare, ...(atom.touches === undefined ? {} : { touches: atom.touches }) };
  if ("to" in what) return { ...rest, status: what.to };
  if (what.do === "resolve bare") return { ...rest, status: "resolved" };
  if (what.do === "unbind") return rest;
  if ("summary" in what && (what.do === "resolve" || atom.status === "resolved"))
    return { ...rest, status: "resolved", binding: { summary: what.summary, artifacts: what.artifacts } };
  if ("description" in what) return { ...atom, description: what.description };
  if ("other" in what) {
    const id = at(vecOf(others), what.other % others.length).id;
    const depends_on = atom.depends_on.filter((known) => known !== id);
    return { ...atom, depends_on: depends_on.length < atom.depends_on.length ? depends_on : [...depends_on, id] };
  }
  if ("globs" in what)
    return {
      ...bare,
      ...(binding === undefined ? {} : { binding }),
      ...(what.globs === null ? {} : { touches: what.globs }),
    };
  return atom;
}

function changedUnchecked(state: State, what: Change): State {
  if ("iteration" in what)
    return { ...state, control: { ...state.control, iteration: what.iteration, stop_reason: what.stop_reason } };
  if ("reason" in what) {
    const entry = { type: "user_correction" as const, reason: what.reason, timestamp: "2026-11-21T10:00:00Z" };
    return { ...state, trail: [...state.trail, entry] };
  }
  const atoms = toArray(state.atoms);
  const index = what.atom % atoms.length;
  if ("id" in what) {
    const { id, summary, artifacts } = what;
    const added: Atom = { id, description: summary, status: "pending", depends_on: [] };
    const atom: Atom = what.resolved ? { ...added, status: "resolved", binding: { summary, artifacts } } : added;
    // Most are put behind the last one.
    return { ...state, atoms: vecOf(what.atom % 3 > 0 ? [...atoms, atom] : atoms.toSpliced(index, 0, atom)) };
  }
  if (what.do === "remove") return { ...state, atoms: vecOf(atoms.toSpliced(index, 1)) };
  if (what.do === "move") return { ...state, atoms: vecOf([...atoms.slice(1), ...atoms.slice(0, 1)]) };
  return { ...state, atoms: withAt(state.atoms, index, changedAtom(at(state.atoms, index), what, atoms)) };
}

/** What would leave an invalid state is not done. */
function changed(state: State, what: Change): State {
  const next = changedUnchecked(state, what);
  return checkInvariants(next).length === 0 ? next : state;
}

const withoutBindings = (state: State): State => ({
  ...state,
  atoms: vecOf(toArray(state.atoms).map(({ binding: _, ...atom }) => atom)),
});

/** The section and all that is below it, put behind all others. */
function sectionLast(text: string, section: string): string {
  const lines = new RegExp(`^${section}:.*\\n(?:[ #-].*\\n)*`, "m").exec(text)?.[0] ?? "";
  return text.replace(lines, () => "").replace(/^---\n\n/m, () => `${lines}---\n\n`);
}

/** Ways to write a file by hand, most of which the fast reader knows as well. */
const hands: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => text.replaceAll(/^( {4}status: \w+)$/gm, "$1  # a remark"),
  (text) => text.replaceAll(/^( {4}status: \w+)$/gm, '$1\n    "status of": pending'),
  (text) => text.replaceAll(/^( {2}- id)/gm, "\n  # about it\n$1"),
  (text) => text.replaceAll(/^( {2}- id: )([A-Z]\w*)$/gm, '$1"$2"'),
  (text) => text.replaceAll(/^( {4}status: .*)$/gm, '$1\n    mine: "kept"'),
  (text) => text.replaceAll(/^( {4}description: .*)\n( {4}status: .*)$/gm, "$2\n$1"),
  (text) => text.replaceAll(/^( {4}description: .*)$/gm, "$1 # status: resolved"),
  (text) => text.replaceAll(/^( {4}depends_on: )\[([A-Z]\w*)\]$/gm, "$1\n      - $2"),
  (text) => text.replace(/^bindings:$/m, "\n# what is done\nbindings:"),
  (text) => text.replace(/^bindings: *(\{\})?$/m, "bindings: $1  # what is done\n"),
  (text) => text.replace(/^bindings: \{\}$/m, "bindings:\n  # none yet"),
  (text) => text.replace(/^bindings: \{\}$/m, "bindings: { }"),
  (text) => text.replaceAll(/^( {4}artifacts: .*)$/gm, "$1\n    by: me\n\n  # next"),
  (text) => text.replaceAll(/^( {4}artifacts: .*)$/gm, "$1  # kept\n"),
  (text) => text.replace(/^trail:/m, 'mine: { a: [1] }\n"of mine":\n  b: "c"\n\ntrail:'),
  (text) => text.replace(/^---\n\n/m, "# the end\n---\n\n"),
  (text) => sectionLast(text, "bindings"),
  (text) => sectionLast(text, "atoms"),
  (text) => sectionLast(sectionLast(text, "control"), "atoms").replaceAll("\n", "\r\n"),
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
        fc.oneof(validState, validState.map(withoutBindings)),
        fc.constantFrom(...hands),
        fc.array(fc.array(change, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
        (first, hand, steps) => {
          const made = parseState(hand(createStateText(first, "p")));
          fc.pre(made.ok);
          let { document } = made;
          for (const step of steps) {
            const next = step.reduce(changed, document.state);
            const printed = printState(document, next);
            if (!printed.ok) return expect(reprintState(document, next)).toEqual(printed);
            document = reprinted(document, next);
            const read = documentOf(document.text);
            expect(printed).toEqual({ ok: true, value: document.text });
            expect(read.state).toEqual(document.state);
            expect(document.state).toBe(next);
            expect([document.body, placesIn(document)]).toEqual([read.body, placesIn(read)]);
          }
        },
      ),
      { numRuns: 400 },
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

/** Something of another kind where the type says text, as it comes from callers without types. */
const notText = 5 as unknown as string;
const bare = (id: string, more: Partial<Atom> = {}): Atom => ({
  id,
  description: "d",
  status: "pending",
  depends_on: [],
  ...more,
});
const done = (id: string, summary: string): Atom =>
  bare(id, { status: "resolved", binding: { summary, artifacts: [] } });
const withAtoms = (...atoms: readonly Atom[]): State => ({ ...documentOf(fileWith()).state, atoms: vecOf(atoms) });

test.each<readonly [string, State, (atom: Atom) => Atom, (state: State) => State]>([
  [
    "a status that there is not",
    withAtoms(bare("A1"), bare("A2")),
    (atom) => ({ ...atom, status: "done" as "resolved" }),
    (state) => state,
  ],
  [
    "a status of two lines",
    withAtoms(bare("A1"), bare("A2")),
    (atom) => ({ ...atom, status: "resolved\n    id: A3" as "resolved" }),
    (state) => state,
  ],
  [
    "a description",
    withAtoms(bare("A1"), bare("A2")),
    (atom) => ({ ...atom, status: "in_progress", description: notText }),
    (state) => state,
  ],
  ["the first binding", withAtoms(bare("A1"), bare("A2")), () => done("A1", notText), (state) => state],
  ["a further binding", withAtoms(bare("A1"), done("A2", "s")), () => done("A1", notText), (state) => state],
  ["another binding", withAtoms(done("A1", "s"), done("A2", "s")), () => done("A1", notText), (state) => state],
  [
    "a further atom",
    withAtoms(bare("A1")),
    (atom) => atom,
    (state) => ({ ...state, atoms: vecOf([...toArray(state.atoms), bare("A2", { description: notText })]) }),
  ],
  [
    "a limit",
    withAtoms(bare("A1")),
    (atom) => atom,
    ({ objective, ...state }) => ({
      ...state,
      objective: { ...objective, constraints: { ...objective.constraints, max_iterations: -1 } },
    }),
  ],
])("SPEC 2: what could not be read again is refused, nothing is to be written: %s", (_, before, first, rest) => {
  const document = documentOf(createStateText(before, "p"));
  const { state } = document;
  const next = rest({ ...state, atoms: withAt(state.atoms, 0, first(at(state.atoms, 0))) });
  expect(reprintState(document, next)).toMatchObject({ ok: false });
});
