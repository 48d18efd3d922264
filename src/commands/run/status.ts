import { setTimeout } from "node:timers/promises";
import { loopStatus, type LoopStatus } from "../../app/loop-status.ts";
import { graphJson } from "../../app/pictures/graph-text.ts";
import { showState } from "../../app/show-state.ts";
import type { Call } from "../call.ts";
import { clip } from "../clip.ts";
import { onInterrupt } from "../interrupt.ts";
import { update } from "../live-region.ts";
import { painterFor } from "../paint.ts";
import { failure, problemJson, problemText } from "../problem-text.ts";
import type { Answer, Run } from "../spec.ts";
import { stateFileOf, type NamedFile } from "../state-file.ts";
import { isScreen, screenOf, type Screen } from "../screen.ts";
import { statusText } from "../status-text.ts";
import { FULL_SCREEN, holdTerminal } from "../terminal-hold.ts";
import { Unusable } from "../unusable.ts";

export const run: Run = async (call) => {
  const file = stateFileOf(call);
  if (call.isSet("watch")) return await watch(call, file);
  const status = await loopStatus(file.path);
  if (!status.ok) return failure(status.problems, file.shown);
  if (call.json) return { exit: 0, json: statusJson(status.value), text: "" };
  const screen = (await call.io.isTerminal(1)) ? { columns: screenOf(process.stdout).columns, rows: Infinity } : null;
  return { exit: 0, json: {}, text: statusText(status.value, await painterFor(call.io), screen) };
};

function statusJson(status: LoopStatus): object {
  const { state, graph, limits, cost_usd, active_ms, attempts, runner, session, resolved, events } = status;
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    success: true,
    ...showState(state, graph),
    resolved_atoms: resolved,
    runner,
    working: status.working.map(({ atom, role, since, wait }) => ({
      atom,
      role,
      since: new Date(since).toISOString(),
      waits_until: wait === null ? null : new Date(wait.until).toISOString(),
      waits_for: wait?.reason ?? null,
    })),
    session,
    fuel: {
      iterations: { spent: state.control.iteration, limit: limits.max_iterations },
      cost_usd: { spent: cost_usd, limit: finite(limits.max_cost_usd) },
      duration_ms: { spent: active_ms, limit: finite(limits.max_duration_ms) },
      attempts,
      tokens: status.tokens,
    },
    graph: graphJson(state),
    events,
  };
}

const REDRAW_MS = 500;

/** Redraws in place: each frame overwrites the last one line by line, so that nothing flickers. */
async function watch(call: Call, file: NamedFile): Promise<Answer> {
  if (call.json) throw new Unusable("--watch and --json exclude each other", "ask `aot status --json` again and again");
  const paint = await painterFor(call.io);
  const terminal = await isScreen(call.io, 1);
  const interrupt = onInterrupt();
  let last = "";
  const forget = (): void => {
    last = "";
  };
  const giveBack = terminal
    ? holdTerminal({ write: call.io.out, change: FULL_SCREEN, leave: forget })
    : () => undefined;
  try {
    while (!interrupt.signal.aborted) {
      const status = await loopStatus(file.path);
      const screen = terminal ? screenOf(process.stdout) : null;
      const told = status.ok
        ? statusText(status.value, paint, screen)
        : status.problems.map((problem) => problemText(problemJson(problem, file.shown))).join("\n");
      const text = screen === null ? `${told}\n\n` : frame(told, screen);
      if (text !== last) call.io.out(text);
      last = text;
      await pause(REDRAW_MS, interrupt.signal);
    }
  } finally {
    interrupt.release();
    giveBack();
  }
  return { exit: 0, json: {}, text: "" };
}

/** Never more than the screen holds: a row too many or too long would scroll the first ones away. */
function frame(text: string, { columns, rows }: Screen): string {
  const lines = text.split("\n").slice(0, rows);
  // A row that reaches the last column would lose its last character to what erases behind it.
  return update(`\u001b[H${lines.map((line) => `${clip(line, columns - 1)}\u001b[K`).join("\r\n")}\u001b[J`);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // An abort ends the pause; it is no error.
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
