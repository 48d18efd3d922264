/** The guardian of a run, and what it still has to do after a run that died (SPEC sections 7 and 8). */
import { join } from "node:path";
import { startGuardian, type Guardian } from "../host/guardian.ts";
import { livenessOf, processIdentity } from "../host/liveness.ts";
import { looks } from "../history/follow.ts";
import { writeOwnFile } from "../host/own-file.ts";
import { readOwnFile } from "../host/regular-file.ts";

/** A guardian asks for 1 s, forces for 3 s, and may first have to start on a busy machine. */
const LONGEST_MS = 10_000;
const LOOK_EVERY_MS = 20;

/**
 * Starts the guardian of this run. After a crash it first waits, bounded, until the dead run's guardian has
 * ended that run's agents and git commands: what is cleaned up must not be written to any more.
 * @param dir the loop's own folder
 */
export async function guardRun(dir: string, afterCrash: boolean): Promise<Guardian> {
  const file = join(dir, "guardian");
  if (afterCrash) await over(readOwnFile(file) ?? "");
  const guardian = startGuardian();
  // Full or read-only: the run itself will say so, at once and better.
  writeOwnFile(file, guardian.pid === null ? "" : (processIdentity(guardian.pid) ?? ""));
  return guardian;
}

async function over(identity: string): Promise<void> {
  for await (const _ of looks(AbortSignal.timeout(LONGEST_MS), LOOK_EVERY_MS))
    if (livenessOf(identity) !== "alive") return;
}
