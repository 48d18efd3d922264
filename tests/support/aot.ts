/** The command: in this process, and as the built one in a process of its own where the process is what matters. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { AOT } from "../../src/aot.ts";
import { main } from "../../src/interfaces/cli/main.ts";
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

/**
 * The sandbox is off in all tests but its own (tests/run/sandbox.test.ts, tests/adapters/confinement): agents of the others are
 * programs that write down what they see outside of the project, or play what is possible without one.
 */
export const NO_SANDBOX = { sandbox: { setting: "off" } } as const;

/** What a command sees of the environment: nothing of the machine's own settings. */
export function cleanEnv(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = "", HOME = "", TMPDIR, XDG_STATE_HOME = "" } = process.env;
  return {
    PATH,
    HOME,
    XDG_STATE_HOME,
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    AOT_SANDBOX: NO_SANDBOX.sandbox.setting,
    ...more,
  };
}

const LIMIT_MS = 60_000;

let last: Promise<unknown> = Promise.resolve();

/** Runs `aot` to its end in this process, one call after the other. */
export async function aot(args: readonly string[], options: RunOptions): Promise<Ran> {
  const ran = last.then(() => inEnvironment(cleanEnv(options.env), args, () => run(args, options)));
  last = ran.catch(() => {});
  return await ran;
}

async function run(args: readonly string[], { cwd, input = "" }: RunOptions): Promise<Ran> {
  let [out, err] = ["", ""];
  const code = await main(AOT, args, {
    cwd,
    env: process.env,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    stdin: () => input,
    isTerminal: async () => false,
  });
  return { code, out, err };
}

/** Work that sees this process as one that was started with these variables and arguments. */
async function inEnvironment<T>(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const before = { env: { ...process.env }, argv: process.argv, execArgv: process.execArgv };
  replaceEnvironment(env);
  Object.assign(process, { argv: [process.execPath, aotPath(), ...args], execArgv: [] });
  try {
    return await work();
  } finally {
    replaceEnvironment(before.env);
    Object.assign(process, { argv: before.argv, execArgv: before.execArgv });
  }
}

/** Changed in place: programs of others (git, `os.homedir()`) see the real environment. */
function replaceEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
}

/** Runs the built `aot` to its end, as a process. */
export function aotProcess(args: readonly string[], options: RunOptions): Ran {
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

export interface RanJson extends Ran {
  /** The one document that stood on stdout. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** As `aot` with `--json`. */
export async function aotJson(args: readonly string[], options: RunOptions): Promise<RanJson> {
  const ran = await aot([...args, "--json"], options);
  return { ...ran, json: documentOf(ran) };
}

/** As `aotProcess` with `--json`. */
export function aotProcessJson(args: readonly string[], options: RunOptions): RanJson {
  const ran = aotProcess([...args, "--json"], options);
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

const SHELL_WORDS = /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g;

/** The words of a shell's line. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(SHELL_WORDS)].map(([, double, single, bare]) => double ?? single ?? bare ?? "");
}
