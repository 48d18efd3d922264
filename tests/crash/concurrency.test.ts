/**
 * Many real `aot atom update` on one file, and readers beside them (SPEC section 2). `npm run evidence -- --full crash` does
 * 16 processes x 50 rounds; `npm test` fewer rounds.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkInvariants } from "../../src/core/invariants.ts";
import { createStateText } from "../../src/statefile/create.ts";
import { parseState } from "../../src/statefile/parse.ts";
import { stateOf } from "../support/loops.ts";
import { age, journalOf, leftovers, makeTemplate, sceneAt, stoodStill, type Scene } from "./scene.ts";

const linux = process.platform === "linux";
const PROCESSES = 16;
const ALL_ROUNDS = 50;
const ROUNDS = process.env["MODE"] === "complete" ? ALL_ROUNDS : 4;

function scene(): Scene {
  const top = makeTemplate();
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));
  return sceneAt(top);
}

function idOf(process: number, round: number): string {
  return `A${process}_${round}`;
}

/** Reads the file as fast as it can. @returns how many different contents it saw; throws on one that is not whole and valid */
async function readUntil(over: () => boolean, file: string): Promise<number> {
  const seen = new Set<string>();
  while (!over()) {
    const text = readFileSync(file, "utf8");
    await new Promise((resolve) => setImmediate(resolve));
    if (seen.has(text)) continue;
    seen.add(text);
    const read = parseState(text);
    if (!read.ok || checkInvariants(read.document.state).length > 0)
      throw new Error(`torn after ${seen.size}:\n${text}`);
  }
  return seen.size;
}

test.skipIf(!linux)(
  `SPEC 2: ${PROCESSES} processes x ${ROUNDS} of ${ALL_ROUNDS} rounds of aot atom update lose nothing, and readers see no torn file`,
  async () => {
    const at = scene();
    const ids = Array.from({ length: PROCESSES }, (_, process) =>
      Array.from({ length: ROUNDS }, (_round, round) => idOf(process, round)),
    );
    writeFileSync(at.stateFile, createStateText(stateOf({ atoms: ids.flat().map((id) => ({ id })) }), "Please do it."));
    let over = false;
    const isOver = (): boolean => over;
    const update = async (mine: readonly string[]): Promise<void> => {
      for (const id of mine) {
        const ran = await at.aot(["atom", "update", id, "resolved"]);
        expect(ran.code, ran.err).toBe(0);
      }
    };
    const show = async (): Promise<number> => {
      let shown = 0;
      while (!isOver()) {
        shown++;
        const ran = await at.aot(["state", "show", "--json"]);
        expect(ran.code, ran.err).toBe(0);
        expect(JSON.parse(ran.out)).toMatchObject({ atoms: expect.any(Array) });
      }
      return shown;
    };
    const updates = Promise.all(ids.map(update)).finally(() => (over = true));
    const [, contents, shown] = await Promise.all([updates, readUntil(isOver, at.stateFile), show()]);
    console.log(`${PROCESSES * ROUNDS} updates, ${contents} contents read raw, shown ${shown} times`);
    const resolved = at.state().atoms.filter((atom) => atom.status === "resolved");
    expect(resolved.length).toBe(PROCESSES * ROUNDS);
    const reported = journalOf(at, 0).filter((line) => line.event === "atom_resolved");
    expect(reported.length).toBe(PROCESSES * ROUNDS);
    expect(contents).toBeGreaterThan(PROCESSES);
    expect(shown).toBeGreaterThan(0);
    expect(leftovers(at)).toEqual([]);
  },
  900_000,
);

test.skipIf(!linux)("SPEC 2: the lock of a dead aot is taken over, wherever it died", async () => {
  const at = scene();
  const file = join(at.top, "tally");
  // Only the first call makes folders.
  for (const tally of [{}, { CRASH_TALLY: file }])
    expect((await at.aot(["atom", "update", "A", "in_progress"], tally)).code).toBe(0);
  const kinds = readFileSync(file, "utf8").trimEnd().split("\n");
  const points = [...new Set(kinds)].flatMap((kind) => [`before|1|${kind}`, `after|1|${kind}`]);
  for (const [turn, point] of points.entries()) {
    const hit = join(at.top, "hit");
    rmSync(hit, { force: true });
    const status = turn % 2 === 0 ? "pending" : "in_progress";
    expect((await at.aot(["atom", "update", "A", status], { CRASH_AT: point, CRASH_HIT: hit })).code, point).toBe(null);
    expect(readFileSync(hit, "utf8")).toBe(point);
    const stands = at.state().atoms[0]?.status;
    expect(["pending", "in_progress"]).toContain(stands);
    expect((await at.aot(["atom", "update", "A", status])).code, `after ${point}`).toBe(0);
    expect(at.state().atoms[0]?.status).toBe(status);
  }
  console.log(`${points.length} points`);
  // What the dead left half made goes with a takeover, once it is old.
  age(at);
  const last = await at.aot(["atom", "update", "A", "resolved"], {
    CRASH_AT: "after|1|link state lock",
    CRASH_HIT: join(at.top, "hit"),
  });
  expect(last.code).toBe(null);
  expect((await at.aot(["atom", "update", "A", "resolved"])).code).toBe(0);
  expect(leftovers(at)).toEqual([]);
});

test.skipIf(!linux)("SPEC 2: the lock of a live aot is never taken over, however long it holds it", async () => {
  const at = scene();
  const before = readFileSync(at.stateFile, "utf8");
  const hit = join(at.top, "hit");
  const holding = at.aot(["atom", "update", "A", "resolved"], { CRASH_AT: "stop|1|link state lock", CRASH_HIT: hit });
  const pid = await stoodStill(hit);
  const other = await at.aot(["atom", "update", "B", "resolved", "--json"]);
  expect(other.code, other.err).not.toBe(0);
  expect(other.out).toContain(`pid ${pid}`);
  expect(readFileSync(at.stateFile, "utf8")).toBe(before);
  process.kill(pid, "SIGCONT");
  expect((await holding).code).toBe(0);
  expect((await at.aot(["atom", "update", "B", "resolved"])).code).toBe(0);
  expect(
    at
      .state()
      .atoms.map((atom) => atom.status)
      .slice(0, 2),
  ).toEqual(["resolved", "resolved"]);
});
