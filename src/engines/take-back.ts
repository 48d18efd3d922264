/**
 * A loop comes back from an engine into its state file (SPEC section 13): the reverse of submit-loop.ts.
 *
 * TAKE-BACK-1 the engine gives the loop up before the file has it: at no time are there two writers. What a crash cut off in
 *    between is done by the next call;
 * TAKE-BACK-2 what the loop spent there stays spent: its journal goes on with the engine's lines, each of them once.
 */
import { holdRunLock } from "../adapters/store/run-lock.ts";
import { openJournal } from "../adapters/store/journal.ts";
import { ownerOf, type Owner } from "../adapters/store/owner.ts";
import { editView, readStateFile } from "../adapters/store/state-file.ts";
import { fetchLine } from "../adapters/workspace/share-line.ts";
import { objectIn } from "../core/reading.ts";
import { accepted, refused, type Result } from "../core/problem.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { readOwnFile } from "../host/regular-file.ts";
import type { Engine, LoopView } from "../loop/engine.ts";
import { projectOf } from "../project/find-state-file.ts";
import { loopName } from "../run/place.ts";
import { asking, engineNamed } from "./client.ts";
import { requestOf, viewThere } from "./owned-loop.ts";

export interface TakenBack {
  readonly owner: Owner;
  readonly branch: string;
  readonly outcome: string;
}

/** Refused while the loop is running there. */
export async function takeBackLoop(
  stateFile: string,
  remote: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Result<TakenBack>> {
  const lock = holdRunLock(stateFile);
  if (!lock.ok) return refused(lock.message, lock.hint);
  try {
    const read = await readStateFile(stateFile);
    if (!read.ok) return read;
    const owner = ownerOf(read.value.state);
    if (owner === null) return refused(`no engine works the loop of ${stateFile}`, "it is this project's already");
    const engine = engineNamed(owner.engine, env);
    if (!engine.ok) return engine;
    const taken = await takenBack({ stateFile, remote, owner, engine: engine.value });
    await engine.value.close();
    return taken;
  } finally {
    lock.release();
  }
}

interface Request {
  readonly stateFile: string;
  readonly remote: string;
  readonly owner: Owner;
  readonly engine: Engine;
}

async function takenBack({ stateFile, remote, owner, engine }: Request): Promise<Result<TakenBack>> {
  const there = await viewThere(engine, owner);
  if (!there.ok) return there;
  const view = there.value;
  const { outcome } = view.state.control;
  if (outcome == null) return refused(`${owner.loop} is running there`, "stop it first: `aot loops stop`");
  const name = loopName(loopPaths(stateFile), view.state, false);
  if (!name.ok) return name;
  const fetched = await fetchLine(projectOf(stateFile), name.value, remote);
  if (!fetched.ok) return refused(fetched.problem.message, fetched.problem.hint);
  // TAKE-BACK-1
  const given = await requestOf(engine, owner.loop, { kind: "hand_back" });
  if (!given.ok) return given;
  const lines = await asking(() => allLines(engine, owner.loop));
  if (!lines.ok) return lines;
  const kept = keepLines(loopPaths(stateFile).journal, lines.value);
  if (!kept.ok) return kept;
  const written = await editView(stateFile, () => accepted(ownState(view)), { what: "take-back" });
  return written.ok ? accepted({ owner, branch: fetched.value, outcome }) : written;
}

function ownState({ state }: LoopView): LoopView["state"] {
  const { engine: _, ...control } = state.control;
  return { ...state, control };
}

async function allLines(engine: Engine, loop: string): Promise<readonly object[]> {
  const lines: object[] = [];
  for (let count = 0; ;) {
    const some = await engine.journal(loop, count);
    if (some.length === 0) return lines;
    count += some.length;
    lines.push(...some.map(objectIn).filter((line) => line !== null));
  }
}

/** TAKE-BACK-2 */
function keepLines(path: string, lines: readonly object[]): Result<null> {
  const there = new Set((readOwnFile(path) ?? "").split("\n"));
  const fresh = lines.filter((line) => !there.has(JSON.stringify(line)));
  const journal = openJournal(path);
  if (!journal.ok) return journal;
  try {
    return journal.value.append(fresh);
  } finally {
    journal.value.close();
  }
}
