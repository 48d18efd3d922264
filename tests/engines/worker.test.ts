/** A worker's start, on what one that was killed left behind (SPEC section 13). */
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startWorker } from "../../src/engines/worker.ts";
import { tempFolder } from "../fixtures/programs.ts";

const NOBODY = 65_534;

/** Nobody is kept out who is root: then the test goes on as somebody who can be. */
function asNobody(folders: readonly string[]): void {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return;
  for (const folder of folders) chownSync(folder, NOBODY, NOBODY);
  process.seteuid(NOBODY);
  onTestFinished(() => process.seteuid?.(0));
}

test.skipIf(process.platform === "win32")(
  "SPEC 8: read-only folders that an agent left (a package cache has them) keep no later worker from starting",
  async () => {
    const dir = join(tempFolder(), "worker");
    const left = join(dir, "tasks", "1-1", "cache", "package");
    mkdirSync(left, { recursive: true });
    writeFileSync(join(left, "file"), "");
    const above = [dir, join(dir, "tasks"), join(dir, "tasks", "1-1"), join(left, "..")];
    chmodSync(left, 0o500);
    asNobody([join(dir, ".."), ...above, left, join(left, "file")]);
    const warned: string[] = [];
    const request = { name: "w", slots: 1, dir, warn: (text: string) => warned.push(text) };
    const started = await startWorker({ ...request, engine: "postgres://127.0.0.1:1/loops" });
    // Nobody answers there: that it comes so far is what counts.
    expect(started).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining("cannot be reached") }] });
    expect(existsSync(join(dir, "tasks"))).toBe(false);
  },
);
