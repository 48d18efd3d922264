/** Which session works a loop, and whether it still does (SPEC sections 8 and 10). Reads only. */
import { refused } from "../core/problem.ts";
import type { State } from "../core/state.ts";
import { livenessOf } from "../host/liveness.ts";
import { markedSession, readRecord } from "./session-record.ts";
import { ownName } from "../host/atomic-write.ts";

/**
 * `at_work`: its client lives. `untold`: its client named no process, so that nobody can tell. `cut_off`: its client
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
export function ownerRefusal(owner: SessionOwner, iteration: number, how: string): ReturnType<typeof refused> | null {
  if (owner.standing === "gone" || owner.standing === "cut_off") return null;
  const where =
    owner.standing === "untold"
      ? ", as far as is known: its client named no process"
      : ` (its client is process ${owner.pid})`;
  return refused(
    `session ${owner.session} works this loop, iteration ${iteration}${where}`,
    `end it there with /aot-loop:exit-recursion, or with \`aot stop\`; if nothing runs in it, ${how}`,
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
