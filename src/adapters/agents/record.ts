import { readFileSync, writeFileSync, type BigIntStats } from "node:fs";
import { appendFile, lstat, readdir, readFile, readlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { accepted, refused, type Result } from "../../core/problem.ts";
import { makeFolder } from "../../host/make-folder.ts";
import { agentLabel } from "../../loop/agent-label.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../loop/ports.ts";
import { parseRecording, printCall, printHeader, type FileChange } from "./recording.ts";
import { createHash } from "node:crypto";
import { runGroup } from "../../host/process.ts";

/** Only what these left in the folder is worth playing again. */
const WITH_CHANGES: ReadonlySet<AgentAnswer["kind"]> = new Set(["answer", "unreadable", "failed"] as const);

/**
 * Wraps an agent so that every call of it is recorded in `file` (SPEC section 10, `--record FILE`), for
 * `replay:<file>`. A recording that exists is continued; any other file is refused.
 * @param warn called once if a call could not be written down; the call is answered all the same
 */
export function createRecorder(agent: Agent, file: string, warn: (message: string) => void): Result<Agent> {
  const opened = open(agent, file);
  if (!opened.ok) return opened;
  // One line at a time, in the order in which calls end.
  let writing: Promise<void> = Promise.resolve();
  let failed = false;
  const write = (line: string): Promise<void> =>
    (writing = writing
      .then(() => (failed ? undefined : appendFile(file, line)))
      .catch((error: unknown) => {
        failed = true;
        warn(
          `the recording ${file} ends here, it could not be written: ${error instanceof Error ? error.message : String(error)}`,
        );
      }));
  return accepted({
    ...agent,
    async call(request, signal) {
      const began = performance.now();
      const before = request.role === "worker" ? await takeSnapshot(request.cwd) : undefined;
      const answer = await agent.call(request, signal);
      const duration_ms = Math.round(performance.now() - began);
      const changes =
        before === undefined || !WITH_CHANGES.has(answer.kind) ? [] : await changesSince(before, request.cwd);
      await write(lineOf(request, agent.name, answer, { duration_ms, changes }));
      return answer;
    },
    async close() {
      await agent.close();
      await writing;
    },
  });
}

function lineOf(
  request: AgentRequest,
  name: string,
  answer: AgentAnswer,
  { duration_ms, changes }: { readonly duration_ms: number; readonly changes: readonly FileChange[] },
): string {
  const { session: _, agent = name, ...reported } = answer as AgentAnswer & { readonly session?: string };
  const atom = request.atom === undefined ? {} : { atom: request.atom.id };
  return printCall({
    role: request.role,
    call: request.call,
    ...atom,
    agent: agentLabel(agent),
    answer: reported,
    duration_ms,
    changes,
  });
}

function open(agent: Agent, file: string): Result<null> {
  try {
    makeFolder(dirname(file));
    const text = existing(file);
    if (text === "") writeFileSync(file, printHeader(agent.name));
    else {
      const known = parseRecording(text, file);
      if (!known.ok) return known;
      // A crash may have left half a line.
      writeFileSync(file, text.slice(0, text.lastIndexOf("\n") + 1));
    }
    return accepted(null);
  } catch (error) {
    return refused(
      `cannot record to ${file}: ${error instanceof Error ? error.message : String(error)}`,
      "name a file that can be written",
    );
  }
}

function existing(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

/** A larger file is named, not recorded. */
const LARGEST_FILE = 16 * 1024 * 1024;
/** A file this young at the snapshot may change again without its time stamp moving: it is compared by content. */
const RACY_NS = 200_000_000n;

/** Relative path to what identifies the file's state. */
type Snapshot = ReadonlyMap<string, string>;

/** The files of `dir` as they are now: what git would see, or outside git everything but `.git` and `node_modules`. */
async function takeSnapshot(dir: string): Promise<Snapshot> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const entries = new Map<string, string>();
  for (const path of await filesOf(dir)) {
    const stats = await lstat(join(dir, path), { bigint: true }).catch(() => undefined);
    if (stats === undefined || stats.isDirectory()) continue;
    entries.set(
      path,
      stats.ctimeNs + RACY_NS < now ? stampOf(stats) : `${stampOf(stats)} ${await contentHash(join(dir, path), stats)}`,
    );
  }
  return entries;
}

/** What differs between the snapshot and the folder now, sorted by path. */
async function changesSince(before: Snapshot, dir: string): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  const gone = new Set(before.keys());
  for (const path of await filesOf(dir)) {
    const full = join(dir, path);
    const stats = await lstat(full, { bigint: true }).catch(() => undefined);
    if (stats === undefined || stats.isDirectory()) continue;
    gone.delete(path);
    const known = before.get(path);
    const [stamp, hash] = known?.split(" ") ?? [];
    if (stamp === stampOf(stats) && (hash === undefined || hash === (await contentHash(full, stats)))) continue;
    changes.push(await changeOf(path, full, stats).catch((error: unknown) => ({ path, omitted: String(error) })));
  }
  for (const path of gone) {
    // Not listed but there: it has come to be ignored, and stays.
    const stays = await lstat(join(dir, path)).then(
      () => true,
      () => false,
    );
    if (!stays) changes.push({ path, delete: true });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function filesOf(dir: string): Promise<readonly string[]> {
  const git = await runGroup({
    command: "git",
    args: ["ls-files", "-z", "-c", "-o", "--exclude-standard", "--", "."],
    cwd: dir,
    timeout_ms: 60_000,
    keep_bytes: 64 * 1024 * 1024,
  });
  if (git.exit_code === 0)
    return [...new Set(git.stdout.split("\0"))].filter((path) => path !== "" && !path.endsWith("/"));
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(dir, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === ".git" || entry.name === "node_modules") continue;
      if (entry.isDirectory()) await walk(path);
      else found.push(path);
    }
  };
  await walk("").catch(() => undefined);
  return found;
}

function stampOf(stats: BigIntStats): string {
  return [stats.ino, stats.size, stats.mode, stats.mtimeNs, stats.ctimeNs].join(",");
}

async function contentHash(path: string, stats: BigIntStats): Promise<string> {
  if (!stats.isFile() || stats.size > BigInt(LARGEST_FILE)) return "-";
  const content = await readFile(path).catch(() => Buffer.alloc(0));
  return createHash("sha1").update(content).digest("base64");
}

async function changeOf(path: string, full: string, stats: BigIntStats): Promise<FileChange> {
  if (stats.isSymbolicLink()) return { path, link: await readlink(full) };
  if (!stats.isFile()) return { path, omitted: "neither a file nor a link" };
  if (stats.size > BigInt(LARGEST_FILE))
    return { path, omitted: `${stats.size} bytes are more than a recording takes (${LARGEST_FILE})` };
  const bytes = await readFile(full).catch(() => undefined);
  if (bytes === undefined) return { path, omitted: "it could not be read" };
  const text = bytes.toString("utf8");
  const executable = (stats.mode & 0o100n) !== 0n ? { executable: true } : {};
  return Buffer.from(text, "utf8").equals(bytes)
    ? { path, content: text, encoding: "utf8", ...executable }
    : { path, content: bytes.toString("base64"), encoding: "base64", ...executable };
}
