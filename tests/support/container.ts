/** What a container is to a lock: a process ID namespace of its own that shares a folder with others. Linux. */
import { spawnSync } from "node:child_process";
import { TestRunner } from "vitest";

/** The command line that runs a command in there, under a host name. Killing its process kills all in there. */
export function inContainer(host: string, command: readonly string[]): string[] {
  const named = 'hostname "$0"; exec "$@"';
  return [
    "unshare",
    ...OWN,
    "--pid",
    "--uts",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "sh",
    "-c",
    named,
    host,
    ...command,
  ];
}

/** Who is not root may have such a namespace in a user namespace only. */
const OWN = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];

/** Skips the test that calls it where there can be none. */
export function needsContainers(): void {
  const [program = "", ...args] = inContainer("tried", ["flock", "--version"]);
  const ran = process.platform === "linux" && spawnSync(program, args, { timeout: 10_000 }).status === 0;
  if (!ran) TestRunner.getCurrentTest()?.context.skip("no PID namespaces here, or no flock, hostname or unshare");
}
