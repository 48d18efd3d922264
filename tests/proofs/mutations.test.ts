/** Rules that find no bug prove nothing: each planted one is found by the rule that it breaks, and none without. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { MUTATIONS } from "../../proofs/mutations.ts";
import { ALL_RULES } from "../../proofs/rules/table.ts";

interface Row {
  readonly rule: string;
  readonly why: string;
  readonly found: string;
  readonly history: readonly string[];
}

async function planted(): Promise<readonly Row[]> {
  const child = spawn(process.execPath, ["proofs/run.mjs", "--mutants", "--json", "--threads", "2"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await once(child, "close");
  if (stdout === "") throw new Error(stderr);
  const { rows } = JSON.parse(stdout) as { rows: readonly Row[] };
  return rows;
}

test("every rule has a planted bug", () => {
  const hunted = new Set(MUTATIONS.map((mutation) => mutation.rule));
  expect(ALL_RULES.map((rule) => rule.id).filter((rule) => !hunted.has(rule))).toEqual([]);
});

test("every planted bug is found by the rule that it breaks, with a history; nothing is found where none is", async () => {
  const rows = await planted();
  expect(rows.filter((row) => row.rule !== "none").length).toBe(MUTATIONS.length);
  expect(rows.map(({ rule, why, found }) => ({ rule, why, found }))).toEqual(
    rows.map(({ rule, why }) => ({ rule, why, found: rule })),
  );
  for (const row of rows) expect(row.history.length > 0).toBe(row.rule !== "none");
}, 600_000);
