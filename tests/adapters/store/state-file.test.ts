import { readFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { editStateFile, readStateFile } from "../../../src/adapters/store/state-file.ts";
import type { State } from "../../../src/core/state.ts";
import { createStateText } from "../../../src/statefile/create.ts";
import { bundleFixture, chance, startWorker, temporaryFolder } from "../../support/bundle.ts";
import { stateOfAtoms } from "../../support/states.ts";

let program = "";
beforeAll(async () => {
  program = await bundleFixture("store/state-worker.ts");
});

const ATOMS = 16;

function newFile(text = createStateText(stateOfAtoms(ATOMS), "Do the steps")): string {
  const path = join(temporaryFolder(), "aot-loop-state.md");
  writeFileSync(path, text);
  return path;
}

/** How many letters were appended to each atom's description. Fails on a file that is not whole and valid. */
async function counts(path: string): Promise<number[]> {
  const answer = await readStateFile(path);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
  return answer.value.state.atoms.map((atom) => /x*$/.exec(atom.description)?.[0].length ?? -1);
}

function withStatus(state: State, status: State["control"]["status"]): State {
  return { ...state, control: { ...state.control, status } };
}

test("an edit changes the line that it must and no other", async () => {
  const text = createStateText(stateOfAtoms(ATOMS), "Do it").replace("control:", "# mine\ncontrol:");
  const path = newFile(text);
  const answer = await editStateFile(path, ({ state }) => ({ ok: true, value: withStatus(state, "running") }));
  expect(answer).toMatchObject({
    ok: true,
    value: { changed: true, before: { control: { status: "pending" } }, after: { control: { status: "running" } } },
  });
  expect(readFileSync(path, "utf8")).toBe(text.replace("  status: pending", "  status: running"));
});

test("a file that is written otherwise than this program writes it is read and edited alike", async () => {
  const text = createStateText(stateOfAtoms(ATOMS), "Do it").replace(
    /depends_on: \[A1\]/,
    "depends_on: !!seq\n      - 'A1'",
  );
  const path = newFile(text);
  expect(await readStateFile(path)).toMatchObject({ ok: true, value: { state: stateOfAtoms(ATOMS) } });
  expect(await editStateFile(path, ({ state }) => ({ ok: true, value: withStatus(state, "running") }))).toMatchObject({
    ok: true,
  });
  expect(readFileSync(path, "utf8")).toBe(text.replace("  status: pending", "  status: running"));
});

test("SPEC 2: a file that is not valid, and a change that makes it so, is never written to", async () => {
  const good = createStateText(stateOfAtoms(ATOMS), "Do it");
  const bad = newFile(good.replace("status: resolved", "status: done"));
  const before = readFileSync(bad, "utf8");
  expect(await editStateFile(bad, ({ state }) => ({ ok: true, value: withStatus(state, "running") }))).toMatchObject({
    ok: false,
    problems: [{ code: "unknown_value", at: { line: expect.any(Number) } }],
  });
  expect(readFileSync(bad, "utf8")).toBe(before);
  const path = newFile(good);
  const invalid = await editStateFile(path, ({ state }) => ({ ok: true, value: { ...state, atoms: [] } }));
  expect(invalid).toMatchObject({ ok: false, problems: [{ code: "no_atoms" }] });
  expect(readFileSync(path, "utf8")).toBe(good);
  expect(readdirSync(join(path, ".."))).toEqual(["aot-loop-state.md"]);
});

test("SPEC 2: a missing file says what to do; binary bytes are refused", async () => {
  const path = join(temporaryFolder(), "aot-loop-state.md");
  expect(await readStateFile(path)).toMatchObject({
    ok: false,
    problems: [{ code: "file_missing", hint: expect.stringContaining("aot align") }],
  });
  writeFileSync(path, Buffer.from([0xff, 0x00]));
  expect(await readStateFile(path)).toMatchObject({ ok: false, problems: [{ code: "not_text" }] });
});

test("SPEC 2: 16 processes, 50 updates each, on 16 atoms of one file lose nothing", async () => {
  const path = newFile();
  const workers = Array.from({ length: ATOMS }, (_, index) => startWorker(program, path, `A${index + 1}`, "50"));
  await Promise.all(workers.map((worker) => worker.ended()));
  expect(await counts(path)).toEqual(Array.from({ length: ATOMS }, () => 50));
  expect(readdirSync(join(path, ".."))).toEqual(["aot-loop-state.md"]);
}, 120_000);

test("SPEC 2: kill -9 of a writer at any moment leaves a whole file with every update it reported; the next writer gets the lock", async () => {
  const seed = Date.now() % 1_000_000;
  console.log(`chance seed ${seed}`);
  const random = chance(seed);
  const path = newFile();
  let before = 0;
  for (let kills = 0; kills < 50; kills++) {
    const worker = startWorker(program, path, "A1", "1000000");
    const reported = Number(await worker.line());
    await new Promise((resolve) => setTimeout(resolve, random() * 12));
    worker.kill();
    await worker.ended();
    const [now = -1] = await counts(path);
    expect(now).toBeGreaterThanOrEqual(before + reported);
    before = now;
  }
  for (const name of readdirSync(join(path, ".."))) if (name.endsWith(".tmp")) utimesSync(join(path, "..", name), 1, 1);
  // A takeover sweeps; the last kill may have hit a worker that held no lock.
  writeFileSync(`${path}.lock`, "");
  utimesSync(`${path}.lock`, 1, 1);
  expect(await editStateFile(path, ({ state }) => ({ ok: true, value: withStatus(state, "running") }))).toMatchObject({
    ok: true,
  });
  expect(readdirSync(join(path, ".."))).toEqual(["aot-loop-state.md"]);
}, 120_000);

test("SPEC 2: readers that race writers always see a whole, valid state", async () => {
  const path = newFile();
  const workers = ["A1", "A2", "A3"].map((id) => startWorker(program, path, id, "1000000"));
  await Promise.all(workers.map((worker) => worker.line()));
  const seen = new Set<string>();
  for (let reads = 0; reads < 20_000 && seen.size < 40; reads++) seen.add((await counts(path)).join());
  for (const worker of workers) worker.kill();
  await Promise.all(workers.map((worker) => worker.ended()));
  expect(seen.size).toBe(40);
}, 60_000);
