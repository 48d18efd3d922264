/**
 * Builds the command once for all test files, into a folder of its own below the package (so that its dependencies
 * are found), and removes it afterwards. A build that fails fails only the tests that use it. Everything temporary of
 * the run is in one folder (see own-temporary-folder.ts).
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Path of the built command; empty: see `aotProblem`. */
    aot: string;
    aotProblem: string;
  }
}

interface Builder {
  buildCli(dir: string): Promise<void>;
}

export default async function setup(project: TestProject): Promise<() => void> {
  const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(`${cache}/aot-test-`);
  const script: string = new URL("../../scripts/build-cli.mjs", import.meta.url).href;
  let problem = "";
  try {
    const builder = (await import(script)) as Builder;
    await builder.buildCli(dir);
  } catch (error) {
    problem = String(error);
  }
  project.provide("aot", problem === "" ? `${dir}/bin.cjs` : "");
  project.provide("aotProblem", problem);
  const temporary = mkdtempSync(join(tmpdir(), "aot-run-"));
  // As the system's own: tests that give up root's rights go on in it.
  chmodSync(temporary, 0o1777);
  process.env["TMPDIR"] = temporary;
  process.env["XDG_STATE_HOME"] = join(temporary, "state");
  return () => {
    for (const folder of [dir, temporary]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}
