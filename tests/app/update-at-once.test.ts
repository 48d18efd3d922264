/** SPEC 2, 3 and 10: an update on the word of what was kept is the update, or none. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { holdRunLock } from "../../src/adapters/store/run-lock.ts";
import { agentEnvironment } from "../../src/app/own-loop.ts";
import { writeLoop } from "../../src/app/align/align-loop.ts";
import { executableIds, measureOf } from "../../src/app/show-state.ts";
import { updateAtomIn } from "../../src/app/update-atom.ts";
import { updateAtOnce } from "../../src/app/update-at-once.ts";
import { graphOf } from "../../src/core/graph.ts";
import { STATUSES } from "../../src/core/outline.ts";
import type { AtomStatus } from "../../src/core/state.ts";
import { toArray } from "../../src/core/vec.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { temporaryFolder } from "../support/bundle.ts";
import { anyState, stateOf } from "../support/loops.ts";

/** A loop that was worked on: its folder is there. */
function loopWith(text: string): string {
  const file = join(temporaryFolder(), "state.md");
  mkdirSync(`${file}.aot-loop`);
  writeFileSync(file, text);
  return file;
}

async function wholeWay(file: string, id: string, status: AtomStatus): Promise<object> {
  const done = await updateAtomIn(file, id, status);
  if (!done.ok) return { problems: JSON.stringify(done.problems).replaceAll(file, "FILE") };
  const { after, facts, notes, changed } = done.value;
  const graph = graphOf(after);
  return {
    status: after.control.status,
    measure: measureOf(after, graph),
    resolved: facts.flatMap((fact) => (fact.fact === "atom_resolved" ? [fact.atom] : [])),
    executable_atoms: executableIds(after, graph),
    notes,
    ...(changed ? {} : { changed }),
  };
}

function journalOf(file: string): string {
  const path = join(`${file}.aot-loop`, "journal.jsonl");
  return existsSync(path) ? readFileSync(path, "utf8").replaceAll(/"time":"[^"]*"/g, "") : "";
}

/** What people, editors and git do to a file. */
const EDITS: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll(/\r?\n/g, "\r\n"),
  (text) => (text.startsWith("\uFEFF") ? text : `\uFEFF${text}`),
  (text) => text.replaceAll("do a", "dö ∆ \u2028"),
  (text) => text.replaceAll(/status: (\w+)(\r?\n)/g, "status: $1 # since noon$2"),
  (text) => text.replace(/id: (\w+)(\r?\n)/, "id: $1   # the first$2"),
  (text) => text.replace("  - id: ", "  # - id: a1\n    # status: pending\n\n  - id: "),
  (text) => text.replace(/description: "([^"]*)"/, String.raw`description: "\"status: resolved\" \\ $1"`),
  (text) => text.replace(/description: "([^"]*)"/, "description: '$1'"),
  (text) => text.replace(/status: (\w+)/, 'status: "$1"'),
  (text) => text.replace(/( {4}description: [^\n]*\n)( {4}status: [^\n]*\n)/, "$2$1"),
  (text) => `${text}\n  - id: a1\n    description: "in the prompt"\n    status: pending\n`,
  (text) => text.replace("status: pending", "status: pendin"),
  (text) => text.replace("status: pendin\n", "status: pending\n"),
  (text) => text.replace("goal: ", "goal: >-\n    - id: a1\n    status: pending\n  #"),
  (text) => text.replace(/iteration: \d+/, "iteration: 7"),
];

const steps = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.record({ atom: fc.nat(13), status: fc.constantFrom(...STATUSES) }) },
    { weight: 1, arbitrary: fc.record({ edit: fc.constantFrom(...EDITS) }) },
  ),
  { minLength: 6, maxLength: 16 },
);

test("law U2: what is written and answered at once is what the whole way writes and answers, whatever became of the file", async () => {
  let atOnce = 0;
  let wholly = 0;
  await fc.assert(
    fc.asyncProperty(anyState(12), steps, async (state, many) => {
      const text = createStateText(state, "Do it.");
      const ids = [...toArray(state.atoms).map(({ id }) => id), "nobody"];
      const [quick, whole] = [loopWith(text), loopWith(text)];
      for (const step of many) {
        if ("edit" in step)
          for (const file of [quick, whole]) writeFileSync(file, step.edit(readFileSync(file, "utf8")));
        else {
          const id = ids[step.atom % ids.length] ?? "";
          const answer = updateAtOnce(quick, id, step.status);
          if (answer === null) wholly++;
          else atOnce++;
          expect(answer ?? (await wholeWay(quick, id, step.status))).toEqual(await wholeWay(whole, id, step.status));
        }
        expect(readFileSync(quick).equals(readFileSync(whole))).toBe(true);
        expect(journalOf(quick)).toBe(journalOf(whole));
      }
    }),
    { numRuns: 60 },
  );
  expect(atOnce).toBeGreaterThan(15);
  expect(wholly).toBeGreaterThan(15);
}, 120_000);

const PLAIN = createStateText(stateOf({ atoms: [{ id: "A" }, { id: "B" }, { id: "C", depends_on: ["B"] }] }), "Do it.");

/** Of which something was kept. */
async function knownLoop(): Promise<string> {
  const file = loopWith(PLAIN);
  expect(updateAtOnce(file, "A", "in_progress")).toBeNull();
  await wholeWay(file, "A", "in_progress");
  return file;
}

test("an edit by the whole way is gone on from at once, any number of times", async () => {
  const file = await knownLoop();
  for (const [id, status] of [
    ["B", "in_progress"],
    ["B", "resolved"],
    ["C", "resolved"],
    ["A", "resolved"],
  ] as const)
    expect(updateAtOnce(file, id, status)).not.toBeNull();
  expect(readFileSync(file, "utf8")).toBe(
    PLAIN.replaceAll("status: pending\n    depends", "status: resolved\n    depends"),
  );
});

test("the first edit of a loop that was just aligned is made at once, other letters than ASCII or not", async () => {
  for (const goal of ["do it", "tü es – ∆"]) {
    const file = join(temporaryFolder(), "state.md");
    const state = stateOf({ atoms: [{ id: "A" }, { id: "B", depends_on: ["A"] }] });
    const written = await writeLoop(
      file,
      { ...state, objective: { ...state.objective, goal } },
      { prompt: goal, replace: false },
    );
    expect(written).toMatchObject({ ok: true });
    expect(updateAtOnce(file, "A", "resolved")).toMatchObject({ executable_atoms: ["B"] });
    expect(await wholeWay(file, "B", "resolved")).toMatchObject({ executable_atoms: [] });
  }
});

test("U2: names that a person wrote, with blanks in them or quoted, are answered as the whole way answers them", async () => {
  const text = PLAIN.replace("  - id: C\n", "  - id: see to B  # at last\n").replace(
    "decompositions: []",
    [
      "  - id: see to A, C (and D)",
      '    description: "x"\n    status: pending\n    depends_on: [A]',
      '  - id: "größe"',
      '    description: "x"\n    status: pending\n    depends_on: []',
      "decompositions: []",
    ].join("\n"),
  );
  for (const named of [text, text.replace('"größe"', "size")]) {
    const [quick, whole] = [loopWith(named), loopWith(named)];
    for (const [id, status] of [
      ["A", "in_progress"],
      ["B", "resolved"],
      ["A", "resolved"],
      ["see", "in_progress"],
    ] as const)
      expect(updateAtOnce(quick, id, status) ?? (await wholeWay(quick, id, status))).toEqual(
        await wholeWay(whole, id, status),
      );
  }
});

test("U2: a description of many megabytes is passed over as any other", async () => {
  const long = `say "so"${"x".repeat(20_000_000)}`;
  const file = loopWith(createStateText(stateOf({ atoms: [{ id: "A", description: long }, { id: "B" }] }), "Do it."));
  expect(await wholeWay(file, "A", "in_progress")).toMatchObject({ executable_atoms: ["B"] });
  expect(updateAtOnce(file, "A", "resolved")).toMatchObject({ resolved: ["A"], measure: 1 });
});

test("U1: a file with one byte changed is not known, and what was kept for it is not looked at", async () => {
  const file = await knownLoop();
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("do B", "do b"));
  expect(updateAtOnce(file, "B", "resolved")).toBeNull();
  writeFileSync(file, text);
  expect(updateAtOnce(file, "B", "resolved")).not.toBeNull();
});

test.skipIf(process.platform === "win32")("a pipe in the file's place is not waited for", async () => {
  const file = await knownLoop();
  rmSync(file);
  spawnSync("mkfifo", [file]);
  expect(updateAtOnce(file, "B", "in_progress")).toBeNull();
  expect(await wholeWay(file, "B", "in_progress")).toMatchObject({
    problems: expect.stringContaining("is not a file"),
  });
});

test("SPEC 8: while a run works the loop nothing is changed at once either", async () => {
  const file = await knownLoop();
  const before = readFileSync(file, "utf8");
  const lock = holdRunLock(file);
  expect(updateAtOnce(file, "B", "resolved")).toBeNull();
  expect(readFileSync(file, "utf8")).toBe(before);
  if (lock.ok) lock.release();
  expect(updateAtOnce(file, "B", "resolved")).not.toBeNull();
});

const loops = process.env["AOT_LOOPS"];
afterEach(() => {
  if (loops === undefined) delete process.env["AOT_LOOPS"];
  else process.env["AOT_LOOPS"] = loops;
});

test("an agent of the loop changes nothing at once either", async () => {
  const file = await knownLoop();
  process.env["AOT_LOOPS"] = agentEnvironment(file)["AOT_LOOPS"];
  expect(updateAtOnce(file, "B", "resolved")).toBeNull();
});

test("a loop that an engine works is nothing to be known", async () => {
  const file = loopWith(
    PLAIN.replace("redirect_requested: false", 'redirect_requested: false\n  engine: "restate://host:1/l"'),
  );
  await wholeWay(file, "A", "in_progress");
  expect(existsSync(join(`${file}.aot-loop`, "cache"))).toBe(false);
  expect(updateAtOnce(file, "B", "resolved")).toBeNull();
});

test("without a loop's folder nothing is kept, and where nothing stands nothing is made", async () => {
  const file = join(temporaryFolder(), "state.md");
  writeFileSync(file, PLAIN);
  await wholeWay(file, "A", "in_progress");
  expect(existsSync(`${file}.aot-loop`)).toBe(false);
  expect(updateAtOnce(file, "B", "in_progress")).toBeNull();
  expect(updateAtOnce(join(temporaryFolder(), "no", "such", "file.md"), "A", "resolved")).toBeNull();
});

test.skipIf(process.platform === "win32")("SPEC 2: a link to the file is followed, and stays one", async () => {
  const file = await knownLoop();
  const link = join(temporaryFolder(), "link.md");
  symlinkSync(file, link);
  expect(updateAtOnce(link, "B", "resolved")).not.toBeNull();
  expect(readFileSync(file, "utf8")).toContain("status: resolved");
  expect(readFileSync(link, "utf8")).toBe(readFileSync(file, "utf8"));
});
