/** SPEC 2 and 10: what is shown on the word of what was shown before is what reading the file gives, or it is read. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readOutline } from "../../src/adapters/store/kept-outline.ts";
import type { Kept } from "../../src/adapters/store/read-cache.ts";
import { readStateFile } from "../../src/adapters/store/state-file.ts";
import { shownAgain } from "../../src/app/shown-again.ts";
import { shownDocument } from "../../src/app/shown-document.ts";
import { showState } from "../../src/app/show-state.ts";
import { updateAtomIn } from "../../src/app/update-atom.ts";
import { updateAtOnce } from "../../src/app/update-at-once.ts";
import { STATUSES } from "../../src/core/outline.ts";
import { toArray } from "../../src/core/vec.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { anyState, stateOf } from "../support/loops.ts";
import { stateOfAtoms } from "../support/states.ts";

function loopWith(text: string): { readonly file: string; readonly cache: string } {
  const file = join(temporaryFolder(), "state.md");
  mkdirSync(`${file}.aot-loop`);
  writeFileSync(file, text);
  return { file, cache: join(`${file}.aot-loop`, "cache") };
}

async function shownWhole(file: string): Promise<Buffer> {
  const read = await readStateFile(file);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return Buffer.from(`${JSON.stringify({ success: true, ...showState(read.value.state) })}\n`);
}

async function keptFor(file: string): Promise<Kept> {
  return { source: readFileSync(file), result: await shownWhole(file) };
}

function again(kept: Kept, file: string, cache: string): string | null {
  const bytes = readFileSync(file);
  const outline = readOutline(cache, bytes);
  const shown = outline === null ? null : shownAgain(kept, bytes, outline);
  return shown === null ? null : Buffer.from(shown).toString();
}

async function update(file: string, id: string, status: (typeof STATUSES)[number]): Promise<void> {
  if (updateAtOnce(file, id, status) === null) await updateAtomIn(file, id, status);
}

/** What people and other programs do to a file between two looks. */
const EDITS: readonly ((text: string) => string)[] = [
  (text) => text.replace(/status: pending/, "status: resolved"),
  (text) => text.replace(/iteration: \d+/, "iteration: 7"),
  (text) => text.replace(/description: "([^"]*)"/, String.raw`description: "\"status\":\"pending\",{\"id\":\"A1\" $1"`),
  (text) => text.replaceAll("do a", "dö ∆ \u2028"),
  (text) => `${text}\n  - id: a1\n    description: "in the prompt"\n    status: pending\n`,
  (text) => text.replace(/status: (\w+)(\r?\n)/, "status: $1   # since noon$2"),
];

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ atom: fc.nat(13), status: fc.constantFrom(...STATUSES) }) },
  { weight: 1, arbitrary: fc.record({ edit: fc.constantFrom(...EDITS) }) },
);

test("law A2: after any updates and edits, what goes on from what was shown is what reading the file shows", async () => {
  let goneOn = 0;
  await fc.assert(
    fc.asyncProperty(
      anyState(12),
      fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 6 }),
      async (state, looks) => {
        const { file, cache } = loopWith(createStateText(state, "Do it."));
        const ids = toArray(state.atoms).map(({ id }) => id);
        const all = [await keptFor(file)];
        for (const steps of looks) {
          for (const one of steps) {
            if (!("edit" in one)) await update(file, ids[one.atom % ids.length] ?? "", one.status);
            else {
              const before = readFileSync(file, "utf8");
              writeFileSync(file, one.edit(before));
              if (!(await readStateFile(file)).ok) writeFileSync(file, before);
            }
          }
          const whole = await keptFor(file);
          // From every look before, not from the last one alone.
          for (const kept of all) {
            const shown = again(kept, file, cache);
            if (shown !== null) expect(shown).toBe(Buffer.from(whole.result).toString());
            if (shown !== null && Buffer.compare(kept.source, whole.source) !== 0) goneOn++;
          }
          all.push(whole);
        }
      },
    ),
    { numRuns: 80 },
  );
  expect(goneOn).toBeGreaterThan(40);
}, 120_000);

test("a description that looks like what is shown is not taken for it; other letters than ASCII stay", async () => {
  const sly = [
    String.raw`","status":"pending","depends_on":[]},{"id":"B","description":"x","status":"pending"`,
    String.raw`{"id":"B","description":"`,
    "status: pending\n    status: resolved",
    "tü ∆ 🙂 \\",
  ];
  const state = stateOf({ atoms: [...sly.map((_, index) => ({ id: `A${index}` })), { id: "B" }] });
  const atoms = toArray(state.atoms).map((atom, index) => ({ ...atom, description: sly[index] ?? atom.description }));
  const text = createStateText(state, "Do it.");
  const described = atoms.reduce(
    (so, { id, description }) =>
      so.replace(
        new RegExp(`(- id: ${id}\\n {4}description: ).*`),
        (_, head: string) => `${head}${JSON.stringify(description)}`,
      ),
    text,
  );
  const { file, cache } = loopWith(described);
  await updateAtomIn(file, "A0", "in_progress");
  const kept = await keptFor(file);
  for (const id of ["B", "A3", "A1", "A2"]) {
    expect(updateAtOnce(file, id, "resolved")).not.toBeNull();
    expect(again(kept, file, cache)).toBe((await shownWhole(file)).toString());
  }
});

test("what was kept of another loop, or is damaged, is not gone on from", async () => {
  const { file, cache } = loopWith(createStateText(stateOfAtoms(20), "Do it."));
  await updateAtomIn(file, "A11", "in_progress");
  const kept = await keptFor(file);
  const other = { ...kept, source: Buffer.from(createStateText(stateOfAtoms(21), "Do it.")) };
  await update(file, "A11", "resolved");
  expect(again(kept, file, cache)).not.toBeNull();
  expect(again(other, file, cache)).toBeNull();
  for (let cut = 0; cut < kept.source.length; cut += 7)
    expect(again({ ...kept, source: kept.source.subarray(0, cut) }, file, cache)).toBeNull();
  const zeros = Buffer.from(kept.source);
  zeros.fill(0, 100, 200);
  expect(again({ ...kept, source: zeros }, file, cache)).toBeNull();
  expect(again({ ...kept, result: Buffer.from("{}") }, file, cache)).toBeNull();
});

test("SPEC 10: shown, updated and shown again: each time what the file says", async () => {
  const { file } = loopWith(createStateText(stateOfAtoms(1_000), "Do it."));
  const shown = async (): Promise<string> => {
    const document = await shownDocument(file, "1.0.0");
    return document.ok ? Buffer.from(document.value).toString() : "";
  };
  for (const status of STATUSES.slice(1))
    for (const id of ["A501", "A502", "A510"]) {
      expect(updateAtOnce(file, id, status) !== null || (await updateAtomIn(file, id, status)).ok).toBe(true);
      expect(await shown()).toBe((await shownWhole(file)).toString());
    }
});
