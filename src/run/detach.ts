/**
 * A run that nobody has to sit with: a process in a session of its own, which the terminal's end does not reach
 * (SPEC sections 8 and 9).
 *
 * DETACH-1 it is started only where nobody works the loop, and reported as started only once it does;
 * DETACH-2 its exit code and what it came to are in its record when it has ended by itself, and stay there until the
 *    next one.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import { dirname, join } from "node:path";
import { runnerOf } from "../adapters/store/run-lock.ts";
import { refused, type Problem } from "../core/problem.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { makeOwnFolder, openToAppend, removeOwnFile, setLogAside, writeOwnFile } from "../host/own-file.ts";
import { readOwnFile } from "../host/regular-file.ts";
import { explainWrite } from "../host/write-failure.ts";
import { looks } from "../history/follow.ts";
import { ownName } from "../host/atomic-write.ts";

/** Set for a run that was detached: it writes its record. */
export const DETACHED_VARIABLE = "AOT_DETACHED";

/** What is known of the newest run that was detached. */
export interface DetachedRecord {
  readonly pid: number;
  /** What it says, as lines. */
  readonly log: string;
  readonly started_at: string;
  /** Absent: it is running, or it was killed. */
  readonly end?: DetachedEnd;
}

export interface DetachedEnd {
  readonly ended_at: string;
  readonly exit_code: number;
  /** As `aot run --json` would have said it. */
  readonly document: object;
  /** As a person at a terminal would have read it. */
  readonly text: string;
  /** Why it did not succeed, where the text does not say it. */
  readonly trouble?: string;
}

export interface Launch {
  /** The program and its words, those of the whole command line. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What to do where another run works it; absent: as of an AoT loop. */
  readonly busy_hint?: string;
}

export type Detaching =
  | { readonly kind: "started"; readonly record: DetachedRecord }
  /** It was over before it could be left alone. */
  | { readonly kind: "ended"; readonly record: DetachedRecord; readonly end: DetachedEnd }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };

/** How long a run may take to begin before it is reported as started all the same. Milliseconds. */
const BEGIN_MS = 30_000;
const LOOK_EVERY_MS = 50;
/** The run's own line about its beginning (`terminal/event-text.ts`). */
const BEGUN = /\brun \w+ started\b/;

/** DETACH-1. @param now ISO 8601 */
export async function detachRun(named: string, launch: Launch, now: string): Promise<Detaching> {
  const stateFile = ownName(named);
  const runner = runnerOf(stateFile);
  if (runner !== null)
    return {
      kind: "refused",
      problems: refused(
        `${named} is being worked by pid ${runner.pid} on host ${runner.host} since ${runner.since}`,
        launch.busy_hint ?? "`aot attach` follows it, `aot stop` ends it",
      ).problems,
    };
  const log = join(loopPaths(stateFile).dir, "detached.log");
  const opened = openLog(log);
  if (typeof opened !== "number") return { kind: "refused", problems: refused(opened.message, opened.hint).problems };
  const child = start(launch, opened);
  closeSync(opened);
  const record: DetachedRecord = { pid: child.pid ?? 0, log, started_at: now };
  return await begun(stateFile, child, record);
}

function start({ command, args, cwd, env }: Launch, log: number): ChildProcess {
  return spawn(command, [...args], {
    cwd,
    env: { ...env, [DETACHED_VARIABLE]: "1" },
    // A session of its own: neither the terminal's hang-up nor its Ctrl-C arrives there.
    detached: true,
    windowsHide: true,
    stdio: ["ignore", log, log],
  });
}

async function begun(stateFile: string, child: ChildProcess, record: DetachedRecord): Promise<Detaching> {
  const over = new AbortController();
  child.on("error", (error) => over.abort(error.message));
  child.on("exit", (code, signal) =>
    over.abort(code === null ? `ended by ${signal ?? "a signal"}` : `exit code ${code}`),
  );
  const limit = performance.now() + BEGIN_MS;
  for await (const _ of looks(over.signal, LOOK_EVERY_MS))
    if (performance.now() >= limit || BEGUN.test(readOwnFile(record.log) ?? "")) break;
  if (!over.signal.aborted) {
    child.unref();
    return { kind: "started", record };
  }
  const end = readDetached(stateFile)?.end;
  if (end !== undefined) return { kind: "ended", record, end };
  const said = (readOwnFile(record.log) ?? "").trim().slice(-2_000);
  const why = said === "" ? String(over.signal.reason) : said;
  return { kind: "refused", problems: refused(`the run did not begin: ${why}`, `see ${record.log}`).problems };
}

/** DETACH-2: by the run itself, at its beginning and at its end. A record that cannot be written fails nothing. */
export function writeDetached(named: string, record: Omit<DetachedRecord, "log">): void {
  const { dir } = loopPaths(ownName(named));
  writeOwnFile(join(dir, "detached.json"), JSON.stringify({ ...record, log: join(dir, "detached.log") }));
}

/** Null: no run of this loop was ever detached. */
export function readDetached(named: string): DetachedRecord | null {
  try {
    const text = readOwnFile(join(loopPaths(ownName(named)).dir, "detached.json")) ?? "";
    const value = JSON.parse(text) as Partial<DetachedRecord> | null;
    return typeof value?.pid === "number" && typeof value.log === "string" ? (value as DetachedRecord) : null;
  } catch {
    return null;
  }
}

/** The flags of this run, for whoever takes the loop up again without a command line. */
export function keepWords(named: string, words: readonly string[]): void {
  writeOwnFile(join(loopPaths(ownName(named)).dir, "run-words.json"), JSON.stringify(words));
}

/** None, where no run kept them. */
export function wordsOfLastRun(named: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(readOwnFile(join(loopPaths(ownName(named)).dir, "run-words.json")) ?? "[]");
    return Array.isArray(kept) && kept.every((word) => typeof word === "string") ? kept : [];
  } catch {
    return [];
  }
}

/** The last run's log and record are set aside, those before it go. */
function openLog(log: string): number | { readonly message: string; readonly hint: string } {
  try {
    makeOwnFolder(dirname(log));
    removeOwnFile(join(dirname(log), "detached.json"));
    setLogAside(log);
    return openToAppend(log, 0o600);
  } catch (error) {
    return explainWrite(log, error);
  }
}
