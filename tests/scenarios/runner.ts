/** A run in a process of its own, that can be watched, interrupted and killed. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { eventually } from "../support/bundle.ts";
import type { RunOverrides, Stage } from "./stage.ts";

export interface Runner {
  readonly pid: number;
  /** What it said so far, line by line: events of the journal, `started`, `ended {...}`. */
  readonly said: readonly string[];
  /** Waits, bounded, until it said this line. */
  hears(line: string): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** How it ended; null when it was killed. */
  ended(): Promise<{
    readonly exit_code: number;
    readonly problems?: readonly { message: string; hint: string }[];
  } | null>;
}

/** @param program the bundled `fixtures/programs/runner.ts` */
export function startRunner(program: string, stage: Stage, request: RunOverrides = {}, dieAt = ""): Runner {
  const child: ChildProcess = spawn(process.execPath, [program, JSON.stringify(stage.options(request))], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, DIE_AT: dieAt },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  let rest = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    said.push(...lines);
  });
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const closed = once(child, "close");
  return {
    pid: child.pid ?? -1,
    said,
    hears: (line) => eventually(`"${line}" in ${said.join(", ")} ${stderr}`, () => said.includes(line), 30_000),
    signal: (signal) => void child.kill(signal),
    ended: async () => {
      await closed;
      if (child.signalCode !== null) return null;
      const last = said.find((line) => line.startsWith("ended "));
      if (last === undefined) throw new Error(`the runner broke: ${stderr}`);
      return JSON.parse(last.slice("ended ".length)) as { exit_code: number };
    },
  };
}
