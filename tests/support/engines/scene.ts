/** An engine's programs as processes, for one test file: started until they say that they are ready, ended by their own ids. */
import { spawn, type ChildProcess } from "node:child_process";
import { until } from "../../fixtures/programs.ts";
import { aotPath, cleanEnv } from "../aot.ts";

export interface Running {
  readonly child: ChildProcess;
  /** Everything that it printed so far. */
  said(): string;
  /** Its exit code, whatever ended it. */
  readonly ended: Promise<number | null>;
  /** Ends it softly, and answers with its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

const READY_MS = 60_000;

export interface StartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the command begins with: the place where it is run. */
  readonly prefix?: readonly string[];
}

/** `aot` with these words; answers once it said what `ready` looks for. Without that it is killed. */
export async function startAot(
  words: readonly string[],
  ready: RegExp,
  { cwd, env, prefix = [] }: StartOptions,
): Promise<Running> {
  const [file = "", ...args] = [...prefix, process.execPath, aotPath(), ...words];
  const child = spawn(file, args, { cwd, env: cleanEnv(env), stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const end = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return await ended;
  };
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null;
  await until(() => ready.test(text) || isGone(), "ready", READY_MS).catch(() => {});
  if (!ready.test(text)) {
    const how = isGone() ? "ended" : `was not ready within ${READY_MS} ms`;
    await end("SIGKILL");
    throw new Error(`aot ${words.join(" ")} ${how}: ${text}`);
  }
  return { child, said: () => text, ended, end };
}

/** `aot` to its end, while what this process serves goes on. Answers with its `--json` document. */
export async function runAot(
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<{ readonly code: number | null; readonly err: string; readonly json: Readonly<Record<string, unknown>> }> {
  const child = spawn(process.execPath, [aotPath(), ...words, "--json"], {
    cwd: options.cwd,
    env: cleanEnv(options.env),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: READY_MS,
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (part: Buffer) => (out += part.toString()));
  child.stderr.on("data", (part: Buffer) => (err += part.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", (ended) => resolve(ended)));
  return { code, err, json: JSON.parse(out === "" ? "{}" : out) as Record<string, unknown> };
}
