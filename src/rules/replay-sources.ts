/** Where clients keep their transcripts, and which of them are meant (SPEC sections 12 and 17). */
import { closeSync, createReadStream, openSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Result } from "../core/problem.ts";

export interface TranscriptChoice {
  /** Files, or folders with everything below them; empty: those of the project. */
  readonly paths: readonly string[];
  /** A session's id, or `latest`; with its sub-agents. Absent: all sessions. */
  readonly session?: string;
  /** Those of all projects. */
  readonly everywhere: boolean;
}

export interface TranscriptFile {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly changed: number;
  /** What is in it, from its beginning; each time anew. */
  pieces(): AsyncIterable<Uint8Array>;
}

/** Bytes that are read at a time. */
const PIECE = 256 * 1024;

type Environment = Readonly<Record<string, string | undefined>>;

/** Folders below a project's: a session's own, and `subagents` in it. */
const DEPTH = 4;
const ENDING = ".jsonl";

/**
 * The transcripts that are meant, oldest first.
 * @param cwd the project's folder
 * @returns `file_missing` with the places that were looked at, where there is none
 */
export function findTranscripts(
  choice: TranscriptChoice,
  cwd: string,
  env: Environment,
): Result<readonly TranscriptFile[]> {
  const named = choice.paths.map((path) => resolve(cwd, path));
  const shared = named.length > 0 ? [] : sharedPlaces(env);
  const own = named.length > 0 ? named : placesOf(choice, cwd, env);
  const places = [...own, ...shared];
  const found = new Map<string, TranscriptFile>();
  for (const place of own) collect(place, DEPTH, found);
  for (const file of sharedFiles(shared, choice.everywhere ? null : projectFolders(cwd, env)))
    found.set(file.path, file);
  const files = ofSession(
    [...found.values()].sort((one, other) => one.changed - other.changed || (one.path < other.path ? -1 : 1)),
    choice.session,
  );
  if (files.length > 0) return { ok: true, value: files };
  return { ok: false, problems: [{ code: "file_missing", message: nothing(choice, places, found.size), hint: HINT }] };
}

const HINT = "name a transcript or a folder with --transcript, or look at all projects with --all-projects";

function nothing({ session }: TranscriptChoice, places: readonly string[], others: number): string {
  const looked = places.length === 0 ? "no home folder is known" : `looked in ${places.join(", ")}`;
  if (session !== undefined && others > 0)
    return `there is no transcript of the session ${session} among ${others} files (${looked})`;
  return `there is no transcript of any client's (${looked})`;
}

function placesOf({ everywhere }: TranscriptChoice, cwd: string, env: Environment): readonly string[] {
  const home = env["HOME"] ?? env["USERPROFILE"] ?? "";
  const config = env["CLAUDE_CONFIG_DIR"] || (home === "" ? "" : join(home, ".claude"));
  if (config === "") return [];
  const projects = join(resolve(config), "projects");
  if (everywhere) return [projects];
  const names = new Set(projectFolders(cwd, env).map(folderName));
  return [...names].map((name) => join(projects, name));
}

function projectFolders(cwd: string, env: Environment): readonly string[] {
  return [cwd, realPath(cwd), env["CLAUDE_PROJECT_DIR"] ?? cwd].map((dir) => resolve(dir));
}

/** Folders where Codex and Copilot CLI keep the sessions of all projects together. */
function sharedPlaces(env: Environment): readonly string[] {
  const home = env["HOME"] ?? env["USERPROFILE"] ?? "";
  const below = (config: string | undefined, folder: string, sessions: string): readonly string[] => {
    const base = config || (home === "" ? "" : join(home, folder));
    return base === "" ? [] : [join(resolve(base), sessions)];
  };
  return [
    ...below(env["CODEX_HOME"], ".codex", "sessions"),
    ...below(env["COPILOT_HOME"], ".copilot", "session-state"),
  ];
}

/** Bytes in which a session says which folder it began in. */
const HEAD = 16 * 1024;

/** @param folders of the project; null: of all projects */
function sharedFiles(places: readonly string[], folders: readonly string[] | null): readonly TranscriptFile[] {
  const found = new Map<string, TranscriptFile>();
  for (const place of places) collect(place, DEPTH, found);
  const marks = folders?.map((folder) => `"cwd":${JSON.stringify(folder)}`);
  return [...found.values()].filter(
    ({ path }) => marks === undefined || marks.some((mark) => beginningOf(path).includes(mark)),
  );
}

function beginningOf(path: string): string {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(HEAD);
      return bytes.subarray(0, readSync(file, bytes, 0, HEAD, 0)).toString("utf8");
    } finally {
      closeSync(file);
    }
  } catch {
    // As one that is not there.
    return "";
  }
}

/** Claude Code names a project's folder by its path. */
function folderName(dir: string): string {
  return dir.replaceAll(/[^A-Za-z0-9]/g, "-");
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** What cannot be looked at holds no transcript that could be read. */
function collect(path: string, depth: number, found: Map<string, TranscriptFile>): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isFile()) {
    const pieces = (): AsyncIterable<Uint8Array> => createReadStream(path, { highWaterMark: PIECE });
    found.set(path, { path, bytes: stats.size, changed: stats.mtimeMs, pieces });
  }
  if (!stats.isDirectory() || depth === 0) return;
  for (const entry of entriesOf(path))
    if (entry.isDirectory() || entry.name.endsWith(ENDING)) collect(join(path, entry.name), depth - 1, found);
}

function entriesOf(dir: string): ReturnType<typeof listing> {
  try {
    return listing(dir);
  } catch {
    return [];
  }
}

function listing(dir: string): { name: string; isDirectory(): boolean }[] {
  return readdirSync(dir, { withFileTypes: true });
}

function ofSession(files: readonly TranscriptFile[], session: string | undefined): readonly TranscriptFile[] {
  if (session === undefined) return files;
  const id = session === "latest" ? newestSession(files) : session;
  return id === null
    ? []
    : files.filter(({ path }) =>
        partsOf(path).some((part) => part === `${id}${ENDING}` || part.endsWith(`-${id}${ENDING}`) || part === id),
      );
}

function newestSession(files: readonly TranscriptFile[]): string | null {
  const newest = files.findLast(
    ({ path }) => !partsOf(path).includes("subagents") && !(partsOf(path).at(-1) ?? "").startsWith("agent-"),
  );
  return newest === undefined ? null : (partsOf(newest.path).at(-1) ?? "").slice(0, -ENDING.length);
}

function partsOf(path: string): readonly string[] {
  return path.split(/[\\/]/);
}
