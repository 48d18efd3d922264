/** A session's work on a loop in the journal (SPEC section 8), where it looks like a run. */
import { createHash } from "node:crypto";
import { learn } from "../adapters/store/journal-reader.ts";
import { createRecall } from "../core/journal.ts";
import type { SessionContext, SessionStep } from "../core/session.ts";
import { isoNow } from "../host/clock.ts";
import { loopPaths } from "../host/loop-paths.ts";
import { appendByHand } from "../edit/edit-loop.ts";

/** What the journal remembers, up to this moment. `worker`: the run or session that wrote last; null: that has ended. */
export function lookBack(
  file: string,
  run: string,
): { readonly context: SessionContext; readonly worker: string | null } {
  const now = isoNow();
  const recall = createRecall();
  const { unfinished } = learn(loopPaths(file).journal, recall);
  // The time since its last line counts as worked, too: this line is folded in, and not written.
  if (unfinished === run) recall.read({ time: now, run, iteration: 0, event: "note", message: "" });
  return { context: { run, memory: recall.now().memory, now }, worker: unfinished };
}

/** Tells a session's name in the journal from a run's. */
const SESSION_PREFIX = "s-";

export function runName(session: string, now: string): string {
  return `${SESSION_PREFIX}${createHash("sha256").update(`${session} ${now}`).digest("hex").slice(0, 6)}`;
}

/** Whether a name of the journal is a session's. */
export function isSessionRun(run: string | null): boolean {
  return run?.startsWith(SESSION_PREFIX) === true;
}

/** Appends what happened, then that the state file holds it. */
export async function journalSteps(
  file: string,
  run: string,
  iteration: number,
  steps: readonly SessionStep[],
): Promise<void> {
  const now = isoNow();
  const lines = steps.flatMap((step) => step.lines);
  const saved = { time: now, run, iteration, event: "state_saved" };
  const halted = steps.some(({ turn }) => turn.kind === "halt");
  appendByHand(file, [...lines, saved, ...(halted ? [endLine(file, run, iteration, now)] : [])]);
}

function endLine(file: string, run: string, iteration: number, now: string): object {
  const { cost_usd, active_ms } = lookBack(file, run).context.memory;
  return { time: now, run, iteration, event: "run_ended", message: "worked in a session", cost_usd, active_ms };
}
