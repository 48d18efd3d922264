/** The built command as a process. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { temporaryFolder } from "./bundle.ts";
import { LOOP } from "./loop-fixture.ts";

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Path of the built command. */
export function aotPath(): string {
  const path = inject("aot");
  if (path === "") throw new Error(`the command could not be built: ${inject("aotProblem")}`);
  return path;
}

/** What a command sees of the environment: nothing of the machine's own settings. */
export function cleanEnv(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...more };
}

const LIMIT_MS = 60_000;

/** Runs `aot` to its end. */
export function aot(args: readonly string[], options: RunOptions): Ran {
  const { cwd, input = "", env = {} } = options;
  const ran = spawnSync(process.execPath, [aotPath(), ...args], {
    cwd,
    input,
    env: cleanEnv(env),
    encoding: "utf8",
    timeout: LIMIT_MS,
    maxBuffer: 256 * 1024 * 1024,
  });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

/** As `aot` with `--json`; the one document that stood on stdout. */
export function aotJson(
  args: readonly string[],
  options: RunOptions,
): Ran & { readonly json: Readonly<Record<string, unknown>> } {
  const ran = aot([...args, "--json"], options);
  return { ...ran, json: documentOf(ran) };
}

/** Throws unless stdout is exactly one JSON document and a line end. */
export function documentOf(ran: Ran): Readonly<Record<string, unknown>> {
  if (!ran.out.endsWith("\n") || ran.out.trimEnd().includes("\n"))
    throw new Error(`not one document:\n${ran.out}\n${ran.err}`);
  return JSON.parse(ran.out) as Record<string, unknown>;
}

/** A project with a state file; removed after the test file. */
export function projectWith(text: string | Uint8Array = LOOP): { readonly dir: string; readonly state: string } {
  const dir = temporaryFolder();
  mkdirSync(join(dir, ".claude"));
  const state = join(dir, ".claude", "aot-loop-state.md");
  writeFileSync(state, text);
  return { dir, state };
}
