/** An agent that never answers, and what becomes of its process. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { isAlive } from "../../../src/host/process-group.ts";
import { until } from "../../fixtures/programs.ts";
import { pidsWritten } from "../pids.ts";

export interface LastingAgent {
  /** For `--agent`. */
  readonly command: string;
  /** Waits until it is running; after `end` it is to be gone, too. */
  endsWith(end: () => Promise<unknown>): Promise<void>;
}

/** @param folder where it is kept. It ends with the test at the latest */
export function lastingAgent(folder: string): LastingAgent {
  const [program, born, gate] = ["agent.cjs", "pid", "go"].map((name) => join(folder, name));
  onTestFinished(() => writeFileSync(gate ?? "", ""));
  writeFileSync(
    program ?? "",
    `const fs = require("node:fs");
    fs.writeFileSync(${JSON.stringify(born)}, process.pid + "\\n");
    setInterval(() => fs.existsSync(${JSON.stringify(gate)}) && process.exit(1), 100);`,
  );
  return {
    command: `command:'${process.execPath}' '${program}'`,
    endsWith: async (end) => {
      await until(() => pidsWritten(born ?? "").length > 0, "an agent", 60_000);
      const [pid = 0] = pidsWritten(born ?? "");
      expect(isAlive(pid)).toBe(true);
      await end();
      await until(() => !isAlive(pid), "its end", 30_000);
    },
  };
}
