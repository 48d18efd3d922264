import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFolderBlobs } from "../../../src/engines/blobs/folder-blobs.ts";
import { createOutbox } from "../../../src/engines/blobs/outbox.ts";
import type { BlobStore } from "../../../src/loop/blob-store.ts";
import { textIn } from "../../contracts/blobs.ts";
import { tempFolder, until } from "../../fixtures/programs.ts";

/** A folder store that can be down. */
function storeThat(folder: string): { readonly store: BlobStore; down: boolean } {
  const inner = createFolderBlobs(join(folder, "blobs"));
  const it = {
    down: false,
    store: {
      ...inner,
      put: async (name: string, file: string) => {
        if (it.down) throw new Error("the store is down");
        await inner.put(name, file);
      },
    },
  };
  return it;
}

test("SPEC 13: a task's logs are in the store when it is over, and none is left on the worker", async () => {
  const folder = tempFolder();
  const { store } = storeThat(folder);
  const outbox = createOutbox(join(folder, "out"), store);
  const place = await outbox.begin("loop-1/A 1.1/r1");
  mkdirSync(join(place, "sub"));
  writeFileSync(join(place, "A 1.1.log"), "said");
  writeFileSync(join(place, "sub", "more.log"), "more");
  expect(await outbox.send("loop-1/A 1.1/r1")).toBeNull();
  expect(await textIn(store, "loop-1/A 1.1/r1/A 1.1.log")).toBe("said");
  expect(await textIn(store, "loop-1/A 1.1/r1/sub/more.log")).toBe("more");
  await outbox.begin("loop-1/B.1/r1");
  expect(await outbox.send("loop-1/B.1/r1")).toBeNull();
  expect(readdirSync(join(folder, "out"))).toEqual([]);
  await outbox.close();
});

test("SPEC 13: what a store that is down does not take waits, and is sent when it is back", async () => {
  const folder = tempFolder();
  const it = storeThat(folder);
  const outbox = createOutbox(join(folder, "out"), it.store);
  writeFileSync(join(await outbox.begin("l/A.1/r1"), "log"), "said");
  it.down = true;
  expect(await outbox.send("l/A.1/r1")).toBe("the store is down");
  await outbox.close();
  expect(await it.store.list("l")).toEqual([]);
  it.down = false;
  const next = createOutbox(join(folder, "out"), it.store);
  expect(await next.sendAll()).toBeNull();
  expect(await textIn(it.store, "l/A.1/r1/log")).toBe("said");
  await next.close();
});

test("SPEC 13: a task waits for its own logs alone, and a log that cannot be kept keeps no other back", async () => {
  const folder = tempFolder();
  const { store } = storeThat(folder);
  const held: (() => void)[] = [];
  const put: BlobStore["put"] = async (name, file) => {
    if (name.includes("bad")) throw new Error("no such name");
    if (name.includes("slow")) await new Promise<void>((resolve) => held.push(resolve));
    await store.put(name, file);
  };
  const outbox = createOutbox(join(folder, "out"), { ...store, put });
  for (const under of ["l/slow.1/r1", "l/z.1/r1", "l/a-bad.1/r1"]) {
    const place = await createOutbox(join(folder, "out"), store).begin(under);
    writeFileSync(join(place, "log"), under);
  }
  const all = outbox.sendAll();
  writeFileSync(join(await outbox.begin("l/own.1/r1"), "log"), "own");
  expect(await outbox.send("l/own.1/r1")).toBeNull();
  expect(await textIn(store, "l/own.1/r1/log")).toBe("own");
  await until(() => held.length > 0, "the slow one is being sent");
  held.pop()?.();
  expect(await all).toBe("no such name");
  expect((await store.list("l")).map(({ name }) => name).toSorted()).toEqual([
    "l/own.1/r1/log",
    "l/slow.1/r1/log",
    "l/z.1/r1/log",
  ]);
  expect(readdirSync(join(folder, "out", "l"))).toEqual(["a-bad.1"]);
});

test("SPEC 13: a killed worker's half-done logs are sent by the next one; what is running is not sent before its end", async () => {
  const folder = tempFolder();
  const { store } = storeThat(folder);
  const killed = createOutbox(join(folder, "out"), store);
  writeFileSync(join(await killed.begin("l/A.1/r1"), "log"), "half");
  const next = createOutbox(join(folder, "out"), store);
  writeFileSync(join(await next.begin("l/A.1/r10"), "log"), "at work");
  expect(await next.sendAll()).toBeNull();
  expect((await store.list("l")).map(({ name }) => name)).toEqual(["l/A.1/r1/log"]);
  expect(await next.send("l/A.1/r10")).toBeNull();
  expect(await textIn(store, "l/A.1/r10/log")).toBe("at work");
  await Promise.all([killed.close(), next.close()]);
});
