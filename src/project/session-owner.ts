/** Which session works a loop, and whether it still does (SPEC sections 8 and 10). Reads only. */
import { readStateFile } from "../adapters/store/state-file.ts";
import { refused, type Refused } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { livenessOf } from "../host/liveness.ts";
import { markedSession, readRecord } from "./session-record.ts";
import { ownName } from "../host/atomic-write.ts";

/**
 * `at_work`: its client lives. `untold`: its client named no process, or one that cannot be seen from here. `cut_off`: its client
 * lives, and has ended its turn without its coordinator's stop. `gone`: its client has ended, or never was here.
 */
export type Standing = "at_work" | "untold" | "cut_off" | "gone";

export interface SessionOwner {
  readonly session: string;
  /** Process id of its client, where it named one. */
  readonly pid: number | null;
  readonly standing: Standing;
}

/** Null: no session works it, as far as its state says. */
export function sessionOwnerOf(stateFile: string, { control }: State): SessionOwner | null {
  const { status, session_id: session } = control;
  if (status !== "running" || typeof session !== "string") return null;
  const file = ownName(stateFile);
  const record = readRecord(file, session);
  const pid = record?.client == null ? null : Number.parseInt(record.client, 10);
  const of = (standing: Standing): SessionOwner => ({ session, pid, standing });
  // Without the mark no hook looks at it: a copied state file, or a clone.
  if (markedSession(file) !== session) return of("gone");
  if (record?.left === true) return of("cut_off");
  if (record?.client == null) return of("untold");
  return of({ alive: "at_work", dead: "gone", unknown: "untold" }[livenessOf(record.client)] as Standing);
}

/** Why nobody else may have the loop now. Null: nobody works it. @param how to get it all the same */
export function ownerRefusal(owner: SessionOwner, iteration: number, how: string): Refused | null {
  if (owner.standing === "gone" || owner.standing === "cut_off") return null;
  const where =
    owner.standing === "untold"
      ? `, as far as is known: its client ${owner.pid === null ? "named no process" : `(process ${owner.pid}) cannot be seen from here`}`
      : ` (its client is process ${owner.pid})`;
  return refused(
    `session ${owner.session} works this loop, iteration ${iteration}${where}`,
    `end it there with /aot-loop:stop, or with \`aot stop\`; if nothing runs in it, ${how}`,
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The client's session that this process was started in; null: none. */
export function sessionAbove(env: Environment): string | null {
  return env["CLAUDE_CODE_SESSION_ID"] || env["CODEX_SESSION_ID"] || null;
}

/** One session does not report for the loop of another: a coordinator from which it was taken over goes on saying what it saw. */
export async function foreignRefusal(stateFile: string, env: Environment): Promise<Refused | null> {
  const here = sessionAbove(env);
  const read = here === null ? null : await readStateFile(stateFile);
  if (read === null || !read.ok) return null;
  const { state } = read.value;
  const owner = sessionOwnerOf(stateFile, state);
  if (owner === null || owner.session === here) return null;
  return ownerRefusal(owner, state.control.iteration, "`aot session enter --take-over` takes the loop over");
}

/**
 * Why nobody in the session that works the loop says that an atom is resolved: its own agent's answer decides, and code reads
 * it. A main thread that coordinates reports what it did itself. Null: it may be said.
 */
export async function reportRefusal(stateFile: string, atom: string, env: Environment): Promise<Refused | null> {
  const foreign = await foreignRefusal(stateFile, env);
  if (foreign !== null) return foreign;
  const here = sessionAbove(env);
  const file = ownName(stateFile);
  const record = here === null || markedSession(file) !== here ? null : readRecord(file, here);
  if (record === null || record.halted !== null) return null;
  const attempt = record.work.find((start) => start.attempt.atom === atom)?.attempt;
  if (attempt !== undefined && record.mode === "main" && !Object.hasOwn(record.launched, attempt.id)) return null;
  return refused(
    attempt === undefined
      ? `${atom} was not handed out in iteration ${record.iteration}`
      : `the answer of ${atom}'s own agent decides, and code reads it`,
    "start the agents that `aot session work` lists, and end your turn",
  );
}

/** What became of the session that had the loop, for whoever goes on. */
export function leftBy({ session, standing }: SessionOwner, iteration: number): string {
  const why = {
    at_work: "has the loop no more: it was taken over from it",
    untold: "has the loop no more: it was taken over from it",
    cut_off: "was cut off: its turn ended without its coordinator's stop",
    gone: "is gone: its client ended before its coordinator stopped",
  }[standing];
  return `session ${session} ${why}; what iteration ${iteration} has not reported is pending again`;
}
