/** `aot` beside a test, whose page is asked for; it ends with the test file at the latest. */
import { spawn, type ChildProcess } from "node:child_process";
import { afterAll } from "vitest";
import { aotPath, cleanEnv } from "./aot.ts";

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) if (child.exitCode === null) child.kill("SIGKILL");
});

export function start(dir: string, ...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [aotPath(), ...args], { cwd: dir, env: cleanEnv() });
  children.push(child);
  return child;
}

/** Of the page that it serves. */
export function addressOf(child: ChildProcess): Promise<URL> {
  return new Promise((resolve, reject) => {
    let text = "";
    const heard = (part: Buffer): void => {
      text += part.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+\/#[\w-]+/.exec(text)?.[0];
      if (address !== undefined) resolve(new URL(address));
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", heard);
    child.on("exit", (code) => reject(new Error(`ended with ${code}: ${text}`)));
  });
}

export function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => (child.exitCode === null ? child.on("exit", resolve) : resolve(child.exitCode)));
}
