import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { bundleFixture, eventually, startProgram, temporaryFolder, type Worker } from "../support/bundle.ts";
import { inContainer, needsContainers } from "../support/container.ts";

let program = "";
beforeAll(async () => {
  program = await bundleFixture("host/temporary-folder-worker.ts");
});

async function maker(parent: string, command: (program: readonly string[]) => readonly string[]): Promise<Maker> {
  const worker = startProgram(command([process.execPath, program, parent]));
  return { worker, name: basename(await worker.line()) };
}

interface Maker {
  readonly worker: Worker;
  readonly name: string;
}

test("what a dead process left is removed when the next folder is made, and what nobody can be asked about stays", async () => {
  const parent = temporaryFolder();
  const kept = [basename(mkdtempSync(join(parent, "aot-places-1-"))), "aot-other-1-x", "aot-places-file"];
  mkdirSync(join(parent, "aot-other-1-x"));
  writeFileSync(join(parent, "aot-places-file"), "");
  const killed = await maker(parent, (itself) => itself);
  killed.worker.kill();
  await killed.worker.ended();
  const live = await maker(parent, (itself) => itself);
  const last = await maker(parent, (itself) => itself);
  await eventually("it is gone", () => !readdirSync(parent).includes(killed.name));
  expect(readdirSync(parent).toSorted()).toEqual([...kept, live.name, last.name].toSorted());
  for (const { worker } of [live, last]) {
    worker.say("remove");
    await worker.ended();
  }
  expect(readdirSync(parent).toSorted()).toEqual(kept.toSorted());
});

test("a container that shares the folder removes what a killed one left, and nothing of one that lives", async () => {
  needsContainers();
  const parent = temporaryFolder();
  const outside = await maker(parent, (itself) => itself);
  const killed = await maker(parent, (itself) => inContainer("first", itself));
  const live = await maker(parent, (itself) => inContainer("second", itself));
  killed.worker.kill();
  const living = [outside, live];
  await eventually("what the killed one left is gone", async () => {
    living.push(await maker(parent, (itself) => inContainer("third", itself)));
    return !readdirSync(parent).includes(killed.name);
  });
  expect(readdirSync(parent).toSorted()).toEqual(living.map(({ name }) => name).toSorted());
  for (const { worker } of living) worker.say("remove");
  await eventually("each removes its own", () => readdirSync(parent).length === 0);
});
