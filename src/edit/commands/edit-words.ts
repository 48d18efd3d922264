/** What a command that changed the loop by hand says of it, as a document and in words. */
import type { ControlStatus, Outcome } from "../../core/state.ts";

/** What an edit came to. */
export interface EditReport {
  /** False: it was so already. */
  readonly changed: boolean;
  readonly status: ControlStatus;
  /** The loop was stopped by it; absent: it was not. */
  readonly halt?: { readonly stop_reason: string | null; readonly outcome: Outcome | null };
  readonly measure: number;
  /** Atoms that resolved by it. */
  readonly resolved: readonly string[];
  /** Best first. */
  readonly executable_atoms: readonly string[];
}

/** @param own what the command says beside it, first */
export function editJson(
  own: object,
  { changed, status, halt, measure, resolved, executable_atoms }: EditReport,
): object {
  return { success: true, ...own, changed, status, ...halt, measure, resolved, executable_atoms };
}

/** @param sentence what was done */
export function editText(sentence: string, { changed, halt, measure, resolved, executable_atoms }: EditReport): string {
  const next = executable_atoms.length === 0 ? "" : `; executable: ${some(executable_atoms)}`;
  const stopped = halt === undefined ? null : stoppedText(halt);
  // To stop it may be all that was asked for.
  const lines = stopped?.startsWith(sentence) === true ? [] : [`${sentence}${changed ? "" : " (it was so already)"}`];
  if (resolved.length > 1) lines.push(`resolved: ${resolved.join(", ")}`);
  if (stopped !== null) lines.push(stopped);
  lines.push(`${measure} left${next}`);
  return lines.join("\n");
}

function stoppedText({ stop_reason }: NonNullable<EditReport["halt"]>): string {
  return stop_reason === null ? "the loop is stopped" : `the loop is stopped: ${stop_reason}`;
}

const MOST_SHOWN = 12;

function some(ids: readonly string[]): string {
  const rest = ids.length - MOST_SHOWN;
  return `${ids.slice(0, MOST_SHOWN).join(", ")}${rest > 0 ? `, and ${rest} more` : ""}`;
}
