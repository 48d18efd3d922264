/**
 * Hands a loop to an engine (SPEC section 13): its branch goes to the shared remote, its state to the engine, and the state
 * file becomes a view that names its owner.
 *
 * SUBMIT-LOOP-1 the file says whose the loop is before the engine has it: at no time are there two writers. A crash in
 *    between leaves a file that `aot submit` takes up again. For an engine that does not answer nothing is marked: a wrong
 *    address would strand the loop;
 * SUBMIT-LOOP-2 what earlier runs spent goes along: no limit is refunded by moving.
 */
import { randomBytes } from "node:crypto";
import { relative, sep } from "node:path";
import { holdRunLock } from "../adapters/store/run-lock.ts";
import { ownerOf, ownerText, type Owner } from "../adapters/store/owner.ts";
import { editStateFile, readStateFile } from "../adapters/store/state-file.ts";
import { shareLine, type SharedLine } from "../adapters/workspace/share-line.ts";
import { trustOf } from "../core/entrance.ts";
import { revertsDue } from "../core/lost-work.ts";
import { accepted, refused, type Refused, type Result } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import type { Engine, LoopSpec } from "../loop/engine.ts";
import { answered, asking } from "./client.ts";
import { remoteForWorkers } from "./origin.ts";
import { termsOf, type WorkTerms } from "./terms.ts";
import { rulesToHandOver } from "./handed-rules.ts";
import { projectOf } from "../project/find-state-file.ts";
import { enter, type Entry } from "../project/run-entry.ts";
import { ownName } from "../host/atomic-write.ts";
import { loopName } from "../run/place.ts";

export interface SubmitOptions {
  readonly stateFile: string;
  readonly engine: Engine;
  readonly remote: string;
  readonly crew: WorkTerms["crew"];
  readonly limits: WorkTerms["limits"];
  readonly settings: LoopSpec["settings"];
  /** How workers make a fresh clone usable; absent: it is as it comes out of git. */
  readonly set_up?: WorkTerms["set_up"];
}

export interface Submitted {
  readonly owner: Owner;
  /** The integration branch, on the remote. */
  readonly branch: string;
  readonly message: string;
}

/** Refused while a run works the loop here, and when another engine has it. */
export async function submitLoop(request: SubmitOptions): Promise<Result<Submitted>> {
  const stateFile = ownName(request.stateFile);
  const lock = holdRunLock(stateFile);
  if (!lock.ok) return refused(lock.message, lock.hint);
  try {
    const remote = await remoteForWorkers(projectOf(stateFile), request.remote);
    return await submitLocked({ ...request, stateFile, remote });
  } finally {
    lock.release();
  }
}

/** No loop's name: those end in a number of their own. It is asked for to see that the engine answers. */
const NO_LOOP = "nobody";

async function submitLocked(request: SubmitOptions): Promise<Result<Submitted>> {
  const { stateFile, engine } = request;
  const read = await readStateFile(stateFile);
  if (!read.ok) return read;
  const owner = ownerOf(read.value.state);
  if (owner !== null && owner.engine !== engine.name)
    return refused(`the engine ${owner.engine} already has this loop, as ${owner.loop}`, "stop it there first");
  const known = await asking(() => engine.view(owner?.loop ?? NO_LOOP));
  if (!known.ok) return known;
  if (owner !== null && known.value !== null)
    return refused(`the engine ${owner.engine} already has this loop, as ${owner.loop}`, "`aot loops` shows it");
  // SUBMIT-LOOP-1: handed over before, and perhaps cut off: its fuel is as it was, since nobody could run it meanwhile.
  const entry = await enter({ stateFile, restart: false, handed_over: true });
  if (!entry.ok) return entry;
  const unsettled = whyUnsettled(entry);
  if (unsettled !== null) return unsettled;
  const handed = await rulesToHandOver(projectOf(stateFile));
  if (!handed.ok) return handed;
  const line = await lineOf(request, entry);
  if (!line.ok) return line;
  const { name, shared } = line.value;
  const to = owner ?? { engine: engine.name, loop: `${name}-${randomBytes(3).toString("hex")}` };
  const state = owned(entry.state, shared, to);
  if (owner === null) {
    const marked = await editStateFile(stateFile, () => accepted(state), { what: "submit" });
    if (!marked.ok) return marked;
  }
  const { settings, crew, limits, remote, set_up } = request;
  const state_file = relative(projectOf(stateFile), stateFile).replaceAll(sep, "/");
  const place = { remote, line: name, prefix: shared.prefix, state_file };
  const rules = handed.value.length === 0 ? {} : { rules: handed.value };
  const terms = termsOf({ ...place, crew, limits, set_up, ...rules });
  const { memory } = entry.known;
  const trusting = { ...settings, trust: trustOf(settings, memory) };
  const asked = await asking(() => engine.start(to.loop, { state, memory, settings: trusting, terms }));
  if (!asked.ok) return asked;
  const started = answered(asked.value);
  return started.ok ? accepted({ owner: to, branch: shared.branch, message: started.value }) : started;
}

/** What only a run here can settle: work that a crash left between branch and state, and what it is to take out. */
function whyUnsettled({ from, known, state }: Entry): Refused | null {
  if (from !== "crashed" && revertsDue(known, state).length === 0) return null;
  const what = from === "crashed" ? "a run of this loop was cut off" : "a redirect left work to be taken out";
  return refused(`${what}: only a run here can settle that`, "`aot run`, then `aot stop`, then submit it");
}

async function lineOf(
  { stateFile, remote }: SubmitOptions,
  { paths, state }: Entry,
): Promise<Result<{ readonly name: string; readonly shared: SharedLine }>> {
  const name = loopName(paths, state, false);
  if (!name.ok) return name;
  const { aligned_commit } = state.objective;
  const options = {
    root: projectOf(stateFile),
    stateFile,
    dir: paths.dir,
    loop: name.value,
    run: "submit",
    protected: state.objective.protected ?? [],
    merge: false,
    ...(aligned_commit === undefined ? {} : { alignedCommit: aligned_commit }),
  };
  const shared = await shareLine(options, remote);
  return shared.ok
    ? accepted({ name: name.value, shared: shared.value })
    : refused(shared.problem.message, shared.problem.hint);
}

/** A goal that was written by hand is aligned at the commit at which it is submitted. */
function owned(state: State, { base }: SharedLine, owner: Owner): State {
  const { objective, control } = state;
  const isOpen = objective.aligned_commit === undefined && (objective.protected ?? []).length > 0;
  return {
    ...state,
    objective: isOpen ? { ...objective, aligned_commit: base } : objective,
    control: { ...control, engine: ownerText(owner) },
  };
}
