/** The runner's side of requests.ts: takes requests and answers them. */
import { watch, readdirSync, readFileSync, statSync, type FSWatcher } from "node:fs";
import { accepted, describeProblems, refused, type Problem, type Result } from "../../core/problem.ts";
import { isAlive, readStat, self } from "../../host/liveness.ts";
import { makeOwnFolder, removeOwnFile, writeOwnFile } from "../../host/own-file.ts";
import { ageOf } from "../../host/regular-file.ts";
import { sweepFolderLeftovers } from "../../host/write-sweep.ts";
import { makeFolder } from "./file-bytes.ts";
import { askedIn, fileOf, namesAt, readJson, setAside, takeRequest, type Reply } from "./request-files.ts";
import { MARK_VARIABLE, PROCESS_MARK } from "../../host/process-group.ts";

export interface RequestWatch {
  /** Takes no more requests, and settles when the one in hand is answered. Idempotent. */
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 200;
/** A request whose asker died is dropped, and an answer nobody fetched is removed, after this. */
const ABANDONED_MS = 60_000;

/** Who carries out requests of the type `T`. */
export interface RequestServer<T> {
  /** What is asked, or why it is no request that is known here. */
  read(body: unknown): Result<T>;
  /** Whether it is believed only of a sender that can be seen (REQUESTS-4). */
  needsSender?(request: T): boolean;
  /** A rejection is answered to the asker as a failure. */
  carryOut(request: T): Promise<object>;
  /** Called with a file that holds no such request, and where it was put. */
  refused(message: string): void;
}

/**
 * Carries out the requests that others submit, until closed. The caller is the only watcher of `dir`
 * (it holds the run lock). Does not keep the process alive.
 */
export function watchRequests<T>(dir: string, server: RequestServer<T>): Result<RequestWatch> {
  const folder = makeFolder(dir, makeOwnFolder);
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
        if (!closed && takeRequest(dir, name)) await handle(dir, name, server);
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
  return accepted({
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

async function handle<T>(dir: string, name: string, server: RequestServer<T>): Promise<void> {
  const taken = fileOf(dir, name, "taken");
  const asked = askedIn(readJson(taken));
  const read = asked === null ? NO_REQUEST : server.read(asked.body);
  const why =
    asked !== null && read.ok && server.needsSender?.(read.value) === true
      ? await whyNotSender(asked.from, taken)
      : null;
  const request =
    why === null
      ? read
      : refused(`a request was not carried out: ${why}`, "ask by `aot redirect` from another terminal");
  const abandoned = asked !== null && ageOf(taken) > ABANDONED_MS && !isAlive(asked.from);
  const reply = request.ok ? (abandoned ? null : await replyTo(request.value, server)) : refusal(request.problems);
  if (reply !== null && (asked === null || isAlive(asked.from)))
    writeOwnFile(fileOf(dir, name, "answer"), JSON.stringify(reply));
  if (request.ok) removeOwnFile(taken);
  else server.refused(`${describeProblems(request.problems)}; the file is ${setAside(dir, name)}`);
}

/** As who carries out a request says that it will not. */
function refusal(problems: readonly Problem[]): Reply {
  return { ok: true, value: { ok: false, message: describeProblems(problems), problems } };
}

const NO_REQUEST = refused(
  "a request file is no JSON object with `from` and `body`",
  "ask by `aot stop` or `aot redirect`",
);

async function replyTo<T>(request: T, server: RequestServer<T>): Promise<Reply> {
  try {
    return { ok: true, value: await server.carryOut(request) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** REQUESTS-1, and what nobody will ever fetch. */
function tidy(dir: string): void {
  const lost: Reply = {
    ok: false,
    message: "the runner that took this request ended before it answered; it may have been carried out",
  };
  for (const name of namesAt(dir, "taken")) {
    const asked = askedIn(readJson(fileOf(dir, name, "taken")));
    if (asked !== null && isAlive(asked.from)) writeOwnFile(fileOf(dir, name, "answer"), JSON.stringify(lost));
    removeOwnFile(fileOf(dir, name, "taken"));
  }
  sweepFolderLeftovers(dir);
  for (const name of namesAt(dir, "answer")) {
    if (ageOf(fileOf(dir, name, "answer")) > ABANDONED_MS) removeOwnFile(fileOf(dir, name, "answer"));
  }
}

const MOST_TRIES = 25;
const TRY_MS = 20;

/** @param from identity of the sender (liveness.ts). @returns why it is not believed; null: it is, or nothing can be said */
async function whyNotSender(from: string, file: string): Promise<string | null> {
  if (process.platform !== "linux" || from === self()) return null;
  const pid = Number(/^\d+/.exec(from)?.[0] ?? 0);
  if (!isAlive(from) || readStat(pid) === null) return `nobody who lives sent it (${from.slice(0, 40)})`;
  if (descendsFromHere(pid) || carriesMark(pid)) return `pid ${pid} sent it, which is an agent or a check of this run`;
  // The sender opens it as soon as it is written.
  for (let again = 0; again < MOST_TRIES; again++) {
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
