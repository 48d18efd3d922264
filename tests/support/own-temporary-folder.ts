/**
 * Gives each test file a temporary folder of its own, and fails a file that leaves something in it. What a program of
 * somebody else keeps there on purpose is listed with its reason.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";

/** Of other programs: they keep it for their next start. */
const KEPT = /^(?:fish\.\w+|node-compile-cache|tmux-\d+)$/;

const VARIABLES = process.platform === "win32" ? ["TEMP", "TMP"] : ["TMPDIR"];
const folder = mkdtempSync(join(tmpdir(), "f-"));
chmodSync(folder, 0o1777);
for (const name of VARIABLES) process.env[name] = folder;

// The first hook after all: it runs when those of the file have run.
afterAll(() => {
  const left = readdirSync(folder).filter((name) => !KEPT.test(name));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  expect(left, `left behind in the temporary folder`).toEqual([]);
});
