/** A run that nobody sits with, for its tests: an agent that waits for signs, and those who watch. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { aotPath, cleanEnv } from "./aot.ts";
import { temporaryFolder } from "./bundle.ts";

export interface WaitingAgent {
  /** For `--agent`. */
  readonly command: string;
  /** Lets it go on with an atom, or a skill. */
  go(atom: string): void;
  /** It has begun with that. */
  begun(atom: string): boolean;
}

/** @param file that it makes in its folder each time */
export function waitingAgent(file: string, summary: string): WaitingAgent {
  const signs = temporaryFolder();
  const program = join(signs, "agent.mjs");
  const answer = JSON.stringify({ success: true, summary, artifacts: [] });
  writeFileSync(
    program,
    `import { existsSync, writeFileSync } from "node:fs";
    const at = (name) => ${JSON.stringify(join(signs, "/"))} + name + "-" + process.env.AOT_ATOM;
    writeFileSync(at("begun"), "");
    const look = () => {
      if (!existsSync(at("go"))) return setTimeout(look, 20);
      writeFileSync(${JSON.stringify(file)}, "x");
      console.log(${JSON.stringify(answer)});
    };
    look();`,
  );
  return {
    command: `command:"${process.execPath}" "${program}"`,
    go: (atom) => writeFileSync(join(signs, `go-${atom}`), ""),
    begun: (atom) => existsSync(join(signs, `begun-${atom}`)),
  };
}

export interface Observer {
  readonly pid: number;
  /** What it printed so far. */
  heard(): string;
  interrupt(): void;
  ended(): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

/** `aot` with these words beside the test, which ends it at the latest. */
export function lookOn(dir: string, words: readonly string[]): Observer {
  const child = spawn(process.execPath, [aotPath(), ...words], { cwd: dir, env: cleanEnv() });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const closed = once(child, "close");
  return {
    pid: child.pid ?? -1,
    heard: () => out,
    interrupt: () => void child.kill("SIGINT"),
    ended: async () => {
      const [code] = (await closed) as [number | null];
      return { code, out, err };
    },
  };
}
