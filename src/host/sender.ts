/**
 * Who put a file where this process takes requests from. On Linux a sender is believed that is alive, holds the file open, and
 * neither descends from this process nor carries its mark: what an attempt drops there, in its own name or another's, is not.
 * Elsewhere, and in another process namespace, nobody can be asked.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { MARK_VARIABLE, PROCESS_MARK } from "./process-group.ts";
import { isAlive, readStat, self } from "./liveness.ts";

const TRIES = 25;
const TRY_MS = 20;

/** @param from identity of the sender (liveness.ts). @returns why it is not believed; null: it is, or nothing can be said */
export async function whyNotSender(from: string, file: string): Promise<string | null> {
  if (process.platform !== "linux" || from === self()) return null;
  const pid = Number(/^\d+/.exec(from)?.[0] ?? 0);
  if (!isAlive(from) || readStat(pid) === null) return `nobody who lives sent it (${from.slice(0, 40)})`;
  if (descendsFromHere(pid) || carriesMark(pid)) return `pid ${pid} sent it, which is an agent or a check of this run`;
  // The sender opens it as soon as it is written.
  for (let again = 0; again < TRIES; again++) {
    if (holds(pid, file)) return null;
    await new Promise((resume) => setTimeout(resume, TRY_MS));
  }
  return `pid ${pid}, which it names, did not write it`;
}

function descendsFromHere(pid: number): boolean {
  for (let at = pid, depth = 0; at > 1 && depth < 1_000; depth++) {
    if (at === process.pid) return true;
    at = readStat(at)?.parent ?? 0;
  }
  return false;
}

function carriesMark(pid: number): boolean {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return variables.some((text) => text.startsWith(`${MARK_VARIABLE}=`) && text.includes(PROCESS_MARK));
  } catch {
    // Another user's.
    return false;
  }
}

function holds(pid: number, file: string): boolean {
  try {
    const { dev, ino } = statSync(file);
    return readdirSync(`/proc/${pid}/fd`).some((name) => {
      const open = statSync(`/proc/${pid}/fd/${name}`, { throwIfNoEntry: false });
      return open?.ino === ino && open.dev === dev;
    });
  } catch {
    return false;
  }
}
