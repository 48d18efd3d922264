import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { accepted, problem, type Result } from "../../core/problem.ts";
import type { Agent, AgentAnswer, AgentRequest } from "../../loop/ports.ts";
import { callKey, keyOfRequest, parseRecording, type RecordedCall, type FileChange } from "./recording.ts";
import { chmod, lstat, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";

export interface ReplayOptions {
  /** How many times as fast as recorded; 0: at once (default). */
  readonly speed?: number;
}

/**
 * `replay:<file>`: plays back a recorded run (SPEC section 10). The first call for an atom in a role gets the
 * first recording of the two, and so on; what the recorded call changed in its folder is changed again.
 */
export function createReplayAgent(file: string, options: ReplayOptions = {}): Result<Agent> {
  const recording = load(file);
  if (!recording.ok) return recording;
  const queues = queuesOf(recording.value);
  return accepted({
    name: `replay:${file}`,
    max_call_usd: Math.max(0, ...recording.value.map((call) => call.answer.usage?.cost_usd ?? 0)),
    async call(request, signal) {
      if (signal.aborted) return { kind: "aborted" };
      const recorded = queues.get(keyOfRequest(request))?.shift();
      if (recorded === undefined) return { kind: "failed", reason: missing(request, recording.value, file) };
      return play(recorded, request, signal, { options, file });
    },
    available: () => Promise.resolve({ ok: true }),
    close: () => Promise.resolve(),
  });
}

function load(file: string): Result<readonly RecordedCall[]> {
  try {
    return parseRecording(readFileSync(file, "utf8"), file);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint = "give the path of a file made with aot run --record FILE";
    return problem("file_unreadable", `the recording ${file} cannot be read: ${why}`, hint);
  }
}

function queuesOf(calls: readonly RecordedCall[]): Map<string, RecordedCall[]> {
  const queues = new Map<string, RecordedCall[]>();
  for (const call of calls) {
    const queue = queues.get(callKey(call));
    if (queue === undefined) queues.set(callKey(call), [call]);
    else queue.push(call);
  }
  return queues;
}

/** No call takes longer than this, however long it took. */
const LONGEST_MS = 10_000;

/** At speed 2 a call takes half as long as it did; at 0 none waits. */
function pauseOf(duration_ms: number, { speed = 0 }: ReplayOptions): number {
  return speed > 0 ? Math.min(duration_ms / speed, LONGEST_MS) : 0;
}

async function play(
  recorded: RecordedCall,
  request: AgentRequest,
  signal: AbortSignal,
  { options, file }: { readonly options: ReplayOptions; readonly file: string },
): Promise<AgentAnswer> {
  // An aborted call never ended by itself: it waits for its abort, as then.
  const endless = recorded.answer.kind === "aborted";
  const wait = endless ? request.timeout_ms : pauseOf(recorded.duration_ms, options);
  if (wait > 0) await delay(wait, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) return { kind: "aborted" };
  if (endless)
    return {
      kind: "failed",
      timed_out: true,
      reason: `this call was aborted when ${file} was recorded, and nobody aborted it now`,
    };
  const problem = await applyChanges(recorded.changes, request.cwd);
  if (problem !== undefined)
    return {
      kind: "failed",
      reason: `the recorded changes of ${recorded.call} cannot be made again: ${problem} (${file})`,
    };
  // Who it was then: the journal of a replay tells it too.
  return recorded.agent === undefined ? recorded.answer : { ...recorded.answer, agent: `replay:${recorded.agent}` };
}

function missing(request: AgentRequest, calls: readonly RecordedCall[], file: string): string {
  const known = calls.filter((call) => callKey(call) === keyOfRequest(request)).length;
  const wanted = `${request.role} call ${request.call}${request.atom === undefined ? "" : ` on atom ${request.atom.id}`}`;
  const why = known === 0 ? "it has no such call" : `all ${known} such calls were played already`;
  return `${wanted} is not in the recording ${file}: ${why}; record the run again`;
}

/**
 * Applies `changes` in `dir`. None is done if one names a path outside, one of git's own, or one that was not
 * recorded; a path that lies behind a link is refused where it is met, and nothing after it is done.
 * @returns why it was refused or could not be done, naming the path; undefined if all is done
 */
async function applyChanges(changes: readonly FileChange[], dir: string): Promise<string | undefined> {
  for (const change of changes) {
    const refusal = refusalOf(change);
    if (refusal !== undefined) return `${JSON.stringify(change.path)} ${refusal}`;
  }
  for (const change of changes) {
    const problem = await applyOne(change, dir).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (problem !== undefined) return `${JSON.stringify(change.path)} ${problem}`;
  }
  return undefined;
}

function refusalOf(change: FileChange): string | undefined {
  if ("omitted" in change) return `was not recorded: ${change.omitted}`;
  if (!staysInside(change.path) || posix.normalize(change.path) === ".") return "leaves the folder";
  if (change.path.split("/").some(isGits)) return "belongs to git itself";
  if (!("link" in change)) return undefined;
  const leads = posix.isAbsolute(change.link) || !staysInside(posix.join(posix.dirname(change.path), change.link));
  return leads ? `is a link to ${JSON.stringify(change.link)}, which leaves the folder` : undefined;
}

function isGits(part: string): boolean {
  return /^\.git(?:$|[. ]|~1)/i.test(part) && !/^\.git(?:ignore|attributes|keep|hub|lab.*|modules)$/i.test(part);
}

/** Whether a relative path stays below its folder; a backslash, a drive or a NUL never does. */
function staysInside(path: string): boolean {
  if (path === "" || posix.isAbsolute(path) || /[\\\0]|^[a-zA-Z]:/.test(path)) return false;
  const normal = posix.normalize(path);
  return normal !== ".." && !normal.startsWith("../");
}

async function applyOne(change: FileChange, dir: string): Promise<string | undefined> {
  const parent = posix.dirname(posix.normalize(change.path));
  // A link on the way could lead out of the folder: none is followed.
  let folder = dir;
  for (const part of parent === "." ? [] : parent.split("/")) {
    folder = join(folder, part);
    const stats = await lstat(folder).catch(() => undefined);
    if (stats === undefined) break;
    if (stats.isSymbolicLink()) return `lies behind the link ${folder}`;
  }
  const full = join(dir, change.path);
  if ("delete" in change) {
    await rm(full, { force: true });
    return undefined;
  }
  await mkdir(dirname(full), { recursive: true });
  // Removed first, so that a link in its place is replaced and never written through.
  await rm(full, { force: true, recursive: true });
  if ("link" in change) await symlink(change.link, full);
  else if ("content" in change) {
    await writeFile(full, Buffer.from(change.content, change.encoding), { flag: "wx" });
    if (change.executable === true) await chmod(full, 0o755);
  }
  return undefined;
}
