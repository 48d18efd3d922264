/** `npm run prove` as a program: parts of a sweep over several threads, one loop from a file, wrong calls. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/bundle.ts";

async function prove(...args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ["proofs/run.mjs", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = await once(child, "close");
  return { code: typeof code === "number" ? code : null, stdout, stderr };
}

test("every loop of a sweep is explored, whichever thread takes it, and every rule that it reaches holds", async () => {
  const { code, stdout } = await prove("--only", "three", "--threads", "2", "--json");
  const proof = JSON.parse(stdout) as {
    ok: boolean;
    total: { loops: number; counterexample: unknown; checked: Record<string, number> };
    plan: { sweeps: readonly { id: string; loops: number }[] };
  };
  expect([code, proof.ok, proof.total.counterexample]).toEqual([0, true, null]);
  expect(proof.total.loops).toBe(proof.plan.sweeps.find((sweep) => sweep.id === "three")?.loops);
  expect(proof.total.checked["HALTS"]).toBeGreaterThan(proof.total.loops);
}, 300_000);

test("one loop is explored from a file", async () => {
  const file = join(temporaryFolder(), "loop.json");
  const constraints = { max_iterations: 1, max_parallel_agents: 1, max_stall_count: 1 };
  const hazards = { crashes: 1, stops: 0, redirects: 0, resumes: 0, growths: 0, losses: 0 };
  writeFileSync(file, JSON.stringify({ shape: { depends: [[]] }, constraints, verify_each: false, hazards }));
  const { code, stdout } = await prove("--loop", file);
  expect(stdout).toContain("every rule that was checked holds in this part");
  expect(code).toBe(0);
}, 120_000);

test("a wrong call is reported in a sentence, with the usage", async () => {
  for (const args of [["--only", "nothing"], ["--threads", "0"], ["--loop", "missing.json"], ["--what"]]) {
    const { code, stderr } = await prove(...args);
    expect([args, code, stderr.includes("usage: node proofs/run.mjs"), /\n {4}at /.test(stderr)]).toEqual([
      args,
      2,
      true,
      false,
    ]);
  }
}, 120_000);
