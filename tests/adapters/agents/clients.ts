/** The fake clients as subjects of the agent contract. */
import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import { fileURLToPath } from "node:url";
import { bundleFixture } from "../../support/bundle.ts";

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/agents/${name}`, import.meta.url));
}

/** A shell line that runs a fixture program. */
export function nodeLine(name: string, ...args: string[]): string {
  return [process.execPath, fixture(name), ...args].map((word) => `"${word}"`).join(" ");
}

/** The environment of a fake client: this one's PATH, and how it is to behave. */
export function behaving(behaviour: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", FAKE_BEHAVIOUR: behaviour, ...more };
}

let parentProgram: Promise<string> | undefined;

/** A loop of its own process that calls an agent which hangs. @param kind as in fixtures/agents/parent.ts */
export async function hangingParent(
  kind: string,
  command: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>> = behaving("hang"),
): Promise<number> {
  parentProgram ??= bundleFixture("agents/parent.ts");
  const child = spawn(process.execPath, [await parentProgram, kind, command, cwd], { env, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? 0;
}
