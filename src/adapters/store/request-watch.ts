/** The runner's side of requests.ts: takes requests and answers them. */
import { watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import type { Result } from "../../core/problem.ts";
import { sweepWriteLeftovers, writeFileAtomicSync } from "../../host/atomic-write.ts";
import { isAlive } from "../../host/liveness.ts";
import { done, makeFolder } from "./file-bytes.ts";
import { ageOf, askedIn, fileOf, halfWritten, namesAt, readJson, removeFile, takeRequest } from "./request-files.ts";
import type { Asked, Reply } from "./request-files.ts";

export interface RequestWatch {
  /** Takes no more requests, and settles when the one in hand is answered. Idempotent. */
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 200;
/** A request whose asker died is dropped, and an answer nobody fetched is removed, after this. */
const ABANDONED_MS = 60_000;

/**
 * Carries out the requests that others submit, until closed. The caller is the only watcher of `dir`
 * (it holds the run lock). Does not keep the process alive.
 * @param onRequest a rejection is answered to the asker as a failure
 */
export function watchRequests(dir: string, onRequest: (body: unknown) => Promise<object>): Result<RequestWatch> {
  const folder = makeFolder(dir);
  if (!folder.ok) return folder;
  tidy(dir);
  let closed = false;
  let noticed = false;
  let busy = false;
  let working: Promise<void> | null = null;

  const drain = async (): Promise<void> => {
    while (noticed) {
      noticed = false;
      for (const name of namesAt(dir, "request")) {
        if (!closed && takeRequest(dir, name)) await carryOut(dir, name, onRequest);
      }
    }
    busy = false;
  };
  const look = (): void => {
    noticed = true;
    if (closed || busy) return;
    busy = true;
    working = drain();
  };

  const watcher = watchFolder(dir, look);
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  look();
  return done({
    close: async () => {
      closed = true;
      clearInterval(timer);
      watcher?.close();
      await working;
    },
  });
}

/** The poll alone is enough: where watching is not possible (limits, network file systems) there is none. */
function watchFolder(dir: string, look: () => void): FSWatcher | null {
  try {
    const watcher = watch(dir, { persistent: false }, look);
    watcher.on("error", () => {
      watcher.close();
    });
    return watcher;
  } catch {
    return null;
  }
}

async function carryOut(dir: string, name: string, onRequest: (body: unknown) => Promise<object>): Promise<void> {
  const taken = fileOf(dir, name, "taken");
  const asked = askedIn(readJson(taken));
  const abandoned = asked !== null && ageOf(taken) > ABANDONED_MS && !isAlive(asked.from);
  if (!abandoned) {
    const reply = asked === null ? NO_REQUEST : await replyTo(asked, onRequest);
    if (asked === null || isAlive(asked.from)) writeFileAtomicSync(fileOf(dir, name, "answer"), JSON.stringify(reply));
  }
  removeFile(taken);
}

const NO_REQUEST: Reply = { ok: false, message: "the request file is no JSON object with `from` and `body`" };

async function replyTo(asked: Asked, onRequest: (body: unknown) => Promise<object>): Promise<Reply> {
  try {
    return { ok: true, value: await onRequest(asked.body) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** R1, and what nobody will ever fetch. */
function tidy(dir: string): void {
  const lost: Reply = {
    ok: false,
    message: "the runner that took this request ended before it answered; it may have been carried out",
  };
  for (const name of namesAt(dir, "taken")) {
    const asked = askedIn(readJson(fileOf(dir, name, "taken")));
    if (asked !== null && isAlive(asked.from)) writeFileAtomicSync(fileOf(dir, name, "answer"), JSON.stringify(lost));
    removeFile(fileOf(dir, name, "taken"));
  }
  for (const file of halfWritten(dir)) sweepWriteLeftovers(file);
  for (const name of namesAt(dir, "answer")) {
    if (ageOf(fileOf(dir, name, "answer")) > ABANDONED_MS) removeFile(fileOf(dir, name, "answer"));
  }
}
